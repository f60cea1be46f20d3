"""What works and is yet most likely a mistake. Each finding begins with a stable word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hetzner_dns_mcp.records.txt import strings_of
from hetzner_dns_mcp.records.type_rules import TARGETS

# Below two minutes resolvers ask all the time, which is meant for the hours of a move only.
TTL_UNUSUALLY_LOW = 120
# Above a day a mistake outlives the day on which it is noticed.
TTL_UNUSUALLY_HIGH = 86_400


def lint_set(
    record_type: str,
    name: str,
    values: Sequence[str],
    ttl: int | None,
    zone: str | None = None,
) -> list[str]:
    """Look over the values of one set.

    Args:
        record_type: Its type.
        name: Its name, relative to the zone.
        values: Its values.
        ttl: Its TTL; `None` where it follows the zone's.
        zone: Name of the zone, where that is known.
    """
    found = _lint_ttl(ttl)
    if record_type in {"A", "AAAA", "MX", "NS"} and _has_underscore(record_type, name, values):
        found.append("underscore-host: a host name holds no underscore")
    if record_type == "TXT":
        found += _lint_texts(name, values, zone)
    return list(dict.fromkeys(found))


def _lint_ttl(ttl: int | None) -> list[str]:
    if ttl is not None and ttl < TTL_UNUSUALLY_LOW:
        return [f"ttl-very-low: below {TTL_UNUSUALLY_LOW} seconds"]
    if ttl is not None and ttl > TTL_UNUSUALLY_HIGH:
        return [f"ttl-very-high: a mistake stays in caches for {ttl // 3600} hours"]
    return []


def _has_underscore(record_type: str, name: str, values: Sequence[str]) -> bool:
    if record_type in {"A", "AAAA"}:
        return "_" in name
    words = (value.split() for value in values)
    return any("_" in line[index] for line in words for index in TARGETS[record_type] if line)


def _lint_texts(name: str, values: Sequence[str], zone: str | None) -> Iterator[str]:
    # Only what writes or judges a TXT needs the grammars.
    from hetzner_dns_mcp import names
    from hetzner_dns_mcp.records.spf import is_policy, lint_spf
    from hetzner_dns_mcp.records.tag_lists import lint_dkim, lint_dmarc

    owner = None if zone is None else names.absolute(name, zone).removesuffix(".")
    read = [strings for value in values if (strings := _strings(value))]
    if sum(is_policy("".join(strings)) for strings in read) > 1:
        yield "spf-multiple: more than one SPF policy at a name is an error to receivers"
    for strings in read:
        text = "".join(strings)
        yield from lint_spf(text, strings, owner)
        yield from lint_dmarc(name, text)
        yield from lint_dkim(name, text)
        if re.search(r'\\[;", ]', text):
            yield "txt-backslash: a backslash will be published; plain text needs no escapes"


def _strings(value: str) -> list[str]:
    try:
        return [string.decode("latin-1") for string in strings_of(value)]
    except ValueError:
        return []
