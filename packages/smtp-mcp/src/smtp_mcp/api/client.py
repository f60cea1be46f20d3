"""Handing one message in, and knowing at each step what a failure would mean."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import aiosmtplib
from aiosmtplib.email import quote_address

from smtp_mcp.api import smtp_errors
from smtp_mcp.api.connection import Connector, Session, drop
from smtp_mcp.api.envelope import Delivery, DeliveryTimeouts, Envelope, Probe, Progress
from smtp_mcp.api.smtp_errors import NotDelivered, Rejection, Reply
from smtp_mcp.mailbox import Mailbox

QUIT_SECONDS = 2.0

_CHUNK = 65_536
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
        self._leaving: set[asyncio.Task[None]] = set()

    def require_open(self) -> None:
        """Check, before anybody is asked, that a login may be tried."""
        self._connector.guard.require_open()

    async def aclose(self) -> None:
        """Let connections that say goodbye finish, for a moment."""
        if self._leaving:
            await asyncio.wait(self._leaving, timeout=0.2)
        for task in list(self._leaving):
            task.cancel()
        await asyncio.gather(*self._leaving, return_exceptions=True)

    async def probe(self) -> Probe:
        """Connect, log in and leave.

        Raises:
            ToolFailure: It did not work.
        """
        session = await self._connector.open()
        try:
            return _probe(session)
        finally:
            self._leave(session.client)

    async def deliver(self, envelope: Envelope, progress: Progress) -> Delivery:
        """Hand a message in.

        Args:
            envelope: The message.
            progress: Updated on the way.

        Raises:
            ToolFailure: It was not taken, or nobody knows (`outcome_unknown`).
        """
        session = await self._connector.open()
        client = session.client
        try:
            accepted, rejected = await self._envelope(client, envelope)
            reply = await self._content(client, envelope.raw, progress)
        except NotDelivered as failure:
            if failure.code in {"not_sent", "outcome_unknown"}:
                drop(client)
            else:
                self._leave(client)
            raise
        except BaseException:
            drop(client)
            raise
        self._leave(client)
        return Delivery(accepted, rejected, reply)

    async def _envelope(
        self, client: aiosmtplib.SMTP, envelope: Envelope
    ) -> tuple[tuple[str, ...], tuple[Rejection, ...]]:
        _require_size(client, len(envelope.raw))
        options = [f"SIZE={len(envelope.raw)}"] if client.supports_extension("size") else []
        if envelope.needs_smtputf8:
            if not client.supports_extension("smtputf8"):
                raise smtp_errors.not_sent("because the server offers no SMTPUTF8 for a recipient")
            options += ["SMTPUTF8", "BODY=8BITMIME"]
        reply = await _command(client, "MAIL FROM:", envelope.sender, *options)
        if not reply.ok:
            raise smtp_errors.sender_refused(reply)
        accepted: list[str] = []
        rejected: list[Rejection] = []
        for mailbox in envelope.recipients:
            reply = await _command(client, "RCPT TO:", mailbox)
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
        with _broken_means_not_sent("before the message was asked for"):
            go_ahead = Reply(*await client.execute_command(b"DATA"))
        if go_ahead.code == 421:
            raise smtp_errors.not_sent("before the message: the server is closing", go_ahead)
        if go_ahead.code != 354:
            raise smtp_errors.message_refused(go_ahead)
        protocol = client.protocol
        with _broken_means_not_sent("while the message was being uploaded"):
            if protocol is None:
                raise aiosmtplib.SMTPServerDisconnected("Connection lost")
            await self._upload(client, _dot_stuffed(raw))
            # Without this line a server must not take the message.
            protocol.write(b".\r\n")
        progress.left = True
        wait = self._timeouts.final_seconds + len(raw) / self._timeouts.bytes_per_second
        try:
            reply = Reply(*await protocol.read_response(timeout=wait))
        except aiosmtplib.SMTPTimeoutError:
            raise smtp_errors.unknown(f"no reply came for {wait:.0f} s") from None
        except (aiosmtplib.SMTPException, OSError):
            raise smtp_errors.unknown("the connection broke") from None
        if reply.code < 200 or 300 <= reply.code < 400:
            raise smtp_errors.unknown(f"the reply was {reply.code}, which is no answer to it")
        if not reply.ok:
            raise smtp_errors.message_refused(reply)
        return reply

    async def _upload(self, client: aiosmtplib.SMTP, content: bytes) -> None:
        for start in range(0, len(content), _CHUNK):
            if client.protocol is None:
                raise aiosmtplib.SMTPServerDisconnected("Connection lost")
            client.protocol.write(content[start : start + _CHUNK])
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

    def _leave(self, client: aiosmtplib.SMTP) -> None:
        """Say goodbye without anybody waiting for it."""
        task = asyncio.create_task(_quit(client))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)


async def _quit(client: aiosmtplib.SMTP) -> None:
    try:
        with suppress(aiosmtplib.SMTPException, OSError):
            await client.quit(timeout=QUIT_SECONDS)
    finally:
        drop(client)


async def _command(client: aiosmtplib.SMTP, verb: str, mailbox: Mailbox, *options: str) -> Reply:
    """Send a command with an address, which must read back as exactly this address."""
    address = str(mailbox)
    if quote_address(address) != f"<{address}>":
        raise smtp_errors.not_sent("because an address would be read as another one")
    words = [f"{verb}<{address}>", *options]
    with _broken_means_not_sent("while sender and recipients were named"):
        return Reply(*await client.execute_command(*(word.encode("utf-8") for word in words)))


@contextmanager
def _broken_means_not_sent(when: str) -> Iterator[None]:
    try:
        yield
    except (aiosmtplib.SMTPException, OSError):
        raise smtp_errors.not_sent(when) from None


def _require_size(client: aiosmtplib.SMTP, size: int) -> None:
    announced = client.esmtp_extensions.get("size", "")
    if announced.isascii() and announced.isdigit() and 0 < int(announced) < size:
        raise smtp_errors.too_large(size, int(announced))


def _dot_stuffed(raw: bytes) -> bytes:
    stuffed = raw.replace(b"\r\n.", b"\r\n..")
    return b"." + stuffed if raw.startswith(b".") else stuffed


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
