"""Where requests go, what may be trusted there, and why a connection failed."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, Self

import certifi
import httpx

from mcp_serverkit.causes import certificate_reason, network_reason
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.proxies import proxy_for


class ConnectionSettings(Protocol):
    """The settings of a connection that every server has under the same names."""

    @property
    def timeout(self) -> int:
        """Seconds for one whole request."""

    @property
    def insecure_tls(self) -> bool:
        """Whether certificates go unchecked."""

    @property
    def ca_file(self) -> str | None:
        """Further trust anchors."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Where requests go and what may be trusted.

    Attributes:
        base_url: Scheme, host, port and path prefix, without a trailing slash.
        service: The service's name in texts.
        variable: The variable that holds the URL, for hints.
        timeout: Seconds for one whole request.
        user_agent: Value of that header.
        insecure_tls: Whether certificates go unchecked.
        ca_file: Further trust anchors.
        ca_variable: The variable that holds that path, for hints.
        whole: Whether the URL is that of the one resource, taken as it stands.
    """

    base_url: str
    service: str
    variable: str
    timeout: float
    user_agent: str
    insecure_tls: bool = False
    ca_file: str | None = None
    ca_variable: str = ""
    whole: bool = False

    @classmethod
    def of(
        cls,
        settings: ConnectionSettings,
        url: str | None,
        *,
        service: str,
        variable: str,
        agent: str,
    ) -> Self:
        """Take what the operator set.

        Args:
            settings: The settings that every server has.
            url: The address; without one no request is made.
            service: The service's name in texts.
            variable: The variable that holds the address.
            agent: This client, as the service is told.
        """
        return cls(
            base_url=url or "http://unset.invalid",
            service=service,
            variable=variable,
            timeout=settings.timeout,
            user_agent=agent,
            insecure_tls=settings.insecure_tls,
            ca_file=settings.ca_file,
            ca_variable=f"{variable.partition('_')[0]}_CA_FILE",
        )


def open_client(connection: Connection, environ: Mapping[str, str]) -> httpx.AsyncClient:
    """Build the connection pool. Reads files; belongs in a thread.

    Raises:
        ToolFailure: A proxy variable, or the file with authorities, is of no use.
    """
    proxy = proxy_for(connection.base_url, environ)
    verify = verification(connection)
    return httpx.AsyncClient(
        trust_env=False,
        proxy=None if proxy is None else httpx.Proxy(proxy, ssl_context=_proxy_context(proxy)),
        verify=verify,
        timeout=None,  # noqa: S113 (one deadline over the whole request, see HTTP)
        follow_redirects=False,
        headers={"user-agent": connection.user_agent, "accept-encoding": "identity"},
    )


def _proxy_context(proxy: str) -> ssl.SSLContext | None:
    """Build what decides about the certificate of a proxy that is reached by TLS."""
    if not proxy.startswith("https:"):
        return None
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def verification(connection: Connection) -> ssl.SSLContext | bool:
    """Build what decides about certificates; nothing where there is no TLS.

    Raises:
        ToolFailure: The file with further authorities is of no use.
    """
    if connection.base_url.startswith("http://"):
        return False
    context = ssl.create_default_context()
    if connection.insecure_tls:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    context.load_verify_locations(certifi.where())
    if connection.ca_file is not None:
        try:
            context.load_verify_locations(connection.ca_file)
        except OSError:
            raise ToolFailure(
                f"{connection.ca_variable}: the file holds no usable certificate"
            ) from None
    return context


def failure_reason(error: httpx.HTTPError) -> str:
    """Name a cause in our words: the library's text may quote a header."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted ({certificate_reason(cause)})"
        if isinstance(cause, ssl.SSLError):
            return "no TLS connection came about; is it http:// rather than https://?"
        if (reason := network_reason(cause)) is not None:
            return reason
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.RemoteProtocolError):
        return "the connection broke or it does not speak HTTP"
    for kind, words in _CAUSES:
        if isinstance(error, kind):
            return words
    return "the connection broke"


_CAUSES: tuple[tuple[type[httpx.HTTPError], str], ...] = (
    (httpx.ProxyError, "the proxy refused"),
    (httpx.ConnectError, "no connection"),
    (httpx.LocalProtocolError, "the request could not be written"),
)
