"""The server: listens on loopback, records every line and every message."""

from __future__ import annotations

import asyncio
import ssl
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

from .faults import Fault, Step
from .listener import Listener
from .session import Conversation, Session


@dataclass(frozen=True)
class Message:
    """A message as it arrived: envelope, and the bytes between DATA and the dot."""

    sender: str
    recipients: tuple[str, ...]
    raw: bytes
    options: tuple[str, ...] = ()

    @property
    def parsed(self) -> EmailMessage:
        """The message as the standard library reads it."""
        return message_from_bytes(self.raw, policy=policy.default)


@dataclass
class SmtpBackend(Listener):
    """A mail server.

    Attributes:
        tls: Its certificate; without one it offers no TLS.
        implicit: Whether TLS begins with the first byte.
        login: User name and password, or nothing when it asks for no login.
        token: Access token for XOAUTH2 and OAUTHBEARER.
        mechanisms: What it offers for logins.
        size: Limit that it announces; 0 announces none.
        extensions: Further lines of its EHLO reply.
        faults: Scripted faults.
        unknown: Recipients that it refuses, with the reply; of a list the next one each time,
            and an empty text or the end of the list for acceptance.
        refuses_name: Gives the reply to an EHLO with a name that it does not like.
        conversations: What each connection showed, in their order.
        injected: Plain text that somebody puts behind the reply to STARTTLS.
        slow_bytes: Reads at most so many bytes of content at a time, with a pause; 0 is full speed.
    """

    tls: ssl.SSLContext | None = None
    implicit: bool = False
    login: tuple[str, str] | None = ("tester", "pass word ü")
    token: str = ""
    mechanisms: Sequence[str] = ("PLAIN", "LOGIN", "CRAM-MD5")
    size: int = 10_000_000
    extensions: Sequence[str] = ()
    faults: list[Fault] = field(default_factory=list)
    unknown: dict[str, str | list[str]] = field(default_factory=dict)
    refuses_name: Callable[[str], str | None] | None = None
    conversations: list[Conversation] = field(default_factory=list)
    injected: bytes = b""
    slow_bytes: int = 0
    messages: list[Message] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    spoken_to: asyncio.Event = field(default_factory=asyncio.Event)
    content_began: asyncio.Event = field(default_factory=asyncio.Event)
    dot_seen: asyncio.Event = field(default_factory=asyncio.Event)
    _seen: Counter[str] = field(default_factory=Counter)

    @property
    def first_tls(self) -> ssl.SSLContext | None:
        return self.tls if self.implicit else None

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await Session(self, reader, writer).run()

    def fault(self, step: Step) -> Fault | None:
        """Return the fault that is due at a step, counting its occurrences."""
        self._seen[step] += 1
        for fault in self.faults:
            if fault.step == step and fault.nth in {0, self._seen[step]}:
                return fault
        return None

    def refusal_of(self, address: str) -> str | None:
        """Return what a recipient is answered; of a list the next one, "" for acceptance."""
        planned = self.unknown.get(address)
        if isinstance(planned, list):
            return (planned.pop(0) if planned else "") or None
        return planned

    def verbs(self) -> list[str]:
        """The first words of all commands."""
        return [line.partition(" ")[0].upper() for line in self.commands]

    def recipients(self) -> list[str]:
        """All addresses that were named in RCPT, accepted or not."""
        return [line[9:-1] for line in self.commands if line.upper().startswith("RCPT TO:<")]
