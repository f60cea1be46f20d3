"""One visit to an IMAP server: one login, LIST, APPEND, LOGOUT.

Nothing is read or made there, and nothing is tried twice.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.text.sanitize import clean_text
from smtp_mcp.api.authentication import TokenSource
from smtp_mcp.api.mailbox_names import decode_name, encode_name, quoted, unquoted
from smtp_mcp.api.server_address import ServerAddress

if TYPE_CHECKING:
    from imaplib import IMAP4

STEP_SECONDS = 10.0
"""For connecting and for each answer."""

WHOLE_SECONDS = 20.0
"""Bound of a visit: what is saved there may take a while, and not the caller's patience."""

# One line of what the server said.
WORDS_CHARS = 200

_LISTED = re.compile(rb'\((?P<flags>[^)]*)\) (?:"(?:[^"\\]|\\.)*"|NIL) (?P<name>.*)', re.DOTALL)


class Errand(NamedTuple):
    """What a visit is for.

    Attributes:
        noun: What is saved, in words.
        mark: Flag of the folder that it belongs in.
        otherwise: Name of the folder where none is marked.
        flags: Flags of what is saved.
        folder: Name of the folder that the operator chose.
    """

    noun: str
    mark: bytes
    otherwise: str
    flags: str
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class ImapLogin:
    """Whose folder it is.

    Attributes:
        user: Login name.
        password: Password; unused where there is a source of tokens.
        tokens: Source of access tokens.
    """

    user: str
    password: str = field(default="", repr=False)
    tokens: TokenSource | None = field(default=None, repr=False)


class NotSavedError(Exception):
    """Nothing was saved, as far as is known; the text is the reason."""


class LoginRefusedError(NotSavedError):
    """The login was refused."""


class ImapAccount:
    """An account at an IMAP server; each visit is a connection of its own.

    Args:
        address: Where the server is.
        login: How to log in there.
        whole_seconds: Bound of a visit.

    Attributes:
        address: Where the server is.
    """

    def __init__(
        self, address: ServerAddress, login: ImapLogin, whole_seconds: float = WHOLE_SECONDS
    ) -> None:
        self.address = address
        self._login = login
        self._whole_seconds = whole_seconds
        self._refused = ""
        self._visits: set[_Visit] = set()

    async def visit(self, errand: Errand, raw: bytes | None) -> str:
        """Log in, find the folder and save a message there, or nothing.

        Returns:
            Name of the folder.

        Raises:
            LoginRefusedError: Now, or at an earlier visit: there is no second attempt.
            NotSavedError: Anything else.
            ToolFailure: There is no access token.
        """
        if self._refused:
            raise LoginRefusedError(self._refused)
        try:
            return await self._work(errand, raw)
        except LoginRefusedError as refusal:
            self._refused = str(refusal)
            raise

    async def check(self, errand: Errand, what: str) -> str:
        """Log in and name the folder, in words; nothing is saved.

        Args:
            errand: What a visit would be for.
            what: What goes there, such as "copies".
        """
        shown = self.address.shown
        try:
            return f"{what} go to {await self.visit(errand, None)!r} at {shown}"
        except (NotSavedError, ToolFailure) as failure:
            return f"{what} at {shown}: {failure}"

    async def aclose(self) -> None:
        """Cut what is still open: the process ends, and nobody waits for it."""
        for visit in list(self._visits):
            visit.cut()

    async def _work(self, errand: Errand, raw: bytes | None) -> str:
        token = await self._login.tokens.token() if self._login.tokens is not None else ""
        loop = asyncio.get_running_loop()
        saved: asyncio.Future[str] = loop.create_future()
        visit = _Visit(self.address, self._login, token, lambda name: _tell(loop, saved, name))
        self._visits.add(visit)
        working = asyncio.create_task(asyncio.to_thread(visit.run, errand, raw))
        working.add_done_callback(lambda task: self._ended(visit, task))
        try:
            async with asyncio.timeout(self._whole_seconds):
                await asyncio.wait({working, saved}, return_when=asyncio.FIRST_COMPLETED)
                return saved.result() if saved.done() else await asyncio.shield(working)
        except TimeoutError:
            reason = f"the IMAP server took longer than {self._whole_seconds:g} s"
            raise NotSavedError(reason) from None
        finally:
            if not working.done() and not saved.done():
                visit.cut()

    def _ended(self, visit: _Visit, task: asyncio.Task[str]) -> None:
        self._visits.discard(visit)
        if not task.cancelled():
            task.exception()


def _tell(loop: asyncio.AbstractEventLoop, saved: asyncio.Future[str], name: str) -> None:
    """Hand the name of the folder from the thread to the loop; goodbyes need no waiting."""

    def settle() -> None:
        if not saved.done():
            saved.set_result(name)

    loop.call_soon_threadsafe(settle)


