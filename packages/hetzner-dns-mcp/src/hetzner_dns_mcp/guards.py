"""Which record decides who answers for a name.

Adding such a record takes nothing away and yet redirects mail, traffic, a whole branch
of the zone or the right to issue certificates. `_acme-challenge` TXT passes as an
outcome of the rule: TXT is not among the types, and that name is neither apex nor
wildcard.
"""

from __future__ import annotations

from collections.abc import Iterable

TYPES = (
    *("A", "AAAA", "CAA", "CNAME", "DS", "HINFO", "HTTPS", "MX"),
    *("NS", "PTR", "RP", "SOA", "SRV", "SVCB", "TLSA", "TXT"),
)
"""The record types of the API."""

DECIDING_TYPES = ("CAA", "CNAME", "DS", "HTTPS", "MX", "NS", "SRV", "SVCB", "TLSA")
"""HTTPS is a variety of SVCB (RFC 9460) and redirects like it."""

WHEN = f"when the type is {', '.join(DECIDING_TYPES)}, the name is @, or it holds a *"
"""The rule in words, for the descriptions of the tools."""

ZONE_CONTENT = "create_zone_content"
"""Entry of HETZNER_ASK_ALSO that makes `create_zone` ask about what it brings along."""


def decides_who_answers(name: str, record_type: str, also: Iterable[str] = ()) -> bool:
    """Tell whether adding a record needs a person.

    Args:
        name: Name of the record set in normal form.
        record_type: Its type.
        also: The operator's further triggers: a type, a name, or a prefix with `*`.
    """
    if record_type in DECIDING_TYPES or name == "@" or "*" in name:
        return True
    return any(_hits(trigger, name, record_type) for trigger in also)


def hits_challenge(trigger: str) -> bool:
    """Tell whether a trigger asks about ACME challenges too, which come unattended."""
    return _hits(trigger, "_acme-challenge", "TXT")


def _hits(trigger: str, name: str, record_type: str) -> bool:
    if trigger.endswith("*"):
        return name.startswith(trigger[:-1])
    return trigger in {name, record_type}
