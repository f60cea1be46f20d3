"""What the tests of this server share: a desk with its clock in hand, and people."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from mcp.server import Server

from mcp_serverkit.runtime.cli import main
from smtp_mcp.api.envelope import DEFAULT_TIMEOUTS, DeliveryTimeouts
from smtp_mcp.app import Smtp, build
from smtp_mcp.definition import SMTP
from tests.backends.smtp import SmtpBackend
from tests.support.clients import Arguments, Era, Result, call, connect, text
from tests.support.person import Person
from tests.support.servers import serve, values_of
from tests.support.time import FakeClock

MODERN: Era = "2026-07-28"
LEGACY: Era = "2025-11-25"

FROM = "Ada Ember <ada@sender.test>"
ALLOWED = "@example.test,boss@other.test"
MAIL: dict[str, object] = {"to": ["anna@example.test"], "subject": "Figures", "body": "Hello"}
REPLY: dict[str, object] = {
    "to": ["anna@example.test"],
    "original_subject": "Plan",
    "in_reply_to": "<p1@example.test>",
    "body": "Yes",
}
FORWARD: dict[str, object] = {
    "to": ["anna@example.test"],
    "original_subject": "Plan",
    "body": "See below",
    "quote": "the plan",
}
EVENT: dict[str, object] = {
    "start": "2026-12-01T09:00",
    "end": "2026-12-01T10:00",
    "timezone": "Europe/Berlin",
    "location": "Room 5",
}
SENDING = {"send_mail": MAIL, "reply_mail": REPLY, "forward_mail": FORWARD}


def environment(port: int = 1, /, **changes: str) -> dict[str, str]:
    """Settings of a server that may send, changed where a test says so; "" unsets."""
    given = {
        "SMTP_HOST": "127.0.0.1",
        "SMTP_PORT": str(port),
        "SMTP_TLS": "none",
        "SMTP_USER": "tester",
        "SMTP_PASSWORD": "pass word ü",
        "SMTP_FROM": FROM,
        "SMTP_ALLOW_SEND": "true",
        "SMTP_ALLOWED_RECIPIENTS": ALLOWED,
        **changes,
    }
    return {name: value for name, value in given.items() if value}


def run(
    environ: Mapping[str, str], capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    """Run the command; return its exit code and what it said on stdout and stderr."""
    code = main(SMTP, arguments, dict(environ))
    out, err = capsys.readouterr()
    return code, out, err


@dataclass
class Desk:
    """A server behind a stand-in, its parts in a test's hand."""

    backend: SmtpBackend
    folder: Path
    clock: FakeClock = field(default_factory=FakeClock)
    decisions: list[str] = field(default_factory=list)
    timeouts: DeliveryTimeouts = DEFAULT_TIMEOUTS
    app: Smtp | None = None

    def server(self, wait: float = 10.0, /, **changes: str) -> Server[object]:
        """Build a server."""
        changes = {"SMTP_ATTACHMENT_DIR": str(self.folder), **changes}
        values = values_of(SMTP, environment(self.backend.port, **changes))
        self.app = build(
            values, SMTP.select(values).names, clock=self.clock, timeouts=self.timeouts
        )
        return serve(
            SMTP,
            values,
            app=self.app,
            clock=self.clock,
            wait_seconds=wait,
            log=self.decisions.append,
        )

    def put(self, name: str, content: bytes) -> Path:
        """Put a file into the attachment directory."""
        path = self.folder / name
        path.write_bytes(content)
        return path

    @property
    def remaining(self) -> int:
        """Questions left in this hour."""
        assert self.app is not None
        return self.app.outbox.limit.remaining

    async def ask(
        self,
        tool: str,
        arguments: Arguments,
        person: Person | None = None,
        era: Era = MODERN,
        /,
        **changes: str,
    ) -> Result:
        """Make one call to a new server, with somebody at the client."""
        return await self.ask_at(self.server(**changes), tool, arguments, person, era)

    async def ask_at(
        self,
        server: Server[object],
        tool: str,
        arguments: Arguments,
        person: Person | None = None,
        era: Era = MODERN,
    ) -> Result:
        """Make one call, with somebody at the client."""
        async with connect(server, era, person or Person()) as client:
            return await call(client, tool, arguments)


async def probed(backend: SmtpBackend, folder: Path, **changes: str) -> Result:
    """Call test_connection once."""
    desk = Desk(backend, folder)
    async with connect(desk.server(**changes), LEGACY) as client:
        result = await call(client, "test_connection")
    assert "pass word" not in text(result)
    return result


def audit_lines(err: str) -> list[dict[str, object]]:
    """Parse the audit lines of a stderr."""
    return [parse_audit(line) for line in err.splitlines() if line.startswith("smtp-mcp: audit ")]


def parse_audit(line: str) -> dict[str, object]:
    """Take one audit line apart, field by field."""
    rest = line.removeprefix("smtp-mcp: audit ")
    fields: dict[str, object] = {}
    decoder = json.JSONDecoder()
    while rest:
        found = re.match(r"([a-z_]+)=", rest)
        assert found is not None, rest
        assert found[1] not in fields, f"{found[1]} appears twice"
        value, end = decoder.raw_decode(rest, found.end())
        fields[found[1]] = value
        rest = rest[end:].removeprefix(" ")
    return fields


def header_lines(raw: bytes) -> list[str]:
    """The unfolded header lines of a message."""
    head = raw.partition(b"\r\n\r\n")[0].decode("utf-8")
    return re.sub(r"\r\n(?=[ \t])", "", head).split("\r\n")
