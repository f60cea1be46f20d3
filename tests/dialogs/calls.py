"""Each call that asks, of every server, before its stand-in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import mcp_types as types
from mcp.client.session import ElicitationFnT
from mcp.server import Server

from scripts.definitions import DEFINITIONS
from tests.backends.gateway import in_front_of
from tests.backends.smtp import SmtpBackend
from tests.hetzner_dns.test_personas import NARROWED as HETZNER_CALLS
from tests.outcomes.sites import SITES
from tests.smtp.support import EVENT, MAIL, SENDING, Desk
from tests.support.clients import Arguments, Result, call, connect
from tests.woodpecker.calls import GUARDED as WOODPECKER_CALLS

Edit = Callable[[bytes], bytes]
Writes = Callable[[], list[str]]


@dataclass(frozen=True)
class Asking:
    """A call that asks.

    Attributes:
        server: The server's name.
        tool: The tool.
        arguments: Its arguments.
        reason: Why it asks, where a tool has several reasons.
    """

    server: str
    tool: str
    arguments: Arguments
    reason: str

    def __str__(self) -> str:
        return f"{self.server} {self.reason}"


FILE, IMAGE = "notes.txt", "logo.png"
ALL_PARTS: Arguments = {
    **MAIL,
    "cc": ["boss@other.test"],
    "html": '<p>Hello, <a href="https://example.test/a">https://example.test/b</a></p>'
    '<img src="cid:logo"><p style="display:none">hidden</p>',
    "attachments": [FILE],
    "inline_images": {"logo": IMAGE},
}
WITH_BUTTONS: Arguments = {
    **SITES["ntfy-mcp"].calls["update_message"],
    "actions": [
        {"action": "http", "label": "Do", "url": "https://h.example", "headers": {"X-A": "1"}},
        {"action": "view", "label": "See", "url": "https://v.example"},
    ],
}

_REASONS: dict[str, list[tuple[str, str, Arguments]]] = {
    "woodpecker-ci-mcp": [(one.name, one.tool, one.arguments) for one in WOODPECKER_CALLS],
    "hetzner-dns-mcp": [(reason, *made) for reason, made in HETZNER_CALLS.items()],
    "smtp-mcp": [
        *((tool, tool, arguments) for tool, arguments in SENDING.items()),
        ("send_mail with all parts", "send_mail", ALL_PARTS),
        ("send_mail with an event", "send_mail", {**MAIL, "event": EVENT}),
    ],
    "ntfy-mcp": [
        *(
            (tool.name, tool.name, SITES["ntfy-mcp"].calls[tool.name])
            for tool in SITES["ntfy-mcp"].definition.registry()
            if tool.asks
        ),
        ("update_message with buttons", "update_message", WITH_BUTTONS),
    ],
}

ASKING = [
    Asking(definition.name, tool, arguments, reason)
    for definition in DEFINITIONS
    for reason, tool, arguments in _REASONS[definition.name]
]


@asynccontextmanager
async def served(
    name: str, edit: Edit | None = None, wait: float = 10.0
) -> AsyncIterator[tuple[Server[object], Writes]]:
    """Run a server before its stand-in, and tell what that was made to write.

    Args:
        name: Its name.
        edit: Changes each answer of the service, where that speaks HTTP.
        wait: Seconds that a question waits.
    """
    if name == "smtp-mcp":
        with TemporaryDirectory() as folder:
            async with SmtpBackend() as backend:
                desk = Desk(backend, Path(folder))
                desk.put(FILE, b"notes")
                desk.put(IMAGE, b"\x89PNG\r\n\x1a\n" + bytes(20))
                server = desk.server(wait, SMTP_MAX_SENDS_PER_HOUR="1000")
                yield server, lambda: ["a mail" for _ in backend.messages]
        return
    with SITES[name].stand_in() as stand_in:

        def writes() -> list[str]:
            return [one.method for one in stand_in.requests if one.method not in {"GET", "HEAD"}]

        if edit is None:
            yield SITES[name].server(stand_in.url, wait), writes
            return
        async with in_front_of(stand_in.url) as gateway:
            gateway.edit = edit
            yield SITES[name].server(gateway.url, wait), writes


@asynccontextmanager
async def asking_client(
    server: Server[object],
) -> AsyncIterator[Callable[[str, Arguments], Awaitable[tuple[list[str], Result]]]]:
    """Connect a person who says no; a call gives what was asked, and its result."""
    asked: list[str] = []

    async def answer(_context: object, params: object) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        asked.append(params.message)
        return types.ElicitResult(action="decline")

    async with connect(server, "2025-11-25", cast("ElicitationFnT", answer)) as client:

        async def make(tool: str, arguments: Arguments) -> tuple[list[str], Result]:
            asked.clear()
            result = await call(client, tool, arguments)
            return [*asked], result

        yield make
