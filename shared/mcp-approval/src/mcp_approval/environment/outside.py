"""How a person is reached outside the client, as the variables say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

HOW = {"phone": "by phone", "window": "in a window"}

WHEN = {
    "no_dialog": "where the client shows no dialog",
    "instead": "instead of the client's dialog",
    "always": "beside the client's dialog",
}


class Outside(NamedTuple):
    """How a person is reached outside the client.

    Attributes:
        words: The ways, in order.
        when: `no_dialog`, `instead` or `always`.
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
        return f"{server}: approvals {ways}, {WHEN[self.when]}; no two-call token"
