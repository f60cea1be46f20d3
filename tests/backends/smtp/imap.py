"""A stand-in for an IMAP server: enough of it to keep a copy, and faults where scripted."""

from __future__ import annotations

import asyncio
import base64
import re
import ssl
from dataclasses import dataclass, field

from .listener import Listener

FLAGS = {r"\seen", r"\answered", r"\flagged", r"\deleted", r"\draft"}
"""The flags that RFC 3501 lets a client set; here no keywords are taken."""


@dataclass
class ImapBackend(Listener):
    """An IMAP server.

    Attributes:
        tls: Its certificate; with it TLS begins with the first byte.
        login: User name and password.
        token: Access token for XOAUTH2.
        folders: Names on the wire, with their flags.
        append: Reply to an APPEND instead of taking it.
        silent_at: Command that is not answered before `go_on`; `+` for the go-ahead of an APPEND.
        plain: Whether AUTH=PLAIN is offered.
        stored: Folder, flags and bytes of each copy.
        commands: First words of all commands, the literals aside.
        waited: Whether the silence began.
        go_on: Ends it.
        left: Whether a conversation has ended.
    """

    tls: ssl.SSLContext | None = None
    login: tuple[str, str] = ("tester", "pass word ü")
    token: str = ""
    folders: dict[str, str] = field(
        default_factory=lambda: {
            "INBOX": r"\HasNoChildren",
            "Entw&APw-rfe": r"\HasNoChildren \Drafts",
            "Sent Items": r"\HasNoChildren \Sent",
        }
    )
    append: str = ""
    silent_at: str = ""
    plain: bool = True
    stored: list[tuple[str, str, bytes]] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    waited: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def first_tls(self) -> ssl.SSLContext | None:
        return self.tls

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"* OK stand-in\r\n")
        try:
            while line := await reader.readline():
                if not await self._obey(line.decode().rstrip("\r\n"), reader, writer):
                    break
        finally:
            self.left.set()

    async def _obey(
        self, line: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        tag, _, rest = line.partition(" ")
        verb = rest.split(" ")[0].upper()
        self.commands.append(verb)
        await self._wait_if(verb)
        match verb:
            case "CAPABILITY":
                offered = "AUTH=PLAIN AUTH=XOAUTH2" if self.plain else ""
                writer.write(f"* CAPABILITY IMAP4rev1 {offered}\r\n".encode())
                said = "OK done"
            case "AUTHENTICATE":
                said = await self._authenticate(rest.split(" ")[1], reader, writer)
            case "LOGIN":
                said = (
                    "OK in" if rest == 'LOGIN tester "secret"' else "NO [AUTHENTICATIONFAILED] no"
                )
            case "LIST":
                for name, flags in self.folders.items():
                    writer.write(f'* LIST ({flags}) "/" "{name}"\r\n'.encode())
                said = "OK listed"
            case "APPEND":
                said = await self._append(rest, reader, writer)
            case "LOGOUT":
                writer.write(f"* BYE\r\n{tag} OK bye\r\n".encode())
                return False
            case _:
                said = "BAD not known here"
        writer.write(f"{tag} {said}\r\n".encode())
        return True

    async def _wait_if(self, step: str) -> None:
        if step == self.silent_at:
            self.waited.set()
            await self.go_on.wait()

    async def _authenticate(
        self, mechanism: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> str:
        writer.write(b"+ \r\n")
        answer = base64.b64decode(await reader.readline()).decode()
        user, password = self.login
        good = {
            "PLAIN": f"\0{user}\0{password}",
            "XOAUTH2": f"user={user}\x01auth=Bearer {self.token}\x01\x01",
        }
        if answer == good.get(mechanism):
            return "OK in"
        return "NO [AUTHENTICATIONFAILED] wrong user or password"

    async def _append(
        self, rest: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> str:
        found = re.fullmatch(r'APPEND "([^"]*)" \(([^)]*)\) \{([0-9]+)\}', rest)
        if found is None:
            return "BAD form"
        if unknown := {flag.lower() for flag in found[2].split()} - FLAGS:
            return f"BAD no such flag: {unknown}"
        await self._wait_if("+")
        if found[1] not in self.folders:
            return "NO [TRYCREATE] no such folder"
        writer.write(b"+ go on\r\n")
        content = await reader.readexactly(int(found[3]))
        await reader.readline()
        if self.append:
            return self.append
        self.stored.append((found[1], found[2], content))
        return "OK stored"
