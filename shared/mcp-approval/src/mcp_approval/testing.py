"""For the tests of a server's author; nothing else imports this module."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol, cast
from unittest.mock import patch

from mcp_approval.approver import Approver
from mcp_approval.asking_client import Answer, Prompt, Way
from mcp_approval.decorator import is_guarded
from mcp_approval.for_server import ServerApprover
from mcp_approval.frameworks import NamedServer, framework_of
from mcp_approval.in_flight import OpenQuestion

Reply = Literal["yes", "no", "silent"]

_ANSWERS = {
    "yes": Answer("accept", ticked=True),
    "no": Answer("decline"),
    "silent": Answer("timeout"),
}


class _Listed(Protocol):
    name: str


class _Lists(Protocol):
    async def list_tools(self) -> Sequence[_Listed]: ...


async def unguarded(server: NamedServer) -> list[str]:
    """Name the tools of a server that run without asking anybody.

    Args:
        server: An `MCPServer` or a `FastMCP`.

    Raises:
        TypeError: It is neither.
    """
    framework = framework_of(server)
    listed = await cast("_Lists", server).list_tools()
    behind = {tool.name: framework.function(tool) for tool in listed}
    return [name for name, function in behind.items() if not _guarded(function)]


def _guarded(function: Callable[..., object] | None) -> bool:
    return function is not None and is_guarded(function)


@dataclass
class _Person:
    """Sits where a client would, and always says the same.

    Attributes:
        reply: What.
        shown: The texts that were shown.
    """

    reply: Reply
    shown: list[str]
    name: str = "a test"
    version: str = ""
    protocol: str = ""
    way: Way = "push"
    answer: Answer | None = None
    state: str | None = None

    async def push(
        self,
        prompt: Prompt,
        wait_seconds: float,  # noqa: ARG002 (nobody waits)
        question: OpenQuestion,  # noqa: ARG002
    ) -> Answer:
        """Take note of a question and answer it."""
        self.shown.append(prompt.message)
        return _ANSWERS[self.reply]

    async def waiting(self, said: str) -> None:
        """Nobody is told how long it takes."""


@contextmanager
def scripted(approver: Approver, reply: Reply) -> Iterator[list[str]]:
    """Answer every question without a client; guarded tools can be called like any function.

    Args:
        approver: From `approver_for`.
        reply: What is answered; `silent` is nothing, until the time is up.

    Yields:
        The texts that were shown, as they come.

    Raises:
        TypeError: The approver is another one.
    """
    if not isinstance(approver, ServerApprover):
        raise TypeError("the first argument of scripted comes from approver_for")
    shown: list[str] = []
    here = {name: value for name, value in approver.settings.items() if name != "approval_reach"}
    person = _Person(reply, shown)
    with patch.multiple(approver, dialog=True, settings=here, stand_in=person):
        yield shown
