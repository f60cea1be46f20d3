"""Getting a connection that may be trusted with a login: TCP, TLS, EHLO, AUTH.

The TLS mode is always explicit: aiosmtplib's default would upgrade only if the server
offers it and otherwise send password and mail in clear.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass

import aiosmtplib

from mcp_serverkit.causes import certificate_reason, network_reason
from mcp_serverkit.errors import ToolFailure
from smtp_mcp.api import connection_errors, smtp_errors
from smtp_mcp.api.authentication import Credentials, log_in
from smtp_mcp.api.leaving import Leaving, drop
from smtp_mcp.api.reply import Reply
from smtp_mcp.api.server_address import ServerAddress, own_address
from smtp_mcp.api.smtp_errors import NotDelivered

CONNECT_SECONDS = 15.0
"""The longest that connecting and a TLS handshake from the first byte may take."""

# Short against connecting, long against the work of looking.
_POLL_SECONDS = 0.02

# After a refused login: providers lock accounts for a handful of failures in a minute.
BLOCK_SECONDS = 60.0
# The pause doubles with each failure up to an hour, the longest usual lock.
LONGEST_BLOCK_SECONDS = 3_600.0


class LoginGuard:
    """Keeps a refused login from being repeated until the account is locked.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures = 0
        self._until = 0.0

    def require_open(self) -> None:
        """Check that a login may be tried.

        Raises:
            ToolFailure: One was refused a short while ago.
        """
        left = self._until - self._clock()
        if left > 0:
            raise ToolFailure(
                "The mail server refused the last login, so none is tried for another "
                f"{left:.0f} s: providers lock accounts. Nothing was sent and nobody was asked.",
                code="auth_failed",
            )

    def refused(self) -> None:
        """Note a refused login: the wait doubles each time."""
        wait = min(BLOCK_SECONDS * 2.0**self._failures, LONGEST_BLOCK_SECONDS)
        self._failures += 1
        self._until = self._clock() + wait

    def passed(self) -> None:
        """Note a login that worked."""
        self._failures = 0


@dataclass(frozen=True, slots=True)
class Session:
    """An open, logged-in connection.

    Attributes:
        client: The connection.
        greeting: What the server said first.
        mechanism: How the login went.
    """

    client: aiosmtplib.SMTP
    greeting: str
    mechanism: str


