"""Which record decides who answers for a name.

Adding such a record takes nothing away and yet redirects mail, traffic, a whole branch
of the zone or the right to issue certificates. `_acme-challenge` TXT passes as an
outcome of the rule: TXT is not among the types, and that name is neither apex nor
wildcard.
"""

from __future__ import annotations

from collections.abc import Iterable

from hetzner_dns_mcp.records.types import DECIDING_TYPES
from hetzner_dns_mcp.settings import trigger_hits

WHEN = f"when the type is {', '.join(DECIDING_TYPES)}, the name is @, or it holds a *"
"""The rule in words, for the descriptions of the tools."""


def decides_who_answers(name: str, record_type: str, also: Iterable[str] = ()) -> bool:
    """Tell whether adding a record needs a person.

    Args:
        name: Name of the record set in normal form.
        record_type: Its type.
        also: The operator's further triggers: a type, a name, or a prefix with `*`.
    """
    if record_type in DECIDING_TYPES or name == "@" or "*" in name:
        return True
    return any(trigger_hits(trigger, name, record_type) for trigger in also)
