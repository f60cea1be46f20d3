"""How a person is reached outside the client, as the variables say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

HOW = {"phone": "by phone", "window": "in a window"}


class Outside(NamedTuple):
    """How a person is reached outside the client.

    Attributes:
        words: The ways, in order.
        when: `no_dialog` or `instead`.
        approver: Who is asked.
        wait_seconds: How long a call waits.
        expires_seconds: How long a question stays open.
    """

    words: tuple[str, ...]
    when: str
    approver: str
    wait_seconds: int
    expires_seconds: int

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Outside:
        """Take it from parsed values that name a way."""
        return cls(
            cast("tuple[str, ...]", values["approval_reach"]),
            str(values["approval_reach_when"]),
            str(values["approval_approver"]),
            cast("int", values["approval_wait_seconds"]),
            cast("int", values["approval_expires_seconds"]),
        )

    @property
    def how(self) -> str:
        """How a person is asked, in words."""
        return ", then ".join(HOW[word] for word in self.words)

    def start_line(self, server: str) -> str:
        """Say at the start who is asked, and that no token stands in."""
        first, *rest = (HOW[word] for word in self.words)
        ways = ", then ".join([f"{first} ({self.approver})", *rest])
        when = (
            "where the client shows no dialog"
            if self.when == "no_dialog"
            else "instead of the client's dialog"
        )
        return f"{server}: approvals {ways}, {when}; no two-call token"
