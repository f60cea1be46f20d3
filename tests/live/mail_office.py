"""smtp-mcp in front of a real mail server, and what arrives there."""

from __future__ import annotations

import asyncio
from email import message_from_bytes, policy
from email.message import EmailMessage

from smtp_mcp.app import Smtp, build
from smtp_mcp.definition import SMTP
from tests.live.postfix import Postfix
from tests.smtp.support import MAIL, environment
from tests.support.clients import Arguments, Era, Result, call, connect
from tests.support.person import Person
from tests.support.servers import serve, values_of

ALICE: Arguments = {**MAIL, "to": ["alice@example.test"]}


class MailOffice:
    """smtp-mcp with settings of a test's own, and somebody who agrees at the client."""

    def __init__(self, port: int, **settings: str) -> None:
        self.values = values_of(SMTP, environment(port, **settings))
        self.app: Smtp = build(self.values, SMTP.select(self.values).names)
        self.mcp = serve(SMTP, self.values, app=self.app, log=lambda _line: None)

    async def use(
        self, tool: str, arguments: Arguments, era: Era = "2026-07-28", who: Person | None = None
    ) -> Result:
        """Make one call."""
        async with connect(self.mcp, era, who or Person()) as client:
            return await call(client, tool, arguments)


async def arrived(server: Postfix, name: str, count: int = 1) -> list[bytes]:
    """Wait for messages beside the event loop."""
    return await asyncio.to_thread(server.mailbox, name, count)


def parsed(raw: bytes) -> EmailMessage:
    """Read a message as the standard library does."""
    return message_from_bytes(raw, policy=policy.default)


def as_sent(raw: bytes) -> bytes:
    """Take off what servers and the mailbox put on top, and give line ends back."""
    lines = raw.replace(b"\n", b"\r\n")
    return lines[lines.index(b"From: ") :]
