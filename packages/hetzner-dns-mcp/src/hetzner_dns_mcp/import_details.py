"""The lines of the question about a zone file: all that changes, and nothing that stays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from hetzner_dns_mcp import names
from hetzner_dns_mcp.details import detail
from hetzner_dns_mcp.records.types import DECIDING_TYPES
from hetzner_dns_mcp.zonefile.content import Objection, Records, SetKey, UnreadableZoneError
from hetzner_dns_mcp.zonefile.difference import Change, Difference
from mcp_approval.question import Detail, joined
from mcp_approval.wording import counted

WARNING_LINES = 20
"""Warnings that an import's question tells one by one; so the changes have room."""

NAMES_CHARS = 1_000
"""Characters of one line of names: as much as a line of a dialog holds."""


def decides(key: SetKey) -> bool:
    """Tell whether a set is shown with its values in any case."""
    return key.type in DECIDING_TYPES or key.name == "@" or "*" in key.name


def everything(_key: SetKey) -> bool:
    """Show all sets with their values."""
    return True


def change_lines(
    difference: Difference, with_values: Callable[[SetKey], bool] = everything
) -> tuple[Detail, ...]:
    """Show every set that is new or changed, one line a value.

    Args:
        difference: What changes.
        with_values: Which sets are shown with their values; of the others the names.
    """
    unusual = _unusual_names(difference.changes)
    lines = [detail(f"unusual name {number}", name) for name, number in unusual.items()]
    bare: list[SetKey] = []
    for change in difference.changes:
        if change.after is None:
            continue
        if with_values(change.key) or change.key.name in unusual:
            lines.append(_set_lines(change, _label(change.key, unusual), difference))
        else:
            bare.append(change.key)
    lines.append(_name_lines(bare))
    if difference.new_zone_ttl:
        old, new = difference.zone_ttl
        lines.append([Detail(_zone_ttl_label(old, difference.following), str(new))])
    return tuple(line for group in lines for line in group)


def gone_words(difference: Difference) -> str:
    """Name the sets that go, with type and count; never their values."""
    usual: list[str] = []
    unusual: Counter[str] = Counter()
    for change in difference.changes:
        if change.before is None or change.after is not None:
            continue
        if re.fullmatch(names.NAME, change.key.name):
            count = len(change.before.values)
            usual.append(f"{'/'.join(change.key)} ({count} record{'s' * (count != 1)})")
        else:
            unusual[change.key.type] += 1
    said = [*usual, *(f"{count} {kind} at an unusual name" for kind, count in unusual.items())]
    return f" Gone: {joined(said)}." if said else ""


def warning_lines(warnings: Sequence[Objection]) -> list[Detail]:
    """Tell the weightiest warnings, and how many there are beside them.

    The same of many sets of a type that does not decide is one line with their number.
    """
    alike: dict[tuple[str, ...], list[Objection]] = {}
    for warning in warnings:
        single = warning.key is None or decides(warning.key)
        kind = "" if warning.key is None else warning.key.type
        group = (warning.placed,) if single else (warning.id, kind, warning.words)
        alike.setdefault(group, []).append(warning)
    said = [_told(group) for group in alike.values()]
    lines = [Detail("warning", text) for text in said[:WARNING_LINES]]
    rest = len(said) - WARNING_LINES
    if rest > 0:
        lines.append(Detail("further warnings", str(rest)))
    return lines


def _told(group: Sequence[Objection]) -> str:
    first = group[0]
    if len(group) == 1 or first.key is None:
        return first.placed
    return f"{first.id}: {first.key.type} at {len(group)} names: {first.words}"


def file_lines(text: str, reason: UnreadableZoneError | None) -> tuple[Detail, ...]:
    """Show a file that cannot be read here: every line that is not blank."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    said = [] if reason is None else detail("reason", str(reason))
    for number, line in enumerate(lines, 1):
        if line.strip("\ufeff \t"):
            said += detail(f"line {number}", line)
    return tuple(said)


def _set_lines(change: Change, label: str, difference: Difference) -> list[Detail]:
    after, before = change.after, change.before
    assert after is not None  # noqa: S101 (sets that go have no lines)
    comments = dict(change.comments)
    lines = []
    going = len(change.going)
    for index, (record, text) in enumerate(after.values.items()):
        mark = _mark(record, before, difference)
        if index == 0 and going and before is not None:
            verb = "goes" if going == 1 else "go"
            mark += f", {going} of {len(before.values)} {verb}"
        lines += detail(f"{label} ({mark})", text)
        if record in comments:
            lines += detail(f"{label} comment", comments[record])
    if before is None:
        if after.ttl is not None:
            lines.append(Detail(f"{label} TTL", str(after.ttl)))
    elif before.ttl != after.ttl:
        lines.append(Detail(f"{label} TTL (was {_ttl(before.ttl)})", _ttl(after.ttl)))
    return lines


def _mark(record: str, before: Records | None, difference: Difference) -> str:
    if difference.sets is None:
        return "present state unknown"
    if before is None:
        return "new set"
    return "stays" if record in before.values else "new"


def _ttl(ttl: int | None) -> str:
    return "zone" if ttl is None else str(ttl)


def _zone_ttl_label(old: int | None, following: int) -> str:
    was = "unknown" if old is None else str(old)
    sets = "1 set follows" if following == 1 else f"{following} sets follow"
    return f"zone TTL (was {was}, {sets} it)"


def _unusual_names(changes: Sequence[Change]) -> dict[str, int]:
    found: dict[str, int] = {}
    for change in changes:
        name = change.key.name
        if change.after is not None and not re.fullmatch(names.NAME, name):
            found.setdefault(name, len(found) + 1)
    return found


def _label(key: SetKey, unusual: Mapping[str, int]) -> str:
    number = unusual.get(key.name)
    return "/".join(key) if number is None else f"unusual name {number}/{key.type}"


def _name_lines(keys: Sequence[SetKey]) -> list[Detail]:
    """Name sets by type, without values, in lines that a dialog holds."""
    by_type: dict[str, list[str]] = {}
    for key in keys:
        by_type.setdefault(key.type, []).append(key.name)
    lines = []
    for kind, owners in sorted(by_type.items()):
        sets = counted(len(owners), "set")
        for index, line in enumerate(_joined_lines(owners)):
            more = " (continued)" if index else ""
            lines.append(Detail(f"{kind}, {sets}, values not shown{more}", line))
    return lines


def _joined_lines(owners: Sequence[str]) -> Iterator[str]:
    line = ""
    for owner in owners:
        if line and len(line) + len(owner) + 2 > NAMES_CHARS:
            yield line
            line = owner
        else:
            line = f"{line}, {owner}" if line else owner
    if line:
        yield line
