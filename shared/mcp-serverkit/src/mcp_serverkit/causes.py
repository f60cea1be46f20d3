"""Why there is no connection, in the system's words or our own.

Chosen by type and number: the texts that asyncio, OpenSSL and HTTP libraries put into their
errors name addresses, can quote what was sent, and change between versions.
"""

from __future__ import annotations

import os
import re
import socket
import ssl

UNKNOWN_HOST = "the name of its host is not known here"

_CERTIFICATE = {
    9: "it is not valid yet",
    10: "it has expired",
    18: "it is signed by itself alone",
    19: "it comes from an authority that is not known here",
    20: "it comes from an authority that is not known here",
    21: "it comes from an authority that is not known here",
    62: "it is for another name",
    64: "it is for another address",
}
"""OpenSSL's numbers of what is wrong with a certificate."""


def network_reason(error: BaseException) -> str | None:
    """Name the cause of a failed connection; nothing when the error names none."""
    if isinstance(error, socket.gaierror):
        return UNKNOWN_HOST
    if not isinstance(error, OSError):
        return None
    number = error.errno
    if number is None:
        # Several addresses were tried: asyncio keeps their numbers in nothing but its text.
        found = re.search(r"\[Errno ([0-9]{1,4})\]", str(error))
        number = int(found[1]) if found else None
    return os.strerror(number).lower() if number is not None and number > 0 else None


def certificate_reason(error: ssl.SSLCertVerificationError) -> str:
    """Say what is wrong with a certificate."""
    return _CERTIFICATE.get(error.verify_code, f"verification {error.verify_code}")