class Connector:
    """Opens sessions with one mail server."""

    def __init__(self, address: ServerAddress, credentials: Credentials, guard: LoginGuard) -> None:
        self.address = address
        self.guard = guard
        self.leaving = Leaving()
        self._credentials = credentials
        self._context: ssl.SSLContext | None = None

    async def open(self) -> Session:
        """Connect, encrypt, greet and log in.

        Raises:
            ToolFailure: It did not work; nothing was sent.
        """
        self.guard.require_open()
        if self._context is None:
            self._context = await asyncio.to_thread(self.address.tls_context)
        client = aiosmtplib.SMTP(
            hostname=self.address.host,
            port=self.address.port,
            local_hostname=self.address.ehlo or "unset.invalid",
            timeout=self.address.timeout,
            use_tls=self.address.tls == "implicit",
            start_tls=False,
            tls_context=self._context,
        )
        try:
            greeting = await self._connect(client)
            if self.address.ehlo is None:
                client.local_hostname = own_address(client.get_transport_info("sockname"))
            await self._encrypt(client)
            await self._greet(client)
            return Session(client, greeting, await self._log_in(client))
        except ToolFailure:
            self.leaving.leave(client)
            raise
        except BaseException:
            drop(client)
            raise

    async def _connect(self, client: aiosmtplib.SMTP) -> str:
        where = self.address.shown
        try:
            return (await self._connected(client)).message
        except aiosmtplib.SMTPConnectResponseError as error:
            raise connection_errors.greeting_refused(
                where, Reply(error.code, error.message)
            ) from None
        except aiosmtplib.SMTPConnectTimeoutError as error:
            if isinstance(error.__cause__, aiosmtplib.SMTPReadTimeoutError):
                raise connection_errors.silent(
                    self.address.tls, self.address.port, self.address.timeout
                ) from None
            raise self._no_connection() from None
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            raise self._refused(error.__cause__ or error) from None

    async def _connected(self, client: aiosmtplib.SMTP) -> aiosmtplib.SMTPResponse:
        """Connect; the library has one limit for connection and greeting, here they differ."""
        loop = asyncio.get_running_loop()
        connecting = asyncio.create_task(client.connect())
        until = loop.time() + self._connect_seconds
        try:
            while client.transport is None and not connecting.done():
                if loop.time() > until:
                    raise aiosmtplib.SMTPConnectTimeoutError("Timed out connecting")
                await asyncio.wait({connecting}, timeout=_POLL_SECONDS)
            return await connecting
        finally:
            if not connecting.done():
                connecting.cancel()
                await asyncio.gather(connecting, return_exceptions=True)

    @property
    def _connect_seconds(self) -> float:
        return min(CONNECT_SECONDS, self.address.timeout)

    def _no_connection(self) -> NotDelivered:
        reason = f"no connection within {self._connect_seconds:g} s"
        if self.address.tls == "implicit":
            reason = f"no TLS connection within {self._connect_seconds:g} s (a server without TLS?)"
        return connection_errors.unreachable(self.address.shown, reason)

    def _refused(self, cause: BaseException) -> NotDelivered:
        where = self.address.shown
        if isinstance(cause, ssl.SSLCertVerificationError):
            return connection_errors.untrusted_certificate(where, certificate_reason(cause))
        if isinstance(cause, ssl.SSLError):
            return connection_errors.no_tls(where, self.address.tls)
        if isinstance(cause, ConnectionAbortedError):
            return self._no_connection()
        if isinstance(cause, aiosmtplib.SMTPServerDisconnected):
            return connection_errors.unreachable(where, "it closed the connection at once")
        if isinstance(cause, aiosmtplib.SMTPResponseException):
            return connection_errors.unreachable(where, "it does not speak SMTP")
        return connection_errors.unreachable(where, network_reason(cause) or "no connection")

    async def _encrypt(self, client: aiosmtplib.SMTP) -> None:
        if self.address.tls != "starttls":
            return
        where = self.address.shown
        await self._greet(client)
        if not client.supports_extension("starttls"):
            raise connection_errors.tls_required(where)
        try:
            await client.starttls(server_hostname=self.address.host)
        except aiosmtplib.SMTPResponseException as error:
            raise connection_errors.tls_required(where, Reply(error.code, error.message)) from None
        except aiosmtplib.SMTPReadTimeoutError:
            raise self._gave_up("STARTTLS") from None
        except (aiosmtplib.SMTPServerDisconnected, aiosmtplib.SMTPTimeoutError):
            raise connection_errors.no_tls(where, self.address.tls) from None
        except OSError as error:
            # In the middle of a handshake nothing can be said any more.
            drop(client)
            raise self._refused(error) from None

    async def _greet(self, client: aiosmtplib.SMTP) -> None:
        try:
            await client.ehlo()
        except aiosmtplib.SMTPHeloError as error:
            raise connection_errors.client_refused(
                self.address.shown, Reply(error.code, error.message)
            ) from None
        except aiosmtplib.SMTPReadTimeoutError:
            raise self._gave_up("EHLO") from None
        except (aiosmtplib.SMTPException, OSError) as error:
            raise self._refused(error) from None

    def _gave_up(self, command: str) -> NotDelivered:
        return connection_errors.gave_up("unreachable", f"reply to {command}", self.address.timeout)

    async def _log_in(self, client: aiosmtplib.SMTP) -> str:
        try:
            mechanism = await log_in(
                client, self._credentials, encrypted=self.address.tls != "none"
            )
        except NotDelivered as failure:
            # A 4xx is the server's trouble, not a wrong password.
            if failure.code == "auth_failed" and 500 <= failure.status < 600:
                self.guard.refused()
            raise
        except aiosmtplib.SMTPReadTimeoutError:
            raise connection_errors.gave_up(
                "not_sent", "reply to AUTH", self.address.timeout
            ) from None
        except (aiosmtplib.SMTPException, OSError):
            raise smtp_errors.not_sent("during the login") from None
        self.guard.passed()
        return mechanism
