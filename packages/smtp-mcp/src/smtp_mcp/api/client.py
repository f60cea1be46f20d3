"""Handing one message in, and knowing at each step what a failure would mean."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

import aiosmtplib
from aiosmtplib.email import quote_address

from smtp_mcp.api import connection_errors, smtp_errors
from smtp_mcp.api.connection import Connector, Session
from smtp_mcp.api.envelope import Delivery, DeliveryTimeouts, Envelope, Progress
from smtp_mcp.api.leaving import drop
from smtp_mcp.api.probe import Probe
from smtp_mcp.api.reply import Rejection, Reply
from smtp_mcp.api.smtp_errors import NotDelivered
from smtp_mcp.mailbox import Mailbox

UNREAD_SECONDS = 1.0
"""How long a reply is awaited that may have come before an upload failed."""

Response = aiosmtplib.SMTPResponse

# What a socket takes at once, so that progress is seen and a stall is noticed.
_CHUNK = 65_536
# Short against any answer of a mail server, long against the work of looking.
_POLL_SECONDS = 0.01


class MailServer:
    """Hands messages in, each over a connection of its own.

    Args:
        connector: Opens connections.
        timeouts: How long a server may take with a message.
    """

    def __init__(self, connector: Connector, timeouts: DeliveryTimeouts) -> None:
        self._connector = connector
        self._timeouts = timeouts
        self._leaving = connector.leaving
        self._seconds = connector.address.timeout
        self._shown: dict[str, str] | None = None

    def require_open(self) -> None:
        """Check, before anybody is asked, that a login may be tried."""
        self._connector.guard.require_open()

    def require_fitting(self, size: int, *, smtputf8: bool) -> None:
        """Check, before anybody is asked, what the last connection announced.

        Raises:
            NotDelivered: A message like this is bound to be refused.
        """
        if self._shown is not None:
            _require_fitting(self._shown, size, smtputf8=smtputf8)

    async def aclose(self) -> None:
        """Let connections that say goodbye finish, for a moment."""
        await self._leaving.aclose()

    async def _open(self) -> Session:
        session = await self._connector.open()
        self._shown = dict(session.client.esmtp_extensions)
        return session

    async def probe(self) -> Probe:
        """Connect, log in and leave.

        Raises:
            ToolFailure: It did not work.
        """
        session = await self._open()
        try:
            return _probe(session)
        finally:
            self._leaving.leave(session.client)

    async def deliver(self, envelope: Envelope, progress: Progress) -> Delivery:
        """Hand a message in.

        Args:
            envelope: The message.
            progress: Updated on the way.

        Raises:
            ToolFailure: It was not taken, or nobody knows (`outcome_unknown`).
        """
        session = await self._open()
        client = session.client
        try:
            accepted, rejected = await self._envelope(client, envelope)
            reply = await self._content(client, envelope.raw, progress)
        except NotDelivered as failure:
            if failure.code in {"not_sent", "outcome_unknown"}:
                drop(client)
            else:
                self._leaving.leave(client)
            raise
        except BaseException:
            drop(client)
            raise
        self._leaving.leave(client)
        return Delivery(accepted, rejected, reply)

    async def _envelope(
        self, client: aiosmtplib.SMTP, envelope: Envelope
    ) -> tuple[tuple[str, ...], tuple[Rejection, ...]]:
        wide = envelope.needs_smtputf8
        _require_fitting(client.esmtp_extensions, len(envelope.raw), smtputf8=wide)
        options = [f"SIZE={len(envelope.raw)}"] if client.supports_extension("size") else []
        options += ["SMTPUTF8", "BODY=8BITMIME"] if wide else []
        reply = await self._command(client, "MAIL FROM:", envelope.sender, *options)
        if not reply.ok:
            raise smtp_errors.sender_refused(reply)
        accepted: list[str] = []
        rejected: list[Rejection] = []
        for mailbox in envelope.recipients:
            reply = await self._command(client, "RCPT TO:", mailbox)
            if reply.code == 421:
                raise smtp_errors.not_sent("at a recipient: the server is closing", reply)
            if reply.ok:
                accepted.append(str(mailbox))
            else:
                rejected.append(Rejection(str(mailbox), reply))
        if not accepted:
            raise smtp_errors.recipients_refused(rejected)
        return tuple(accepted), tuple(rejected)

    async def _content(self, client: aiosmtplib.SMTP, raw: bytes, progress: Progress) -> Reply:
        with self._told("DATA", "before the message was asked for"):
            go_ahead = Reply(*await client.execute_command(b"DATA"))
        if go_ahead.code == 421:
            raise smtp_errors.not_sent("before the message: the server is closing", go_ahead)
        if go_ahead.code != 354:
            raise smtp_errors.message_refused(go_ahead)
        protocol = client.protocol
        if protocol is None:
            raise smtp_errors.not_sent("before the message was asked for")
        # Read from now on: a server that has enough of a message says so at once and closes.
        reading = asyncio.ensure_future(protocol.read_response())
        try:
            await self._uploaded(client, raw, reading)
            progress.left = True
            return await self._final_reply(reading, len(raw))
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _uploaded(
        self, client: aiosmtplib.SMTP, raw: bytes, reading: asyncio.Future[Response]
    ) -> None:
        try:
            await self._upload(client, raw, reading)
            if client.protocol is None or reading.done():
                raise aiosmtplib.SMTPServerDisconnected("Connection lost")
            # Without this line a server must not take the message.
            client.protocol.write(b".\r\n")
        except aiosmtplib.SMTPTimeoutError:
            await _refusal_in(reading)
            raise smtp_errors.stalled(self._timeouts.stall_seconds) from None
        except (aiosmtplib.SMTPException, OSError):
            await _refusal_in(reading)
            raise smtp_errors.not_sent("while the message was being uploaded") from None

    async def _final_reply(self, reading: asyncio.Future[Response], size: int) -> Reply:
        wait = self._timeouts.final_seconds + size / self._timeouts.bytes_per_second
        try:
            async with asyncio.timeout(wait):
                reply = Reply(*await reading)
        except TimeoutError:
            raise smtp_errors.unknown(f"no reply came for {wait:.0f} s") from None
        except (aiosmtplib.SMTPException, OSError):
            raise smtp_errors.unknown("the connection broke") from None
        if reply.code < 200 or 300 <= reply.code < 400:
            raise smtp_errors.unknown(f"the reply was {reply.code}, which is no answer to it")
        if not reply.ok:
            raise smtp_errors.message_refused(reply)
        return reply

    async def _upload(
        self, client: aiosmtplib.SMTP, raw: bytes, reading: asyncio.Future[Response]
    ) -> None:
        for piece in _dot_stuffed(raw):
            if client.protocol is None or reading.done():
                raise aiosmtplib.SMTPServerDisconnected("Connection lost")
            client.protocol.write(piece)
            await self._drained(client)

    async def _drained(self, client: aiosmtplib.SMTP) -> None:
        """Wait until what was written is gone; the library has no public way but to look."""
        loop = asyncio.get_running_loop()
        left, moved = None, loop.time()
        while isinstance(transport := client.transport, asyncio.WriteTransport):
            waiting = transport.get_write_buffer_size()
            if waiting == 0:
                return
            if waiting != left:
                left, moved = waiting, loop.time()
            elif loop.time() - moved > self._timeouts.stall_seconds:
                raise aiosmtplib.SMTPTimeoutError("The upload stands still")
            await asyncio.sleep(_POLL_SECONDS)

    async def _command(
        self, client: aiosmtplib.SMTP, verb: str, mailbox: Mailbox, *options: str
    ) -> Reply:
        """Send a command with an address, which must read back as exactly this address."""
        address = str(mailbox)
        if quote_address(address) != f"<{address}>":
            raise smtp_errors.ambiguous_address()
        words = [f"{verb}<{address}>", *options]
        with self._told(verb.rstrip(":"), "while sender and recipients were named"):
            return Reply(*await client.execute_command(*(word.encode("utf-8") for word in words)))

    @contextmanager
    def _told(self, command: str, when: str) -> Iterator[None]:
        """Tell who ended a wait for a reply, this client or the server."""
        try:
            yield
        except aiosmtplib.SMTPReadTimeoutError:
            raise connection_errors.gave_up(
                "not_sent", f"reply to {command}", self._seconds
            ) from None
        except (aiosmtplib.SMTPException, OSError):
            raise smtp_errors.not_sent(when) from None


async def _refusal_in(reading: asyncio.Future[Response]) -> None:
    """Raise what the server said before an upload failed, if it said something."""
    await asyncio.wait({reading}, timeout=UNREAD_SECONDS)
    if not reading.done() or reading.cancelled() or reading.exception() is not None:
        return
    reply = Reply(*reading.result())
    if reply.code >= 400:
        raise smtp_errors.message_refused(reply) from None


def _require_fitting(announced: Mapping[str, str], size: int, *, smtputf8: bool) -> None:
    if smtputf8 and "smtputf8" not in announced:
        raise smtp_errors.no_smtputf8()
    limit = announced.get("size", "")
    if limit.isascii() and limit.isdigit() and 0 < int(limit) < size:
        raise smtp_errors.too_large(size, int(limit))


def _dot_stuffed(raw: bytes) -> Iterator[bytes]:
    """Cut a message behind line ends, a dot put before each line that begins with one."""
    start = 0
    while start < len(raw):
        end = raw.rfind(b"\n", start, start + _CHUNK) + 1 or len(raw)
        piece = raw[start:end].replace(b"\r\n.", b"\r\n..")
        yield b"." + piece if piece.startswith(b".") else piece
        start = end


def _probe(session: Session) -> Probe:
    client = session.client
    tls = client.get_transport_info("ssl_object")
    expires = None
    if isinstance(tls, ssl.SSLObject) and (certificate := tls.getpeercert()):
        seconds = ssl.cert_time_to_seconds(str(certificate["notAfter"]))
        expires = datetime.fromtimestamp(seconds, UTC).isoformat()
    cipher = tls.cipher() if isinstance(tls, ssl.SSLObject) else None
    return Probe(
        greeting=session.greeting,
        mechanism=session.mechanism,
        capabilities=dict(client.esmtp_extensions),
        tls_version=tls.version() if isinstance(tls, ssl.SSLObject) else None,
        cipher=cipher[0] if cipher else None,
        certificate_expires=expires,
    )
