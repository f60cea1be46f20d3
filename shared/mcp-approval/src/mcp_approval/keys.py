"""What an approval is bound to.

A target key is a keyed digest of canonical JSON. It is keyed because it travels through
the client inside a state that is signed but readable: a plain hash of a short secret
could be guessed there.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from mcp_approval.typing import JSONValue

# Changes with the form of what is bound.
_VERSION = 1
_KEY_DOMAIN = b"mcp-approval/target\x00"
_BODY_DOMAIN = b"mcp-approval/body\x00"
_BASE_DOMAIN = b"mcp-approval/base\x00"
_FACT_DOMAIN = b"mcp-approval/fact\x00"
_LOG_DOMAIN = b"mcp-approval/log\x00"
# 48 bits: enough to find a target's lines again, too few to be an answer.
_LOG_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Target:
    """What one approval allows, and nothing beside it.

    Attributes:
        tool: Name of the tool.
        kind: Whether the parts are positions or the members of a set.
        parts: Role and value of each position, or the members.
        body: The request body, where the call decides more than its object.
        facts: What the question quotes about the present state; `None` values
            stand for "unknown".
    """

    tool: str
    kind: Literal["ordered", "set"]
    parts: tuple[JSONValue, ...]
    body: JSONValue = None
    facts: Mapping[str, JSONValue] = field(default_factory=dict)

    @classmethod
    def ordered(
        cls,
        tool: str,
        *parts: tuple[str, JSONValue],
        body: JSONValue = None,
        facts: Mapping[str, JSONValue] | None = None,
    ) -> Target:
        """Bind positions: each part carries its role, and the order counts."""
        roles: tuple[JSONValue, ...] = tuple([role, value] for role, value in parts)
        return cls(tool, "ordered", roles, body, facts or {})

    @classmethod
    def members(
        cls,
        tool: str,
        parts: Sequence[JSONValue],
        *,
        body: JSONValue = None,
        facts: Mapping[str, JSONValue] | None = None,
    ) -> Target:
        """Bind the exact members of a set, in whatever order they come."""
        return cls(tool, "set", tuple(parts), body, facts or {})


def canonical(value: JSONValue) -> str:
    """Encode a value so that equal text means equal value, types included.

    Raises:
        ValueError: The value holds a number that JSON cannot carry.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False
    )


def target_key(process_key: bytes, server: str, target: Target) -> bytes:
    """Compute the 32 byte key of a target under the key of this process."""
    parts = [canonical(part) for part in target.parts]
    if target.kind == "set":
        parts = sorted(set(parts))
    body = _digest(process_key, _BODY_DOMAIN, _encoded(target.body)).hex()
    content: JSONValue = [
        _VERSION,
        server,
        target.tool,
        target.kind,
        [*parts],
        body,
        dict(target.facts),
    ]
    return _digest(process_key, _KEY_DOMAIN, _encoded(content))


class TargetKeys(NamedTuple):
    """What a question is filed under.

    Attributes:
        full: The key of the target, facts included; this is what an answer is bound to.
        base: The key of the same call without its facts.
        facts: A digest of each fact by its name.
    """

    full: bytes
    base: bytes
    facts: Mapping[str, bytes]

    def changed(self, earlier: Mapping[str, bytes]) -> tuple[str, ...]:
        """Names of the facts that are not what they were."""
        names = dict.fromkeys((*self.facts, *earlier))
        return tuple(name for name in names if self.facts.get(name) != earlier.get(name))


def target_keys(process_key: bytes, server: str, target: Target) -> TargetKeys:
    """Compute all keys of a target under the key of this process."""
    return TargetKeys(
        full=target_key(process_key, server, target),
        base=_digest(
            process_key, _BASE_DOMAIN, target_key(process_key, server, replace(target, facts={}))
        ),
        facts={
            name: _digest(process_key, _FACT_DOMAIN, _encoded([name, value]))
            for name, value in target.facts.items()
        },
    )


def log_digest(process_key: bytes, key: bytes) -> str:
    """Shorten a target key to the digits that a log line carries."""
    return _digest(process_key, _LOG_DOMAIN, key).hex()[:_LOG_DIGITS]


def _encoded(value: JSONValue) -> bytes:
    # Two halves of a pair are not the character they look like when escaped.
    return canonical(value).encode("utf-8", "surrogatepass")


def _digest(process_key: bytes, domain: bytes, content: bytes) -> bytes:
    return hmac.new(process_key, domain + content, hashlib.sha256).digest()
