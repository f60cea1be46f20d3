"""The argument types that several tools share."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable
from typing import Annotated, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from hetzner_dns_mcp import names
from mcp_serverkit.tools.constraints import Length, Pattern, Range, Validator

TTL_LOW = 60
TTL_HIGH = 604_800
"""One week: resolvers honour no more, and a mistake would stay in caches for as long."""

RECORDS = 50
"""How many records one action of a record set takes."""

_LABEL_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"
_LABEL_KEY = re.compile(rf"(?:(?P<prefix>[A-Za-z0-9.-]{{1,253}})/)?{_LABEL_PART}")
_LABEL_VALUE = re.compile(rf"(?:{_LABEL_PART})?")
_RESERVED_PREFIX = "hetzner.cloud"

_DIRECTIVE = re.compile(r"(?:\A|[\r\n])[ \t\ufeff]*(\$[A-Za-z]+)")
_REFUSED_DIRECTIVES = frozenset({"$INCLUDE", "$GENERATE"})
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _named(normal: Callable[[str], str]) -> Callable[[object], object]:
    return lambda value: normal(value) if isinstance(value, str) else value


def check_labels(value: object) -> object:
    """Check keys and values of labels, as the API does."""
    if not isinstance(value, dict):
        return value
    for position, (key, text) in enumerate(value.items(), 1):
        found = _LABEL_KEY.fullmatch(key)
        if found is None or (found["prefix"] or "").lower() == _RESERVED_PREFIX:
            raise ValueError(
                f"key {position} must be 1 to 63 letters, digits, ., _ and -, with letters or "
                f"digits at both ends, optionally after a prefix/ other than {_RESERVED_PREFIX}/"
            )
        if not _LABEL_VALUE.fullmatch(text):
            raise ValueError(f"value {position} must be empty or formed like a key, up to 63 long")
    return value


def check_address(value: object) -> object:
    """Accept an IP address without a zone index."""
    if isinstance(value, str):
        try:
            parsed = ipaddress.ip_address(value)
        except ValueError:
            raise ValueError("must be an IPv4 or IPv6 address, not a host name") from None
        if getattr(parsed, "scope_id", None):
            raise ValueError("must be an address without a zone index")
    return value


def check_tsig_key(value: object) -> object:
    """Accept what decodes as base64; the key itself is never repeated."""
    if isinstance(value, str):
        try:
            base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError("must be base64") from None
    return value


def refuse_zonefile(text: str) -> None:
    """Refuse what no zone file may hold, whoever reads it.

    Raises:
        ValueError: Says what it is.
    """
    if not text.strip("\ufeff \t\r\n"):
        raise ValueError("is empty")
    if _CONTROL.search(text):
        raise ValueError("holds a control character other than tab and line ends")
    for found in _DIRECTIVE.finditer(text):
        if found[1].upper() in _REFUSED_DIRECTIVES:
            raise ValueError(f"holds the directive {found[1].upper()}, which is not carried out")


def check_zonefile(value: object) -> object:
    """Refuse what no zone file may hold; everything else is the API's to judge."""
    if isinstance(value, str):
        refuse_zonefile(value)
    return value


Zone = Annotated[str, Length(1, 255), Validator(_named(names.zone_name))]
Name = Annotated[str, Length(1, 254), Validator(_named(names.record_name))]
RecordType: TypeAlias = Literal[
    "A",
    "AAAA",
    "CAA",
    "CNAME",
    "DS",
    "HINFO",
    "HTTPS",
    "MX",
    "NS",
    "PTR",
    "RP",
    "SOA",
    "SRV",
    "SVCB",
    "TLSA",
    "TXT",
]
TTL = Annotated[int, Range(TTL_LOW, TTL_HIGH)]
Labels = Annotated[dict[str, str], Length(0, 64), Validator(check_labels)]
LabelSelector = Annotated[str, Length(1, 1024)]
Page = Annotated[int, Range(1, 1_000_000)]
PerPage = Annotated[int, Range(1, 100)]
Offset = Annotated[int, Range(0)]
ZoneSort = Annotated[str, Pattern(r"(id|name|created)(:(asc|desc))?", "id, name or created, :desc")]
ActionSort = Annotated[
    str,
    Pattern(
        r"(id|command|status|started|finished)(:(asc|desc))?",
        "id, command, status, started or finished, :desc",
    ),
]
ActionStatus: TypeAlias = Literal["running", "success", "error"]
ImportMode: TypeAlias = Literal["replace", "merge"]
Mode: TypeAlias = Literal["primary", "secondary"]
Fingerprint = Annotated[str, Pattern(r"[0-9a-f]{16}", "16 hexadecimal digits from get_rrset")]
Zonefile = Annotated[str, Length(1, 1_000_000), Validator(check_zonefile)]


NAME_HELP = "Relative to the zone; @ is the zone itself; full names inside it are taken"
TYPE_HELP = "Record type"
VALUES_HELP = '"198.51.100.1", "10 mail.example.com.", "v=spf1 -all"'
SORT_HELP = "Order, such as name:desc"
PAGE_HELP = "Page, from 1"


class Record(TypedDict):
    """One record as a caller gives it."""

    value: Annotated[str, Length(1, 65_535)]
    comment: NotRequired[Annotated[str, Length(0, 512)]]


class RecordChange(TypedDict):
    """One change of several, made in their order."""

    action: Annotated[Literal["create", "set", "add", "remove", "delete"], "As the tool so named"]
    name: Annotated[Name, NAME_HELP]
    type: Annotated[RecordType, TYPE_HELP]
    records: NotRequired[Annotated[list[Record], Length(1, RECORDS)]]
    ttl: NotRequired[Annotated[TTL, "create and add only"]]


class PrimaryNameserver(TypedDict):
    """A server that a secondary zone is transferred from."""

    address: Annotated[str, Length(1, 45), Validator(check_address)]
    port: NotRequired[Annotated[int, Range(1, 65_535)]]
    tsig_key: NotRequired[Annotated[str, Length(1, 512), Validator(check_tsig_key)]]
    tsig_algorithm: NotRequired[Literal["hmac-md5", "hmac-sha1", "hmac-sha256"]]


Records = Annotated[list[Record], Length(1, RECORDS)]
RecordChanges = Annotated[list[RecordChange], Length(1, 25)]
ManyRecords = Annotated[list[Record], Length(1, 1_000)]
PrimaryNameservers = Annotated[list[PrimaryNameserver], Length(1, 10)]