class _Visit:
    """One connection, used in a thread."""

    def __init__(
        self,
        address: ServerAddress,
        login: ImapLogin,
        token: str,
        tell: Callable[[str], None],
    ) -> None:
        self._address = address
        self._login = login
        self._token = token
        self._client: IMAP4 | None = None
        self._tell = tell
        self._cut = False

    def cut(self) -> None:
        """End the visit from outside: whatever waits in it fails."""
        self._cut = True
        if self._client is not None:
            try:
                self._client.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return

    def run(self, errand: Errand, raw: bytes | None) -> str:
        """Do all of it.

        Returns:
            Name of the folder.
        """
        from imaplib import IMAP4

        try:
            client = self._client = self._connected()
            try:
                self._require_uncut(errand)
                self._log_in(client)
                name = errand.folder or self._marked(client, errand.mark) or errand.otherwise
                self._require_uncut(errand)
                if raw is not None:
                    self._append(client, errand, name, raw)
                self._tell(name)
                return name
            finally:
                self._leave(client)
        except ssl.SSLCertVerificationError as error:
            reason = error.verify_message.rstrip(". ")
            raise NotSavedError(
                f"the certificate of the IMAP server is not accepted: {reason}"
            ) from None
        except TimeoutError:
            raise NotSavedError("the IMAP server said nothing for 10 s") from None
        except (OSError, IMAP4.error) as error:
            said = getattr(error, "strerror", None) or "it broke off"
            raise NotSavedError(
                f"no usable connection to the IMAP server: {said.lower()}"
            ) from None

    def _require_uncut(self, errand: Errand) -> None:
        if self._cut:
            raise NotSavedError(f"the call ended before the {errand.noun} was saved")

    def _connected(self) -> IMAP4:
        from imaplib import IMAP4, IMAP4_SSL

        address = self._address
        if address.tls == "implicit":
            context = address.tls_context()
            return IMAP4_SSL(address.host, address.port, ssl_context=context, timeout=STEP_SECONDS)
        client = IMAP4(address.host, address.port, timeout=STEP_SECONDS)
        if address.tls == "starttls":
            if "STARTTLS" not in client.capabilities:
                client.shutdown()
                raise NotSavedError("the IMAP server offers no STARTTLS; no password was sent")
            client.starttls(address.tls_context())
        return client

    def _log_in(self, client: IMAP4) -> None:
        user = self._login.user
        try:
            if self._login.tokens is not None:
                first = [f"user={user}\x01auth=Bearer {self._token}\x01\x01".encode()]
                client.authenticate("XOAUTH2", lambda _: first.pop() if first else b"")
            elif "AUTH=PLAIN" in client.capabilities:
                plain = f"\0{user}\0{self._login.password}".encode()
                client.authenticate("PLAIN", lambda _: plain)
            else:
                client.login(user, self._login.password)
        except client.abort:
            raise
        except (client.error, UnicodeEncodeError) as error:
            raise LoginRefusedError(
                f"the IMAP server refused the login{_said(str(error))}"
            ) from None

    def _marked(self, client: IMAP4, mark: bytes) -> str | None:
        kind, lines = client.list()
        if kind != "OK":
            return None
        for line in lines:
            whole = b" ".join(line) if isinstance(line, tuple) else line
            found = _LISTED.match(whole) if isinstance(whole, bytes) else None
            if found is not None and mark in found["flags"].lower().split():
                name = re.sub(rb"^\{[0-9]+\} ?", b"", found["name"])
                return decode_name(unquoted(name.decode("ascii", "replace").strip()))
        return None

    def _append(self, client: IMAP4, errand: Errand, folder: str, raw: bytes) -> None:
        # Its own way would copy the message line by line, to put line ends right that are.
        client.literal = raw  # type: ignore[assignment]  # bytes, whatever the stubs say
        kind, lines = client.xatom("APPEND", quoted(encode_name(folder)), errand.flags)
        if kind != "OK":
            words = lines[0].decode("utf-8", "replace") if lines and lines[0] else ""
            raise NotSavedError(
                f"the IMAP server did not take the {errand.noun} for {folder!r}{_said(words)}"
            )

    def _leave(self, client: IMAP4) -> None:
        try:
            client.logout()
        except (OSError, client.error):
            client.shutdown()


def _said(words: str) -> str:
    """Add the server's words, marked as such."""
    cleaned = " ".join(clean_text(words.removeprefix("b'").rstrip("'")).split())[:WORDS_CHARS]
    return f" (it said: «{cleaned}»)" if cleaned else ""
