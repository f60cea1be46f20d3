"""The routes of record sets."""

from __future__ import annotations

from collections.abc import Sequence

from .model import (
    RRSET_NAME,
    TYPES,
    APIError,
    Json,
    RRSet,
    Zone,
    check_labels,
    check_records,
    check_ttl,
    invalid,
)
from .project import Project, page, read_body
from .wire import Request

RECORD_LIMIT = 50
"""Records that one action takes."""


def answer_rrsets(
    project: Project, request: Request, zone: Zone, rest: Sequence[str]
) -> tuple[int, Json]:
    match request.method, *rest:
        case ["GET"]:
            return 200, page(request, "rrsets", _listed(zone, request), 100)
        case ["POST"]:
            rrset = create_rrset(zone, read_body(request))
            zone.bump()
            return 201, {"rrset": zone.rrset_json(rrset), **project.start("create_rrset", zone)}
        case ["GET", name, record_type]:
            return 200, {"rrset": zone.rrset_json(zone.find(name, record_type))}
        case ["PUT", name, record_type]:
            rrset = zone.find(name, record_type)
            rrset.labels = check_labels(read_body(request).get("labels"))
            return 200, {"rrset": zone.rrset_json(rrset)}
        case ["DELETE", name, record_type]:
            if record_type == "SOA":
                raise APIError("invalid_input", "the SOA cannot be deleted")
            zone.changeable(name, record_type)
            del zone.sets[name, record_type]
            zone.bump()
            return 201, project.start("delete_rrset", zone)
        case ["POST", name, record_type, "actions", command]:
            command_name = _rrset_action(zone, (name, record_type), command, read_body(request))
            zone.bump()
            return 201, project.start(command_name, zone)
    raise APIError("not_found", "no such path")


def _listed(zone: Zone, request: Request) -> list[Json]:
    query = request.query
    return [
        zone.rrset_json(rrset)
        for rrset in zone.sets.values()
        if rrset.name in query.get("name", [rrset.name])
        and rrset.type in query.get("type", [rrset.type])
    ]


def create_rrset(zone: Zone, body: Json) -> RRSet:
    name, record_type = str(body.get("name")), str(body.get("type"))
    if not RRSET_NAME.fullmatch(name) or name.endswith(f".{zone.name}"):
        raise invalid("name", "contains invalid characters or is not relative")
    if record_type not in TYPES or record_type == "SOA":
        raise invalid("type", "cannot be created")
    if (name, record_type) in zone.sets:
        raise APIError("uniqueness_error", "RRSet already exists", {"fields": [{"name": "name"}]})
    others = {kind for owner, kind in zone.sets if owner == name}
    if (record_type == "CNAME" and others) or "CNAME" in others:
        raise invalid("type", "CNAME cannot coexist with other records")
    records = check_records(body.get("records"), record_type, None)
    rrset = RRSet(name, record_type, records, check_ttl(body.get("ttl")))
    rrset.labels = check_labels(body.get("labels") or {})
    zone.sets[name, record_type] = rrset
    return rrset


def _rrset_action(zone: Zone, key: tuple[str, str], command: str, body: Json) -> str:
    name, record_type = key
    match command:
        case "change_protection":
            zone.find(name, record_type).protected = bool(body["change"])
            return "change_rrset_protection"
        case "change_ttl":
            if "ttl" not in body:
                raise invalid("ttl", "is required")
            zone.changeable(name, record_type).ttl = check_ttl(body["ttl"])
            return "change_rrset_ttl"
        case "set_records":
            rrset = zone.changeable(name, record_type)
            rrset.records = check_records(body.get("records"), record_type, RECORD_LIMIT)
        case "add_records":
            _add(zone, key, body)
        case "remove_records":
            _remove(zone, key, body)
        case "update_records":
            rrset = zone.changeable(name, record_type)
            rrset.records |= check_records(body.get("records"), record_type, RECORD_LIMIT)
        case _:
            raise APIError("not_found", "no such action")
    return f"{command.removesuffix('_records')}_rrset_records"


def _add(zone: Zone, key: tuple[str, str], body: Json) -> None:
    records = check_records(body.get("records"), key[1], RECORD_LIMIT)
    ttl = check_ttl(body.get("ttl"))
    if key not in zone.sets:
        create_rrset(zone, {"name": key[0], "type": key[1], **body})
        return
    rrset = zone.changeable(*key)
    if ttl is not None and ttl != rrset.ttl:
        raise invalid("ttl", "must match the TTL of the RRSet")
    for index, value in enumerate(records):
        if value in rrset.records:
            raise invalid(f"records[0].records[{index + 1}].value", "duplicate value")
    rrset.records |= records


def _remove(zone: Zone, key: tuple[str, str], body: Json) -> None:
    rrset = zone.changeable(*key)
    # Removing is by exact text: what was stored, however faulty, can go.
    for value in check_records(body.get("records"), "", RECORD_LIMIT):
        if value not in rrset.records:
            raise invalid("records", "value does not exist")
        del rrset.records[value]
    if not rrset.records:
        del zone.sets[key]
