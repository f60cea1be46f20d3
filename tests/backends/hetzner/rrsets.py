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
    check_set,
    check_ttl,
    fields,
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
            return 200, page(request, "rrsets", _listed(zone, request), 100, ("name", "type"))
        case ["POST"]:
            rrset = create_rrset(zone, read_body(request))
            zone.bump()
            return 201, {"rrset": zone.rrset_json(rrset), **project.start("create_rrset", zone)}
        case ["GET", name, record_type]:
            return 200, {"rrset": zone.rrset_json(zone.find(name, record_type))}
        case ["PUT", name, record_type]:
            rrset = zone.find(name, record_type)
            body = read_body(request)
            if "records" in body:
                raise APIError("invalid_input", "can't update records with this endpoint")
            fields(body, labels=dict)
            if body.get("labels") is not None:
                rrset.labels = check_labels(body["labels"])
            return 200, {"rrset": zone.rrset_json(rrset)}
        case ["DELETE", name, record_type]:
            if record_type == "SOA":
                raise APIError("invalid_input", "the SOA cannot be deleted")
            zone.changeable(name, record_type)
            check_set(zone, (name, record_type), ())
            del zone.sets[name, record_type]
            zone.bump()
            return 201, project.start("delete_rrset", zone)
        case ["POST", name, record_type, "actions", command]:
            command_name = _rrset_action(zone, (name, record_type), command, read_body(request))
            zone.bump()
            status = 200 if command == "update_records" else 201
            return status, project.start(command_name, zone)
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
    kinds = {"name": str, "type": str, "ttl": int, "labels": dict, "records": list}
    fields(body, ["name", "type"], **kinds)
    name, record_type = str(body["name"]), str(body["type"])
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
    check_set(zone, (name, record_type), records)
    rrset = RRSet(name, record_type, records, check_ttl(body.get("ttl")))
    rrset.labels = check_labels(body.get("labels") or {})
    zone.sets[name, record_type] = rrset
    return rrset


def _rrset_action(zone: Zone, key: tuple[str, str], command: str, body: Json) -> str:
    name, record_type = key
    match command:
        case "change_protection":
            fields(body, ["change"], change=bool)
            zone.find(name, record_type).protected = bool(body["change"])
            return "change_rrset_protection"
        case "change_ttl":
            fields(body, ttl=int)
            if "ttl" not in body:
                raise invalid("ttl", "is required")
            zone.changeable(name, record_type).ttl = check_ttl(body["ttl"])
            return "change_rrset_ttl"
        case "set_records":
            fields(body, records=list)
            rrset = zone.changeable(name, record_type)
            records = check_records(body.get("records"), record_type, RECORD_LIMIT)
            check_set(zone, key, records)
            rrset.records = records
        case "add_records":
            _add(zone, key, body)
        case "remove_records":
            _remove(zone, key, body)
        case "update_records":
            fields(body, records=list)
            rrset = zone.changeable(name, record_type)
            records = check_records(body.get("records"), record_type, RECORD_LIMIT)
            if not set(records) <= set(rrset.records):
                raise invalid("records", "value does not exist")
            rrset.records |= records
        case _:
            raise APIError("not_found", "no such action")
    return f"{command.removesuffix('_records')}_rrset_records"


def _add(zone: Zone, key: tuple[str, str], body: Json) -> None:
    fields(body, records=list, ttl=int)
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
    check_set(zone, key, {*rrset.records, *records})
    rrset.records |= records


def _remove(zone: Zone, key: tuple[str, str], body: Json) -> None:
    rrset = zone.changeable(*key)
    # Removing is by exact text: what was stored, however faulty, can go.
    going = check_records(fields(body, records=list).get("records"), "", RECORD_LIMIT)
    if not set(going) <= set(rrset.records):
        raise invalid("records", "value does not exist")
    left = {value: text for value, text in rrset.records.items() if value not in going}
    if key == ("@", "NS"):
        check_set(zone, key, left)
    rrset.records = left
    if not rrset.records:
        del zone.sets[key]
