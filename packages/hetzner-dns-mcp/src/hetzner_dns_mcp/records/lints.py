"""What works and is yet most likely a mistake. Each finding begins with a stable word."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence

from hetzner_dns_mcp.records.txt import parse_txt
from hetzner_dns_mcp.records.type_rules import TARGETS

SPF_LOOKUPS = 10
"""DNS look-ups that an SPF record may cost (RFC 7208, 4.6.4)."""

# Below two minutes resolvers ask all the time, which is meant for the hours of a move only.
TTL_UNUSUALLY_LOW = 120
# Above a day a mistake outlives the day on which it is noticed.
TTL_UNUSUALLY_HIGH = 86_400

_LOOKUP = re.compile(r"[+?~-]?(?:include:|exists:|redirect=|(?:a|mx|ptr)(?:[:/]|\Z))")
_DMARC_TAGS = frozenset(
    ["v", "p", "sp", "np", "rua", "ruf", "adkim", "aspf", "fo", "pct", "rf", "ri", "t", "psd"]
)


def lint_set(record_type: str, name: str, values: Sequence[str], ttl: int | None) -> list[str]:
    """Look over the values of one set."""
    found = _lint_ttl(ttl)
    if record_type in {"A", "AAAA", "MX", "NS"} and _has_underscore(record_type, name, values):
        found.append("underscore-host: a host name holds no underscore")
    if record_type == "TXT":
        texts = [text for value in values if (text := _content(value)) is not None]
        found += _lint_spf(texts)
        found += [warning for text in texts for warning in _lint_text(name, text)]
    return found


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


def _content(value: str) -> str | None:
    try:
        return parse_txt(value).decode("utf-8")
    except ValueError:
        return None


def _lint_spf(texts: Sequence[str]) -> list[str]:
    policies = [text for text in texts if re.match(r"v=spf1(?: |\Z)", text, re.IGNORECASE)]
    found = []
    if len(policies) > 1:
        found.append("spf-multiple: more than one SPF policy at a name is an error to receivers")
    for policy in policies:
        terms = [term.lower() for term in policy.split()[1:]]
        ends = [term for term in terms if term.lstrip("+-~?") == "all"]
        if not ends and not any(term.startswith("redirect=") for term in terms):
            found.append("spf-no-all: the policy says nothing about other senders")
        if "+all" in ends or "all" in ends:
            found.append("spf-plus-all: everybody may send as this domain")
        if sum(map(_is_lookup, terms)) > SPF_LOOKUPS:
            found.append(f"spf-too-many-lookups: more than {SPF_LOOKUPS} make the policy void")
    return found


def _is_lookup(term: str) -> bool:
    return _LOOKUP.match(term) is not None


def _lint_text(name: str, text: str) -> list[str]:
    if text.lower().startswith("v=dmarc1"):
        return _lint_dmarc(name, text)
    if "._domainkey" in f".{name}" and "p=" in text:
        return _lint_dkim(text)
    return []


def _lint_dmarc(name: str, text: str) -> list[str]:
    found = []
    if name.split(".")[0] != "_dmarc":
        found.append("dmarc-at-apex: a DMARC policy is read at the name _dmarc only")
    tags = [part.partition("=")[0].strip().lower() for part in text.split(";") if part.strip()]
    if "p" not in tags or not set(tags) <= _DMARC_TAGS:
        found.append("dmarc-bad-tag: a tag is unknown, or p is missing")
    return found


def _lint_dkim(text: str) -> list[str]:
    tags = dict(part.strip().partition("=")[::2] for part in text.split(";"))
    key = re.sub(r"\s", "", tags.get("p", ""))
    try:
        base64.b64decode(key, validate=True)
    except (binascii.Error, ValueError):
        return ["dkim-broken-key: p is not base64"]
    return []
