"""Parsers of settings that only this server has. None of their texts repeats a value."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from mcp_serverkit.config import parsers
from smtp_mcp.file_types import KNOWN_TYPES
from smtp_mcp.mailbox import ascii_domain

# A page is no signature any more.
SIGNATURE_CHARS = 2000

_NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?\.?"
_LINE_BREAKS = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"


def host(value: str, _warnings: list[str]) -> str:
    """Read a host name or address; an IPv6 address may stand in brackets."""
    from ipaddress import AddressValueError, IPv6Address

    inner = value[1:-1] if value.startswith("[") and value.endswith("]") else value
    if ":" in inner:
        try:
            return str(IPv6Address(inner))
        except AddressValueError:
            raise ValueError(
                "must be a host alone: no scheme, no port (that is SMTP_PORT), no user"
            ) from None
    if inner != value or not re.fullmatch(_NAME, inner):
        raise ValueError("must be a host name or an IP address, nothing else")
    return inner


def exact(*words: str) -> parsers.Parser:
    """Make a parser for one of a few words, spelled exactly so."""

    def parse(value: str, _warnings: list[str]) -> str:
        if value not in words:
            raise ValueError(f"must be exactly one of {', '.join(words)}")
        return value

    return parse


def one_line(value: str, _warnings: list[str]) -> str:
    """Take a text without line breaks and control characters."""
    if re.search(_LINE_BREAKS, value):
        raise ValueError("holds a line break or another control character")
    return value


def directory(value: str, warnings: list[str]) -> str:
    """Check that a directory is there, and name it by its real path."""
    real = os.path.realpath(os.path.expanduser(one_line(value, warnings)))
    if not os.path.isdir(real):
        raise ValueError("is not a directory that this server can see")
    return real


def writable_directory(value: str, warnings: list[str]) -> str:
    """Check that a directory is there and takes files, and name it by its real path."""
    real = directory(value, warnings)
    if not os.access(real, os.W_OK | os.X_OK):
        raise ValueError("is a directory that this server cannot write to")
    return real


def content_types(value: str, warnings: list[str]) -> tuple[str, ...]:
    """Read the list of allowed content types."""
    entries = tuple(dict.fromkeys(entry.lower() for entry in parsers.comma_list(value, warnings)))
    for position, entry in enumerate(entries, 1):
        if entry not in KNOWN_TYPES:
            known = ", ".join(sorted(KNOWN_TYPES))
            raise ValueError(f"entry {position} is a type without a known extension; use {known}")
    return entries


def signature(value: str, _warnings: list[str]) -> str:
    """Check the text below each message."""
    if len(value) > SIGNATURE_CHARS:
        raise ValueError(f"has {len(value)} characters; at most {SIGNATURE_CHARS} are possible")
    if re.search(r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", value):
        raise ValueError("holds a control character")
    return value


def readable(value: str, warnings: list[str]) -> str:
    """Check that a file can be read."""
    path = os.path.expanduser(one_line(value, warnings))
    try:
        with open(path, "rb") as file:
            file.read(1)
    except OSError as error:
        raise ValueError(parsers.unreadable(path, error)) from None
    return path


def token_url(value: str, _warnings: list[str]) -> str:
    """Read the address of an OAuth token service: https, or loopback for tests."""
    try:
        parts = urlsplit(value)
        name, _ = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError("is not a URL that can be read") from None
    plain = parts.scheme == "http" and parsers.is_loopback(name)
    if not name or parts.username is not None or not (parts.scheme == "https" or plain):
        raise ValueError("must be an https:// URL without user and password")
    if re.search(_LINE_BREAKS, value) or " " in value:
        raise ValueError("holds white space or a control character")
    return value


def domain(value: str, _warnings: list[str]) -> str:
    """Read a host name for EHLO, or an address literal in brackets."""
    if re.fullmatch(r"\[(?:IPv6:)?[0-9A-Fa-f:.]{2,45}\]", value):
        return value
    try:
        return ascii_domain(value)
    except ValueError:
        raise ValueError("must be a host name") from None
