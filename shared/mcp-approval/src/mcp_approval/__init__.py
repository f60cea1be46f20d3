"""Ask a person before a tool call does what cannot be undone.

The package knows the Model Context Protocol and nothing else: no HTTP, no settings
file, no server. Everything but `mcp_approval.mcp_adapter` is standard library, so a
server can describe its questions without loading the SDK. Names are loaded when they
are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_approval.approval import CallApproval
    from mcp_approval.approver import Approver
    from mcp_approval.asking_client import Answer, AskingClient, Prompt, Way
    from mcp_approval.exceptions import (
        AlreadyBeingAsked,
        Asked,
        CallEnded,
        FactsKeptChanging,
        NotApproved,
        Superseded,
        TokenNeeded,
        TokenRefused,
    )
    from mcp_approval.keys import Target
    from mcp_approval.limits import Limits
    from mcp_approval.question import (
        Block,
        Detail,
        Joined,
        Marked,
        Question,
        TooMuchToShowError,
        UnsafeIdentifierError,
        checked,
        joined,
        listed,
        one_of,
        quoted,
    )
    from mcp_approval.switch import parse_elicitation, start_line
    from mcp_approval.verdict import Approval, Ask, Reservation, Verdict

_HOMES = {
    "approval": ("CallApproval",),
    "approver": ("Approver",),
    "asking_client": (
        "Answer",
        "AskingClient",
        "Prompt",
        "Way",
    ),
    "exceptions": (
        "AlreadyBeingAsked",
        "Asked",
        "CallEnded",
        "FactsKeptChanging",
        "NotApproved",
        "Superseded",
        "TokenNeeded",
        "TokenRefused",
    ),
    "keys": ("Target",),
    "limits": ("Limits",),
    "question": (
        "Block",
        "Detail",
        "Joined",
        "Marked",
        "Question",
        "TooMuchToShowError",
        "UnsafeIdentifierError",
        "checked",
        "joined",
        "listed",
        "one_of",
        "quoted",
    ),
    "switch": (
        "parse_elicitation",
        "start_line",
    ),
    "verdict": (
        "Approval",
        "Ask",
        "Reservation",
        "Verdict",
    ),
}

__all__ = [
    "AlreadyBeingAsked",
    "Answer",
    "Approval",
    "Approver",
    "Ask",
    "Asked",
    "AskingClient",
    "Block",
    "CallApproval",
    "CallEnded",
    "Detail",
    "FactsKeptChanging",
    "Joined",
    "Limits",
    "Marked",
    "NotApproved",
    "Prompt",
    "Question",
    "Reservation",
    "Superseded",
    "Target",
    "TokenNeeded",
    "TokenRefused",
    "TooMuchToShowError",
    "UnsafeIdentifierError",
    "Verdict",
    "Way",
    "checked",
    "joined",
    "listed",
    "one_of",
    "parse_elicitation",
    "quoted",
    "start_line",
]


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"mcp_approval.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
