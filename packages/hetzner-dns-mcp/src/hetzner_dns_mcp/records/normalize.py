"""From the records that a caller gives to those that are sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from hetzner_dns_mcp import names
from hetzner_dns_mcp.argument_types import Record
from hetzner_dns_mcp.records.identity import rdata_key, read_value, value_key
from hetzner_dns_mcp.records.lints import lint_set
from hetzner_dns_mcp.records.txt import format_txt
from hetzner_dns_mcp.records.type_rules import (
    TARGETS,
    Findings,
    Value,
    check_kind,
    check_set,
    is_address,
    target_names,
)
from mcp_serverkit.errors import BadArgument

if TYPE_CHECKING:
    from dns.rdata import Rdata

Mode: TypeAlias = Literal["strict", "warn", "off"]

RDATA_BYTES = 65_535
"""Size limit of one record's data on the wire."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Records that are ready to be shown, bound and sent.

    Attributes:
        records: What is sent.
        given: The value as the caller gave it, where it was brought to another form.
        read_as: The full name that a target without a final dot stands for.
        warnings: What is unusual, with a stable word in front.
    """

    records: list[dict[str, str]]
    given: Mapping[int, str]
    read_as: Mapping[int, str]
    warnings: list[str]

    @property
    def values(self) -> list[str]:
        """The values alone."""
        return [record["value"] for record in self.records]


NO_RECORDS = Prepared([], {}, {}, [])
"""The values of a call that brings none."""


@dataclass(frozen=True, slots=True)
class _Examined:
    value: str
    key: str
    read_as: str
    found: Findings


def prepare(
    records: Sequence[Record],
    *,
    name: str,
    record_type: str,
    zone: str | None,
    mode: str = "strict",
    ttl: int | None = None,
) -> Prepared:
    """Check the records of one set and bring their values to the API's form.

    Args:
        records: The records.
        name: Name of the set in normal form.
        record_type: Its type.
        zone: Name of the zone, where it is known.
        mode: What becomes of an error: refused, a warning, or not looked for.
        ttl: Time to live of the set, where it is given.

    Raises:
        BadArgument: A value that cannot be right; names the record.
    """
    for index, record in enumerate(records):
        _refuse_line_breaks(index, record)
    if mode == "off":
        return Prepared([_sent(record, record["value"]) for record in records], {}, {}, [])
    examined = [_examine(record["value"], name, record_type, zone) for record in records]
    words = [_words(item.value) for item in examined]
    set_found = check_set(record_type, name, words)
    _find_duplicates([item.key for item in examined], set_found)
    warnings: list[str] = []
    for index, item in enumerate(examined):
        _judge(f"records[{index}].value", record_type, item.found, mode, warnings)
    _judge("records", record_type, set_found, mode, warnings)
    values = [item.value for item in examined]
    warnings += lint_set(record_type, name, values, ttl, zone)
    given = {
        index: record["value"]
        for index, (record, item) in enumerate(zip(records, examined, strict=True))
        if record["value"].strip(" ") != item.value
    }
    warnings += [f"normalised: records[{index}].value is sent in another form" for index in given]
    read_as = {index: item.read_as for index, item in enumerate(examined) if item.read_as}
    return Prepared(
        [_sent(record, value) for record, value in zip(records, values, strict=True)],
        given,
        read_as,
        list(dict.fromkeys(warnings)),
    )


def references(records: Sequence[Record], record_type: str) -> Prepared:
    """Take values that name records which are to go.

    They are not written anywhere, so nothing is demanded of them: what is wrong must be
    removable. Plain text of a TXT is quoted, for where the set cannot be compared.

    Raises:
        BadArgument: A value holds a line end or another control character.
    """
    for index, record in enumerate(records):
        _refuse_line_breaks(index, record)
    sent = []
    for record in records:
        try:
            value = format_txt(record["value"]) if record_type == "TXT" else record["value"]
        except ValueError:
            value = record["value"]
        sent.append({"value": value})
    given = {index: record["value"] for index, record in enumerate(records)}
    return Prepared(sent, given, {}, [])


def same_record(record_type: str) -> Callable[[str, str], bool]:
    """Make a comparison of two values of a type that looks past spelling."""
    return lambda left, right: (
        left == right or (value_key(left, record_type, None) == value_key(right, record_type, None))
    )


def _examine(given: str, name: str, record_type: str, zone: str | None) -> _Examined:
    found = Findings()
    value = given
    try:
        value = _normal(given, record_type)
        rdata = read_value(value, record_type)
        if record_type == "TXT" and len(_wire(rdata)) > RDATA_BYTES:
            raise ValueError(f"is larger than {RDATA_BYTES} bytes")
        kind = check_kind(record_type, Value(name, _words(value), rdata))
    except ValueError as error:
        found.errors.append(str(error))
        return _Examined(value, value, "", found)
    read_as = _read_as(rdata, record_type, zone, kind)
    return _Examined(value, rdata_key(rdata, record_type), read_as, kind)


def _normal(given: str, record_type: str) -> str:
    if record_type == "TXT":
        return format_txt(given)
    value = given.strip(" ")
    _refuse_ambiguous(value)
    if value.isascii() or record_type not in TARGETS:
        return value
    words = value.split(" ")
    for index in TARGETS[record_type]:
        if index < len(words):
            words[index] = names.ascii_name(words[index])
    return " ".join(words)


def _wire(rdata: Rdata) -> bytes:
    import io

    file = io.BytesIO()
    rdata.to_wire(file)
    return file.getvalue()


def _read_as(rdata: Rdata, record_type: str, zone: str | None, found: Findings) -> str:
    """Name what a target without a final dot will be read as."""
    completed = []
    for target in target_names(rdata, record_type):
        written = target.to_text()
        if target.is_absolute() or written == "@" or is_address(written):
            continue
        full = names.absolute(written.lower(), zone or "ZONE")
        completed.append(full)
        if "." in written:
            found.errors.append(
                f'relative-target: the target has no final dot: "{written.lower()}." for the host '
                f'of that name, "{full}" for a name in this zone'
            )
    return ", ".join(completed)


def _refuse_line_breaks(index: int, record: Record) -> None:
    for key in ("value", "comment"):
        text = str(record.get(key, ""))
        if re.search(r"[\x00-\x1f\x7f-\x9f]", text):
            raise BadArgument(f"records[{index}].{key}", "must be one line, no control characters")


def _refuse_ambiguous(value: str) -> None:
    """Refuse what a zone-file reader would drop, join or take as something else."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|\\.', "", value)
    if ";" in bare:
        raise ValueError("holds a ; outside quotes, which begins a comment: what follows is lost")
    if "(" in bare or ")" in bare:
        raise ValueError("holds a bracket outside quotes")
    if re.match(r"\\#", value):
        raise ValueError(r"the generic form \# is not taken; write it in the type's own form")


def _find_duplicates(keys: Sequence[str], found: Findings) -> None:
    first: dict[str, int] = {}
    for index, key in enumerate(keys):
        if key in first:
            found.errors.append(f"records[{index}] is the same as records[{first[key]}]")
        first.setdefault(key, index)


def _judge(
    argument: str, record_type: str, found: Findings, mode: str, warnings: list[str]
) -> None:
    if found.errors and mode == "strict":
        raise BadArgument(argument, f"{record_type}: {found.errors[0]}")
    warnings += [f"invalid-value: {argument}: {record_type}: {error}" for error in found.errors]
    warnings += found.warnings


def _words(value: str) -> list[str]:
    return value.split()


def _sent(record: Record, value: str) -> dict[str, str]:
    comment = record.get("comment")
    return {"value": value} if comment is None else {"value": value, "comment": comment}
