"""One connection of the stand-in."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import logins
from .faults import DROP, HANG, Step

if TYPE_CHECKING:
    from .backend import SmtpBackend

_MAILBOX = re.compile(r"<([^<>\s]*@[^<>\s]+)>((?: \S+)*)")
_LINE_BYTES = 1_000


@dataclass
class Conversation:
    """What one connection showed.

    Attributes:
        names: Names of its EHLO commands.
        quit: Whether QUIT came before its end.
    """

    names: list[str] = field(default_factory=list)
    quit: bool = False


class Session:
    """Speaks SMTP: order of commands, login and size are enforced as real servers do."""

    def __init__(
        self, backend: SmtpBackend, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.backend = backend
        self.reader = reader
        self.writer = writer
        self.encrypted = backend.implicit
        self.greeted = False
        self.logged_in = backend.login is None and not backend.token
        self.sender: str | None = None
        self.options: tuple[str, ...] = ()
        self.recipients: list[str] = []
        self.record = Conversation()
        backend.conversations.append(self.record)

    async def run(self) -> None:
        """Serve until the client leaves or a fault ends it."""
        await self.say("BANNER", "220 mx.test ESMTP stand-in")
        while True:
            line = await self.reader.readline()
            if not line.endswith(b"\n"):
                return
            text = line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
            self.backend.commands.append(text)
            self.backend.spoken_to.set()
            if not line.endswith(b"\r\n"):
                await self.reply("500 5.5.2 bare LF")
            elif not await self._obey(text):
                return

    async def reply(self, line: str) -> None:
        """Send a reply as it is."""
        self.writer.write(line.encode("utf-8", "surrogateescape") + b"\r\n")
        await self.writer.drain()

    async def say(self, step: Step, line: str) -> bool:
        """Reply, unless a fault is scripted here; tell whether the honest reply was given."""
        fault = self.backend.fault(step)
        if fault is not None and fault.delay:
            await asyncio.sleep(fault.delay)
        if fault is None or not fault.do:
            await self.reply(line)
            return True
        if fault.do == DROP:
            raise ConnectionError
        if fault.do == HANG:
            await asyncio.Event().wait()
        await self.reply(fault.do)
        if fault.then == DROP:
            raise ConnectionError
        return False

    async def _obey(self, text: str) -> bool:
        verb, _, rest = text.partition(" ")
        match verb.upper():
            case "EHLO":
                await self._ehlo(rest)
            case "STARTTLS":
                await self._starttls()
            case "AUTH":
                await self._auth(rest)
            case "MAIL":
                await self._mail(rest)
            case "RCPT":
                await self._rcpt(rest)
            case "DATA":
                await self._data()
            case "QUIT":
                self.record.quit = True
                await self.say("QUIT", "221 2.0.0 bye")
                return False
            case _:
                await self.reply("502 5.5.1 not known here")
        return True

    async def _ehlo(self, name: str) -> None:
        self.record.names.append(name)
        if self.backend.refuses_name and (refusal := self.backend.refuses_name(name)):
            await self.reply(refusal)
            return
        self.greeted = True
        lines = ["mx.test", "8BITMIME", "ENHANCEDSTATUSCODES", *self.backend.extensions]
        if self.backend.size:
            lines.append(f"SIZE {self.backend.size}")
        if self.backend.tls and not self.encrypted:
            lines.append("STARTTLS")
        if not self.logged_in and self._may_log_in():
            lines.append(f"AUTH {' '.join(self.backend.mechanisms)}")
        await self.say("EHLO", "\r\n".join([*(f"250-{line}" for line in lines), "250 HELP"]))

    def _may_log_in(self) -> bool:
        return self.encrypted or self.backend.tls is None

    async def _starttls(self) -> None:
        context = self.backend.tls
        if context is None or self.encrypted:
            await self.reply("502 5.5.1 no TLS here")
            return
        ready = "220 2.0.0 ready"
        if self.backend.injected:
            self.writer.write(f"{ready}\r\n".encode() + self.backend.injected)
        elif not await self.say("STARTTLS", ready):
            return
        await self.writer.start_tls(context)
        self.encrypted, self.greeted = True, False

    async def _auth(self, rest: str) -> None:
        if not self.greeted or not self._may_log_in():
            await self.reply("530 5.7.0 encryption first")
            return
        mechanism, _, initial = rest.partition(" ")
        if mechanism.upper() not in self.backend.mechanisms:
            await self.reply("504 5.5.4 mechanism not offered")
            return
        good = await logins.check(self, mechanism.upper(), initial)
        honest = "235 2.7.0 welcome" if good else "535 5.7.8 wrong user or password"
        self.logged_in = await self.say("AUTH", honest) and good

    async def _mail(self, rest: str) -> None:
        found = _MAILBOX.fullmatch(rest.removeprefix("FROM:"))
        if not self.greeted or found is None:
            await self.reply("503 5.5.1 not now" if found else "501 5.5.4 no address")
            return
        if not self.logged_in:
            await self.reply("530 5.7.0 log in first")
            return
        size = re.search(r"SIZE=([0-9]+)", found[2])
        if self.backend.size and size and int(size[1]) > self.backend.size:
            await self.reply("552 5.3.4 too large")
            return
        if await self.say("MAIL", "250 2.1.0 ok"):
            self.sender, self.recipients = found[1], []
            self.options = tuple(found[2].split())

    async def _rcpt(self, rest: str) -> None:
        found = _MAILBOX.fullmatch(rest.removeprefix("TO:"))
        if self.sender is None or found is None:
            await self.reply("503 5.5.1 not now" if found else "501 5.1.3 no address")
            return
        refusal = self.backend.refusal_of(found[1])
        if refusal is not None:
            await self.reply(refusal)
        elif await self.say("RCPT", "250 2.1.5 ok"):
            self.recipients.append(found[1])

    async def _data(self) -> None:
        if self.sender is None or not self.recipients:
            await self.reply("503 5.5.1 no valid recipients")
            return
        if not await self.say("DATA", "354 go ahead"):
            return
        self.backend.content_began.set()
        await self._meet("CONTENT")
        raw = await self._content()
        self.backend.dot_seen.set()
        if max(map(len, raw.split(b"\r\n"))) > _LINE_BYTES - 2:
            await self.reply("500 5.5.2 line too long")
        elif self.backend.size and len(raw) > self.backend.size:
            await self.reply("552 5.3.4 too large")
        elif await self.say("DOT", "250 2.0.0 ok: queued as 4F7Zx2Q1"):
            from .backend import Message

            self.backend.messages.append(
                Message(self.sender, tuple(self.recipients), raw, self.options)
            )
        self.sender = None

    async def _meet(self, step: Step) -> None:
        """Let a fault happen where no reply is due."""
        fault = self.backend.fault(step)
        if fault is None:
            return
        if fault.do == HANG:
            # Nothing is read any more; a test's clock, not this machine's speed, ends it.
            await asyncio.Event().wait()
        left = fault.after_bytes
        while left > 0 and (read := await self.reader.read(left)):
            left -= len(read)
        if fault.do != DROP:
            await self.reply(fault.do)
            self.writer.close()
            await self.reader.read()
        raise ConnectionError

    async def _content(self) -> bytes:
        lines: list[bytes] = []
        while (line := await self.reader.readline()) != b".\r\n":
            if not line.endswith(b"\n"):
                raise ConnectionError
            lines.append(line[1:] if line.startswith(b".") else line)
            if self.backend.slow_bytes and sum(map(len, lines[-50:])) > self.backend.slow_bytes:
                await asyncio.sleep(0)
        return b"".join(lines)
