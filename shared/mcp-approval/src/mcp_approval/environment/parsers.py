"""Parsers of setting values: plain functions, used once for every purpose.

Each takes the trimmed text of a variable and a list for warnings, returns the value,
and raises `ValueError` with a text that completes "VARIABLE: ...". No text repeats a
value, but for one short plain word.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import quote, urlsplit

Parser: TypeAlias = Callable[[str, list[str]], object]

SECRET_FILE_BYTES = 64 * 1024
"""Size limit of a file that holds a secret."""

_PROTECT = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
_VISIBLE_ASCII = r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?"


UNFILLED = "is still the placeholder of the client's configuration; put in the value"
NOT_FILLED_IN = "looks like a variable that the client did not fill in"


def is_unfilled(value: str) -> bool:
    """Tell whether a value is a placeholder such as `${TOKEN}` or `<your-token>`."""
    return re.fullmatch(r"\$\{[^}]*\}|<your[-_ ][^>]*>", value, re.IGNORECASE) is not None


def is_shell_name(value: str) -> bool:
    """Tell whether a value looks like `$NAME` or `%NAME%`."""
    return re.fullmatch(r"\$[A-Z][A-Z0-9_]{2,}|%[A-Z][A-Z0-9_]{2,}%", value) is not None


def describe(value: str) -> str:
    """Name a refused value without risking a secret: one short word, or its length."""
    if re.fullmatch(r"[A-Za-z]{1,8}", value):
        return f'"{value}"'
    from mcp_approval.wording import counted  # only a refused value is described

    return f"a value of {counted(len(value), 'character')}"


def text(value: str, _warnings: list[str]) -> str:
    """Take any text."""
    return value


def protecting_switch(value: str, _warnings: list[str]) -> bool:
    """Read a switch that protects: generous in spelling, strict about anything else."""
    try:
        return _PROTECT[value.lower()]
    except KeyError:
        accepted = "1, true, yes, on or 0, false, no, off"
        raise ValueError(f"{describe(value)} is neither; use {accepted}") from None


def permitting_switch(value: str, warnings: list[str]) -> bool:
    """Read a switch that permits: on for exactly `true`, anything else leaves it off."""
    if value not in {"true", "false"}:
        warnings.append(f"{describe(value)} leaves it off; only true turns it on")
    return value == "true"


def integer(low: int, high: int) -> Parser:
    """Make a parser for a whole number within bounds."""

    def parse(value: str, _warnings: list[str]) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", value) or not low <= int(value) <= high:
            shown = value if re.fullmatch(r"[+-]?[0-9]{1,5}", value) else describe(value)
            raise ValueError(f"must be a whole number from {low} to {high}, not {shown}")
        return int(value)

    return parse


def choice(*words: str) -> Parser:
    """Make a parser for one of a few words, in any case."""

    def parse(value: str, _warnings: list[str]) -> str:
        if value.lower() not in words:
            raise ValueError(f"must be one of {', '.join(words)}, not {describe(value)}")
        return value.lower()

    return parse


def comma_list(value: str, _warnings: list[str]) -> tuple[str, ...]:
    """Split a comma list; empty entries drop out, but one must remain.

    A list that limits would limit nothing if it were empty, so emptiness has to be said by
    leaving the variable unset.
    """
    entries = tuple(entry for part in value.split(",") if (entry := part.strip()))
    if not entries:
        raise ValueError("holds no entry; leave it unset if nothing is to be limited")
    for position, entry in enumerate(entries, 1):
        if is_unfilled(entry):
            raise ValueError(f"entry {position} {UNFILLED}")
        if is_shell_name(entry):
            raise ValueError(f"entry {position} {NOT_FILLED_IN}")
    return entries


def bearer(value: str, _warnings: list[str]) -> str:
    """Check a token that will stand in a header."""
    if not 1 <= len(value) <= 512:
        raise ValueError(f"must have 1 to 512 characters, not {len(value)}")
    if not re.fullmatch(_VISIBLE_ASCII, value):
        position = next(
            index for index, character in enumerate(value, 1) if not "\x20" <= character <= "\x7e"
        )
        raise ValueError(
            f"character {position} of {len(value)} is not visible ASCII; check for a line break "
            "or a stray character from copying"
        )
    return value


def password(value: str, _warnings: list[str]) -> str:
    """Check a password: any text that a transport can carry."""
    if len(value) > 512:
        raise ValueError(f"must have at most 512 characters, not {len(value)}")
    for position, character in enumerate(value, 1):
        if ord(character) < 0x20 or "\x7f" <= character <= "\x9f" or _is_surrogate(character):
            raise ValueError(f"character {position} of {len(value)} is a control character")
    return value


def readable_file(value: str, _warnings: list[str]) -> str:
    """Check that a file with certificates can be read."""
    path = os.path.expanduser(value)
    try:
        with open(path, "rb") as file:
            content = file.read(4 * 1024 * 1024)
    except (OSError, ValueError) as error:
        raise ValueError(unreadable(path, error)) from None
    if b"-----BEGIN CERTIFICATE-----" not in content:
        raise ValueError("holds no PEM certificate")
    return path


def http_url(value: str, warnings: list[str]) -> str:
    """Check a base URL and cut it to scheme, host, port and path.

    The value is never repeated: a token pasted into the wrong line often parses as a URL.
    """
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        raise ValueError("is not a URL that can be read") from None
    if re.search(r"[\x00-\x20\x7f-\x9f]", value) or any(map(_is_surrogate, value)):
        raise ValueError("holds white space or a control character")
    if parts.scheme.lower() not in {"http", "https"}:
        raise ValueError("must begin with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a user name or password; there are variables for them")
    if not parts.hostname or not re.fullmatch(r"[^\s\"'<>\\^`{|}%]{1,255}", parts.hostname):
        raise ValueError("must name a host")
    dropped = [
        word for word, part in (("query", parts.query), ("fragment", parts.fragment)) if part
    ]
    if dropped:
        warnings.append(f"its {' and '.join(dropped)} is not used")
    host = _ascii_host(parts.hostname)
    authority = host if port is None else f"{host}:{port}"
    path = quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=~")
    return f"{parts.scheme.lower()}://{authority}{path}"


def _ascii_host(host: str) -> str:
    if ":" in host:
        return f"[{host}]"
    try:
        return host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        raise ValueError("names a host that is no domain name") from None


def is_loopback(host: str) -> bool:
    """Tell whether a host name or address stays on this machine."""
    from ipaddress import IPv6Address, ip_address

    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback


def read_secret_file(path: str, warnings: list[str]) -> str:
    """Read the content of an `X_FILE` variable; `~` is the home of whoever runs the server.

    Raises:
        ValueError: Unreadable, empty or too large; the path is not repeated.
    """
    path = os.path.expanduser(path)
    try:
        with open(path, "rb") as file:
            content = file.read(SECRET_FILE_BYTES + 1)
            mode = os.fstat(file.fileno()).st_mode
    except (OSError, ValueError) as error:
        raise ValueError(unreadable(path, error)) from None
    if len(content) > SECRET_FILE_BYTES:
        raise ValueError(f"is larger than {SECRET_FILE_BYTES // 1024} KiB")
    if not content.strip():
        raise ValueError("is empty")
    if os.name == "posix" and mode & 0o004:
        warnings.append("the file can be read by every user of this machine")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text") from None


def unreadable(path: str, error: Exception) -> str:
    """Say why a file cannot be read; the path is not repeated, it may be a secret itself."""
    if isinstance(error, FileNotFoundError):
        reason = "no such file"
    elif isinstance(error, OSError):
        reason = os.strerror(error.errno).lower() if error.errno else "error"
    else:
        reason = "not a path"
    if os.path.isabs(path):
        return f"cannot be read: {reason}"
    return (
        f"cannot be read: {reason}; a relative path is looked up where the client starts the server"
    )


def _is_surrogate(character: str) -> bool:
    return "\ud800" <= character <= "\udfff"
