"""The routes of the API's DNS part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from . import zonefiles
from .model import (
    ZONE_NAME,
    APIError,
    Json,
    Zone,
    check_labels,
    check_servers,
    check_ttl,
    fields,
    invalid,
)
from .project import Project, page, read_body, require, require_method
from .rrsets import answer_rrsets, create_rrset
from .wire import Request

_SEGMENT = re.compile(r"[A-Za-z0-9@*._-]+")


def answer(project: Project, request: Request) -> tuple[int, Json]:
    """Answer an authorised request.

    Raises:
        APIError: An error answer.
    """
    segments = request.path.strip("/").split("/")
    if not all(_SEGMENT.fullmatch(segment) for segment in segments):
        raise APIError("not_found", "no such path")
    if "actions" in segments[:2]:
        require_method(request, "GET")
    match segments:
        case ["zones"]:
            return _zones(project, request)
        case ["actions", action_id] | ["zones", "actions", action_id]:
            return _action(project, action_id)
        case ["actions"] if "id" in request.query:
            return 200, _actions(project, request, None)
        case ["zones", "actions"]:
            return 200, _actions(project, request, None)
        case ["zones", key, *rest]:
            return _in_zone(project, request, project.zone(key), rest)
    raise APIError("not_found", "no such path")


def _zones(project: Project, request: Request) -> tuple[int, Json]:
    if request.method == "POST":
        return 201, _create_zone(project, read_body(request))
    require_method(request, "GET")
    query = request.query
    found = [project.look(zone).json() for zone in project.zones.values()]
    for key in ("name", "mode"):
        if key in query:
            found = [zone for zone in found if zone[key] == query[key][0]]
    return 200, page(request, "zones", found, 50, ("name", "mode"))


def _create_zone(project: Project, body: Json) -> Json:
    fields(body, ["name", "mode"], **_ZONE_FIELDS)
    name, mode = str(body["name"]), body["mode"]
    if not ZONE_NAME.fullmatch(name):
        raise invalid("name", "contains invalid characters")
    if _below_a_registrable_name(name):
        raise invalid("name", "Subdomains are not supported")
    if mode not in {"primary", "secondary"}:
        raise invalid("mode", "must be primary or secondary")
    if any(zone.name == name for zone in project.zones.values()):
        raise APIError("uniqueness_error", "zone already exists", {"fields": [{"name": "name"}]})
    if "rrsets" in body and "zonefile" in body:
        raise invalid("zonefile", "cannot be combined with rrsets")
    zone = Zone(project.next_id(), name, str(mode))
    zone.created = f"2026-06-01T12:{zone.id // 60 % 60:02}:{zone.id % 60:02}Z"
    zone.ttl = check_ttl(body.get("ttl")) or 3600
    zone.labels = check_labels(body.get("labels") or {})
    if mode == "secondary":
        zone.primaries = check_servers(body.get("primary_nameservers"))
    elif body.get("zonefile") is not None:
        zonefiles.replace(zone, str(body["zonefile"]), existing=False)
    else:
        zone.start_content()
        for entry in cast("list[Json]", body.get("rrsets") or []):
            create_rrset(zone, entry)
    project.keep(zone)
    return {"zone": zone.json(), **project.start("create_zone", zone)}


_ZONE_FIELDS = {
    "name": str,
    "mode": str,
    "ttl": int,
    "labels": dict,
    "primary_nameservers": list,
    "rrsets": list,
    "zonefile": str,
}
_PUBLIC_SUFFIXES = ("co.uk", "com.ve", "com.au")


def _below_a_registrable_name(name: str) -> bool:
    suffix = next((s for s in _PUBLIC_SUFFIXES if name.endswith(f".{s}")), name.rpartition(".")[2])
    return "." in name.removesuffix(f".{suffix}")


def _in_zone(
    project: Project, request: Request, zone: Zone, rest: Sequence[str]
) -> tuple[int, Json]:
    if request.method != "GET":
        project.refuse_locked(zone)
    match request.method, *rest:
        case ["GET"]:
            return 200, {"zone": zone.json()}
        case ["PUT"]:
            body = fields(read_body(request), labels=dict)
            if body.get("labels") is not None:
                zone.labels = check_labels(body["labels"])
            return 200, {"zone": zone.json()}
        case ["DELETE"]:
            return 201, _delete_zone(project, zone)
        case ["GET", "actions"]:
            return 200, _actions(project, request, zone)
        case ["GET", "zonefile"]:
            require(zone, "primary")
            return 200, {"zonefile": zonefiles.export(zone)}
        case ["POST", "actions", command]:
            return 201, _zone_action(project, zone, command, read_body(request))
        case [_, "rrsets", *inner]:
            require(zone, "primary")
            return answer_rrsets(project, request, zone, inner)
    raise APIError("not_found", "no such path")


def _delete_zone(project: Project, zone: Zone) -> Json:
    if zone.protected:
        raise APIError("protected", "zone delete protected")
    if any(rrset.protected for rrset in zone.sets.values()):
        raise APIError("protected", "RRSet(s) is/are change protected")
    del project.zones[zone.id]
    return project.start("delete_zone", zone)


def _zone_action(project: Project, zone: Zone, command: str, body: Json) -> Json:
    match command:
        case "change_protection":
            zone.protected = bool(fields(body, ["delete"], delete=bool)["delete"])
        case "change_ttl":
            require(zone, "primary")
            zone.ttl = check_ttl(fields(body, ["ttl"], ttl=int)["ttl"]) or zone.ttl
        case "import_zonefile":
            require(zone, "primary")
            fields(body, ["zonefile"], zonefile=str)
            zonefiles.replace(zone, str(body["zonefile"]), existing=True)
        case "change_primary_nameservers":
            require(zone, "secondary")
            fields(body, ["primary_nameservers"], primary_nameservers=list)
            zone.primaries = check_servers(body["primary_nameservers"])
        case _:
            raise APIError("not_found", "no such action")
    return project.start(command, zone)


def _action(project: Project, action_id: str) -> tuple[int, Json]:
    action = project.actions.get(int(action_id)) if action_id.isdigit() else None
    if action is None:
        raise APIError("not_found", "action not found")
    return 200, {"action": action.json(project.now())}


def _actions(project: Project, request: Request, zone: Zone | None) -> Json:
    found = [
        action.json(project.now())
        for action in project.actions.values()
        if zone is None or action.zone_id == zone.id
    ]
    ids = request.query.get("id")
    if ids:
        found = [action for action in found if str(action["id"]) in ids]
    wanted = request.query.get("status")
    if wanted:
        found = [action for action in found if action["status"] in wanted]
    return page(request, "actions", found, 50, ("id", "status"))
