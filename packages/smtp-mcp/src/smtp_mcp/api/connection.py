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

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.api import smtp_errors
from smtp_mcp.api.authentication import Credentials, log_in
from smtp_mcp.api.smtp_errors import NotDelivered, Reply

BLOCK_SECONDS = 60.0
LONGEST_BLOCK_SECONDS = 3_600.0


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where mail is handed in, and what may be trusted there.

    Attributes:
        host: Host name or address.
        port: Port.
        tls: `starttls`, `implicit` or `none`.
        ehlo: How this client names itself.
        timeout: Seconds for connecting and for each reply.
        insecure_tls: Whether certificates go unchecked.
        ca_file: Further trust anchors.
        client_cert: Client certificate.
        client_key: Its key, if in a file of its own.
    """

    host: str
    port: int
    tls: str
    ehlo: str
    timeout: float
    insecure_tls: bool = False
    ca_file: str | None = None
    client_cert: str | None = None
    client_key: str | None = None

    @property
    def shown(self) -> str:
        """Host and port in words."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def tls_context(self) -> ssl.SSLContext:
        """Build the TLS settings.

        Raises:
            ToolFailure: A file of the operator's does not hold what it should.
        """
        context = ssl.create_default_context()
        if self.insecure_tls:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        try:
            if self.ca_file is not None:
                context.load_verify_locations(self.ca_file)
            if self.client_cert is not None:
                context.load_cert_chain(self.client_cert, self.client_key)
        except OSError:
            raise ToolFailure(
                "SMTP_CA_FILE, SMTP_CLIENT_CERT or SMTP_CLIENT_KEY holds nothing usable. "
                "Nothing was sent."
            ) from None
        return context


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
            local_hostname=self.address.ehlo,
            timeout=self.address.timeout,
            use_tls=self.address.tls == "implicit",
            start_tls=False,
            tls_context=self._context,
        )
        try:
            greeting = await self._connect(client)
            await self._encrypt(client)
            await self._greet(client)
            return Session(client, greeting, await self._log_in(client))
        except BaseException:
            drop(client)
            raise

    async def _connect(self, client: aiosmtplib.SMTP) -> str:
        where = self.address.shown
        try:
            return (await client.connect()).message
        except aiosmtplib.SMTPConnectResponseError as error:
            raise smtp_errors.greeting_refused(where, Reply(error.code, error.message)) from None
        except aiosmtplib.SMTPConnectTimeoutError as error:
            if isinstance(error.__cause__, aiosmtplib.SMTPReadTimeoutError):
                raise smtp_errors.silent(where, self.address.tls, self.address.port) from None
            raise self._no_connection() from None
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            raise self._refused(error.__cause__ or error) from None

    def _no_connection(self) -> NotDelivered:
        reason = f"no connection within {self.address.timeout:g} s"
        if self.address.tls == "implicit":
            reason = f"no TLS connection within {self.address.timeout:g} s (a server without TLS?)"
        return smtp_errors.unreachable(self.address.shown, reason)

    def _refused(self, cause: BaseException) -> NotDelivered:
        where = self.address.shown
        if isinstance(cause, ssl.SSLCertVerificationError):
            return smtp_errors.untrusted_certificate(where, cause.verify_message)
        if isinstance(cause, ssl.SSLError):
            return smtp_errors.no_tls(where, self.address.tls)
        if isinstance(cause, ConnectionAbortedError):
            return self._no_connection()
        if isinstance(cause, aiosmtplib.SMTPServerDisconnected):
            return smtp_errors.unreachable(where, "it closed the connection at once")
        if isinstance(cause, aiosmtplib.SMTPResponseException):
            return smtp_errors.unreachable(where, "it does not speak SMTP")
        words = getattr(cause, "strerror", None) or "no connection"
        return smtp_errors.unreachable(where, words.lower())

    async def _encrypt(self, client: aiosmtplib.SMTP) -> None:
        if self.address.tls != "starttls":
            return
        where = self.address.shown
        await self._greet(client)
        if not client.supports_extension("starttls"):
            raise smtp_errors.tls_required(where)
        try:
            await client.starttls(server_hostname=self.address.host)
        except aiosmtplib.SMTPResponseException as error:
            raise smtp_errors.tls_required(where, Reply(error.code, error.message)) from None
        except (aiosmtplib.SMTPServerDisconnected, aiosmtplib.SMTPTimeoutError):
            raise smtp_errors.no_tls(where, self.address.tls) from None
        except OSError as error:
            raise self._refused(error) from None

    async def _greet(self, client: aiosmtplib.SMTP) -> None:
        try:
            await client.ehlo()
        except aiosmtplib.SMTPHeloError as error:
            raise smtp_errors.greeting_refused(
                self.address.shown, Reply(error.code, error.message)
            ) from None
        except (aiosmtplib.SMTPException, OSError) as error:
            raise self._refused(error) from None

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
        except (aiosmtplib.SMTPException, OSError):
            raise smtp_errors.not_sent("during the login") from None
        self.guard.passed()
        return mechanism


def drop(client: aiosmtplib.SMTP) -> None:
    """Cut a connection at once, whatever is still waiting to be written."""
    if isinstance(client.transport, asyncio.WriteTransport):
        client.transport.abort()
    client.close()
