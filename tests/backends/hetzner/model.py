"""Zones, record sets and actions, and what the API refuses about them."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeAlias

import dns.exception
import dns.rdata

Json: TypeAlias = dict[str, object]

ASSIGNED = ("hydrogen.ns.hetzner.com.", "oxygen.ns.hetzner.com.", "helium.ns.hetzner.de.")
FIRST_SOA = f"{ASSIGNED[0]} dns.hetzner.com. 0 86400 10800 3600000 3600"
TYPES = (
    *("A", "AAAA", "CAA", "CNAME", "DS", "HINFO", "HTTPS", "MX"),
    *("NS", "PTR", "RP", "SOA", "SRV", "SVCB", "TLSA", "TXT"),
)

ZONE_NAME = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")
RRSET_NAME = re.compile(r"@|(?:\*|[a-z0-9_-]{1,63})(?:\.[a-z0-9_-]{1,63})*")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"
_LABEL_KEY = re.compile(rf"(?:[A-Za-z0-9.-]{{1,253}}/)?{_LABEL}")

STATUSES = {
    "unauthorized": 401,
    "token_readonly": 401,
    "forbidden": 403,
    "maintenance": 403,
    "resource_limit_exceeded": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "uniqueness_error": 409,
    "conflict": 409,
    "deprecated_api_endpoint": 410,
    "invalid_input": 422,
    "incorrect_zone_mode": 422,
    "locked": 423,
    "protected": 423,
    "rate_limit_exceeded": 429,
    "server_error": 500,
    "unavailable": 503,
    "timeout": 504,
    "json_error": 400,
}


class APIError(Exception):
    """An error answer."""

    def __init__(self, code: str, message: str, details: Json | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details or {}

    @property
    def status(self) -> int:
        return STATUSES[self.code]

    def body(self) -> Json:
        return {
            "error": {"code": self.code, "message": self.message, "details": self.details or None}
        }


def invalid(field_name: str, message: str) -> APIError:
    fields = [{"name": field_name, "messages": [message]}]
    return APIError("invalid_input", message, {"fields": fields})


@dataclass
class RRSet:
    name: str
    type: str
    records: dict[str, str] = field(default_factory=dict)
    ttl: int | None = None
    labels: dict[str, str] = field(default_factory=dict)
    protected: bool = False


@dataclass
class Zone:
    id: int
    name: str
    mode: str
    ttl: int = 3600
    labels: dict[str, str] = field(default_factory=dict)
    protected: bool = False
    primaries: list[Json] = field(default_factory=list)
    serial: int = 2026112900
    sets: dict[tuple[str, str], RRSet] = field(default_factory=dict)
    reads: int = 0
    created: str = "2026-06-01T12:00:00Z"
    registrar: str = "hetzner"
    assigned: tuple[str, ...] = ASSIGNED
    delegated: tuple[str, ...] = ASSIGNED
    delegation_status: str = "valid"
    updating: bool = False

    def json(self) -> Json:
        shown: Json = {
            "id": self.id,
            "name": self.name,
            "created": self.created,
            "mode": self.mode,
            "ttl": self.ttl,
            "labels": dict(self.labels),
            "protection": {"delete": self.protected},
            "status": "updating" if self.updating else "ok",
            "record_count": sum(len(rrset.records) for rrset in self.sets.values()),
            "registrar": self.registrar,
            "authoritative_nameservers": {
                "assigned": list(self.assigned),
                "delegated": list(self.delegated),
                "delegation_last_check": "2026-11-29T06:00:00Z",
                "delegation_status": self.delegation_status,
            },
        }
        if self.mode == "secondary":
            shown["primary_nameservers"] = [{"port": 53, **server} for server in self.primaries]
        return shown

    def rrset_json(self, rrset: RRSet) -> Json:
        """Show a set; the order of its records turns with each reading."""
        self.reads += 1
        records = [{"value": value, "comment": text} for value, text in rrset.records.items()]
        turn = self.reads % len(records) if records else 0
        return {
            "id": f"{rrset.name}/{rrset.type}",
            "name": rrset.name,
            "type": rrset.type,
            "ttl": rrset.ttl,
            "labels": dict(rrset.labels),
            "protection": {"change": rrset.protected},
            "records": records[turn:] + records[:turn],
            "zone": self.id,
        }

    def start_content(self) -> None:
        self.sets[("@", "NS")] = RRSet("@", "NS", dict.fromkeys(ASSIGNED, ""))
        self.sets[("@", "SOA")] = RRSet("@", "SOA")
        self.bump()

    def bump(self) -> None:
        """Maintain the SOA's serial, as Hetzner does on every change."""
        if self.mode != "primary":
            return
        self.serial += 1
        soa = self.sets.setdefault(("@", "SOA"), RRSet("@", "SOA"))
        value = next(
            iter(soa.records), f"{ASSIGNED[0]} dns.hetzner.com. 0 86400 10800 3600000 3600"
        )
        words = value.split()
        soa.records = {" ".join([*words[:2], str(self.serial), *words[3:]]): ""}

    def find(self, name: str, record_type: str) -> RRSet:
        rrset = self.sets.get((name, record_type))
        if rrset is None:
            raise APIError("not_found", f"RRSet {name}/{record_type} not found")
        return rrset

    def changeable(self, name: str, record_type: str) -> RRSet:
        rrset = self.find(name, record_type)
        if rrset.protected:
            raise APIError("protected", "RRSet(s) is/are change protected")
        return rrset


