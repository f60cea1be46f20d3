"""Where mail is handed in, and how this client names itself there."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from mcp_serverkit.errors import ToolFailure


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where mail is handed in, and what may be trusted there.

    Attributes:
        host: Host name or address.
        port: Port.
        tls: `starttls`, `implicit` or `none`.
        ehlo: How this client names itself; nothing for the address of its own socket.
        timeout: Seconds for the greeting and for each reply.
        insecure_tls: Whether certificates go unchecked.
        ca_file: Further trust anchors.
        client_cert: Client certificate.
        client_key: Its key, if in a file of its own.
    """

    host: str
    port: int
    tls: str
    ehlo: str | None
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


def own_address(socket_name: object) -> str:
    """Write the address of the local socket as RFC 5321 wants it in EHLO."""
    host = str(socket_name[0]) if isinstance(socket_name, tuple) else "127.0.0.1"
    found = ip_address(host.partition("%")[0])
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is None:
            return f"[IPv6:{found}]"
        found = found.ipv4_mapped
    return f"[{found}]"
