"""Ask a person before a tool call does what cannot be undone.

What is named here is for servers of any author, made with the SDK's `MCPServer` or with
FastMCP 4. Names are loaded when they are first used; only `approver_for` and
`requires_approval` load the SDK.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_approval.decorator import requires_approval
    from mcp_approval.for_server import approver_for
    from mcp_approval.keys import Target
    from mcp_approval.limits import Limits
    from mcp_approval.question import (
        Detail,
        Question,
        TooMuchToShowError,
        UnsafeIdentifierError,
        checked,
        joined,
        listed,
        one_of,
    )
    from mcp_approval.verdict import Ask

_HOMES = {
    "decorator": ("requires_approval",),
    "for_server": ("approver_for",),
    "keys": ("Target",),
    "limits": ("Limits",),
    "question": (
        "Detail",
        "Question",
        "TooMuchToShowError",
        "UnsafeIdentifierError",
        "checked",
        "joined",
        "listed",
        "one_of",
    ),
    "verdict": ("Ask",),
}

__all__ = [
    "Ask",
    "Detail",
    "Limits",
    "Question",
    "Target",
    "TooMuchToShowError",
    "UnsafeIdentifierError",
    "approver_for",
    "checked",
    "joined",
    "listed",
    "one_of",
    "requires_approval",
]


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"mcp_approval.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