@dataclass
class Action:
    id: int
    command: str
    zone_id: int
    started: float
    ends: float
    error: Json | None = None

    def json(self, now: float, *, fresh: bool = False) -> Json:
        running = fresh or now < self.ends
        status = "running" if running else "error" if self.error else "success"
        return {
            "id": self.id,
            "command": self.command,
            "status": status,
            "progress": 0 if running else 100,
            "started": _stamp(self.started),
            "finished": None if running else _stamp(self.ends),
            "resources": [{"id": self.zone_id, "type": "zone"}],
            "error": None if running else self.error,
        }


def check_records(records: object, record_type: str, limit: int | None) -> dict[str, str]:
    """Check a list of records, as every write of values does."""
    if not isinstance(records, list) or not records:
        raise invalid("records", "must not be empty")
    if limit is not None and len(records) > limit:
        raise invalid("records", f"must have at most {limit} items")
    found: dict[str, str] = {}
    for index, record in enumerate(records):
        place = f"records[{index}].value"
        value = str(fields(record, ["value"], value=str, comment=str)["value"])
        _check_value(place, value, record_type)
        if value in found:
            raise invalid(place, "duplicate value")
        found[value] = str(record.get("comment") or "")
    return found


def check_set(zone: Zone, key: tuple[str, str], values: Iterable[str]) -> None:
    """Check what the values of a whole set must keep to."""
    given = set(values)
    if key[1] == "CNAME" and len(given) > 1:
        raise invalid("records", "only one CNAME is allowed at a name")
    if key == ("@", "NS") and not set(zone.assigned) <= {value.lower() for value in given}:
        raise invalid("records", "assigned nameservers are missing")


_KINDS = {
    str: "a string",
    int: "a number",
    bool: "a boolean",
    list: "a list",
    dict: "an object",
}


def fields(body: object, required: Iterable[str] = (), **kinds: type) -> Json:
    """Refuse what is no object, and a field that is unknown, missing, null or of another kind."""
    if not isinstance(body, dict):
        raise APIError("invalid_input", "must be an object")
    for key, value in body.items():
        if key not in kinds:
            raise invalid(key, "unknown field")
        if value is not None and type(value) is not kinds[key]:
            raise invalid(key, f"must be {_KINDS[kinds[key]]}")
    for key in required:
        if body.get(key) is None:
            raise invalid(key, "is required")
    return body


def check_ttl(ttl: object) -> int | None:
    if ttl is None:
        return None
    if isinstance(ttl, bool) or not isinstance(ttl, int) or not 60 <= ttl <= 2_147_483_647:
        raise invalid("ttl", "must be between 60 and 2147483647")
    return ttl


def check_servers(servers: object) -> list[Json]:
    """Check the servers that a secondary zone comes from."""
    if not isinstance(servers, list) or not servers:
        raise invalid("primary_nameservers", "must not be empty")
    kinds = {"address": str, "port": int, "tsig_key": str, "tsig_algorithm": str}
    for server in servers:
        address = fields(server, ["address"], **kinds)["address"]
        try:
            ipaddress.ip_address(str(address))
        except ValueError:
            raise invalid("primary_nameservers", "must be an IP address") from None
    return servers


def check_labels(labels: object) -> dict[str, str]:
    if not isinstance(labels, Mapping):
        raise invalid("labels", "must be an object")
    for key, value in labels.items():
        if not _LABEL_KEY.fullmatch(key) or not isinstance(value, str):
            raise invalid("labels", "invalid label")
        if value and not re.fullmatch(_LABEL, value):
            raise invalid("labels", "invalid label value")
    return dict(labels)


def _check_value(place: str, value: str, record_type: str) -> None:
    if not record_type:
        return
    if record_type == "TXT":
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', value)
        if not re.fullmatch(r'(?:"(?:[^"\\]|\\.)*" *)+', value):
            raise invalid(place, "a TXT value must be quoted")
        if any(len(re.sub(r"\\(?:[0-9]{3}|.)", "x", s).encode()) > 255 for s in strings):
            raise invalid(place, "a TXT string exceeds 255 characters")
        return
    try:
        dns.rdata.from_text("IN", record_type, value, origin=None, relativize=False)
    except (dns.exception.DNSException, ValueError) as error:
        raise invalid(place, f"invalid value: {error}") from None


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
