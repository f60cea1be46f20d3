"""A private certificate authority for one test run."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

import trustme


@dataclass(frozen=True)
class Certificates:
    """A CA with a server certificate for localhost and one for another name.

    Attributes:
        ca_file: PEM file of the CA.
        good: Server context whose certificate names localhost and 127.0.0.1.
        misnamed: Server context whose certificate names another host.
        client_cert: PEM file with a client certificate and its key.
        demanding: Server context that wants a client certificate.
    """

    ca_file: Path
    good: ssl.SSLContext
    misnamed: ssl.SSLContext
    client_cert: Path
    demanding: ssl.SSLContext

    @classmethod
    def make(cls, folder: Path) -> Certificates:
        """Make everything in a folder."""
        ca = trustme.CA()
        ca_file, client_cert = folder / "ca.pem", folder / "client.pem"
        ca.cert_pem.write_to_path(str(ca_file))
        ca.issue_cert("client@sender.test").private_key_and_cert_chain_pem.write_to_path(
            str(client_cert)
        )
        demanding = _server_context(ca, "localhost", "127.0.0.1")
        demanding.verify_mode = ssl.CERT_REQUIRED
        demanding.load_verify_locations(str(ca_file))
        return cls(
            ca_file=ca_file,
            good=_server_context(ca, "localhost", "127.0.0.1"),
            misnamed=_server_context(ca, "elsewhere.test"),
            client_cert=client_cert,
            demanding=demanding,
        )


def _server_context(ca: trustme.CA, *names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert(*names).configure_cert(context)
    return context
