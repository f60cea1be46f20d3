"""What the approval of one call needs of the one approver of its process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mcp_approval.in_flight import InFlight, Timeouts
from mcp_approval.keys import TargetKeys
from mcp_approval.limits import Limits
from mcp_approval.seal import Seal
from mcp_approval.tokens import TokenStore
from mcp_approval.verdict import Ask


class ApproverState(Protocol):
    """Settings and stores that all calls share."""

    @property
    def server(self) -> str:
        """Name used in texts and log lines."""

    @property
    def dialog(self) -> bool:
        """Whether dialogs are on."""

    @property
    def nothing(self) -> str:
        """The sentence for "it did not happen"."""

    @property
    def after_no(self) -> str:
        """What an answer that is no yes costs."""

    @property
    def instance(self) -> str:
        """Where the call acts."""

    @property
    def limits(self) -> Limits:
        """How much a dialog may hold."""

    @property
    def wait_seconds(self) -> float:
        """How long a pushed question waits."""

    @property
    def seal(self) -> Seal:
        """States that wait for an answer."""

    @property
    def tokens(self) -> TokenStore:
        """Tokens that wait for their second call."""

    @property
    def in_flight(self) -> InFlight:
        """What is being asked about or carried out."""

    @property
    def timeouts(self) -> Timeouts:
        """Questions that nobody answered in time."""

    @property
    def yield_seconds(self) -> float:
        """How long the oldest open question is left alone."""

    @property
    def clock(self) -> Callable[[], float]:
        """Monotonic seconds."""

    def keys(self, ask: Ask) -> TargetKeys:
        """Compute what a question is filed under."""

    def record(self, decision: str, tool: str, key: bytes, **extra: str) -> None:
        """Write one line about a decision."""
