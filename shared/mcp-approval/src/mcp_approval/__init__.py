"""Ask a person before a tool call does what cannot be undone.

The package knows the Model Context Protocol and nothing else: no HTTP, no settings
file, no server. Everything but `mcp_approval.mcp_adapter` is standard library, so a
server can describe its questions without loading the SDK.
"""

from mcp_approval.approver import Approver, CallApproval
from mcp_approval.client import Answer, AskingClient, Way
from mcp_approval.ended import (
    AlreadyBeingAsked,
    Asked,
    CallEnded,
    FactsKeptChanging,
    NotApproved,
    TokenNeeded,
    TokenRefused,
)
from mcp_approval.keys import Target
from mcp_approval.question import (
    Detail,
    Limits,
    Question,
    TooMuchToShowError,
    UnsafeIdentifierError,
    checked,
    listed,
)
from mcp_approval.switch import parse_elicitation, start_line
from mcp_approval.text import clean_line, is_invisible
from mcp_approval.verdict import Approval, Ask, Reservation, Verdict

__all__ = [
    "AlreadyBeingAsked",
    "Answer",
    "Approval",
    "Approver",
    "Ask",
    "Asked",
    "AskingClient",
    "CallApproval",
    "CallEnded",
    "Detail",
    "FactsKeptChanging",
    "Limits",
    "NotApproved",
    "Question",
    "Reservation",
    "Target",
    "TokenNeeded",
    "TokenRefused",
    "TooMuchToShowError",
    "UnsafeIdentifierError",
    "Verdict",
    "Way",
    "checked",
    "clean_line",
    "is_invisible",
    "listed",
    "parse_elicitation",
    "start_line",
]
