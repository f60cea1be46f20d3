"""Why there is no connection: never in a library's text."""

from __future__ import annotations

import errno
import os
import socket
import ssl

import pytest

from mcp_serverkit.causes import UNKNOWN_HOST, certificate_reason, network_reason

LIBRARY = "Connect call failed ('127.0.0.1', 9)"


@pytest.mark.requirement("F-21")
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.ECONNREFUSED, LIBRARY), "connection refused"),
        (OSError(errno.ENETUNREACH, LIBRARY), os.strerror(errno.ENETUNREACH).lower()),
        (
            OSError(f"Multiple exceptions: [Errno 111] {LIBRARY}, [Errno 113] {LIBRARY}"),
            os.strerror(111).lower(),
        ),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), UNKNOWN_HOST),
        (socket.gaierror(socket.EAI_AGAIN, "tk_secret"), UNKNOWN_HOST),
        (OSError("tk_secret"), None),
        (OSError(0, "tk_secret"), None),
        (ValueError("[Errno 111]"), None),
    ],
)
def test_a_cause_is_told_by_type_and_number(error: Exception, reason: str | None) -> None:
    assert network_reason(error) == reason


@pytest.mark.parametrize(
    ("code", "reason"),
    [(10, "it has expired"), (62, "it is for another name"), (7, "verification 7")],
)
def test_a_certificate_is_judged_by_its_number(code: int, reason: str) -> None:
    error = ssl.SSLCertVerificationError("tk_secret")
    error.verify_code = code
    error.verify_message = "tk_secret"
    assert certificate_reason(error) == reason
