"""What the operator set about reaching a person, and what a channel is opened with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol

from mcp_approval.typing import Told


class Setting(NamedTuple):
    """What a channel is opened with.

    Attributes:
        values: The parsed variables on approvals.
        server: Which server asks.
        process: This process among others.
        key: The channel's own key.
        log: Takes a line.
        head: The newest head of the record; empty without one.
        clock: Monotonic seconds.
    """

    values: Mapping[str, object]
    server: str
    process: str
    key: bytes
    log: Callable[[str], None]
    head: Callable[[], str]
    clock: Callable[[], float]


class ReachSettings(NamedTuple):
    """How a person is reached.

    Attributes:
        approver: Who is asked, in texts.
        wait_seconds: How long a call waits for the answer.
        expires_seconds: How long a question stays open.
    """

    approver: str = "a person"
    wait_seconds: float = 45.0
    expires_seconds: float = 900.0


class Tell(Protocol):
    """Keeps account of a decision."""

    def __call__(self, decision: str, tool: str, key: bytes, **extra: Told) -> Awaitable[None]:
        """Keep account of one decision."""
