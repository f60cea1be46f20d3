"""Reading of the usual proxy variables.

httpx reads them itself when its client is built and fails there on a bad value; a
server must answer instead, at the first call, and say which variable is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from mcp_approval.environment.parsers import is_loopback


class UnusableProxyError(ValueError):
    """A proxy variable holds no proxy; the text names the variable."""


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """Return the proxy that a URL goes through, if any.

    Loopback addresses never do.

    Raises:
        UnusableProxyError: The variable that applies holds no usable proxy; its value, which
            may hold a password, is not repeated.
    """
    target = urlsplit(url)
    host = target.hostname or ""
    if is_loopback(host) or _exempt(host, target.port, environ):
        return None
    for stem in (f"{target.scheme}_proxy", "all_proxy"):
        for name in (stem, stem.upper()):
            if value := environ.get(name, "").strip():
                return _usable(name, value)
    return None


def _usable(name: str, value: str) -> str:
    full = value if "://" in value else f"http://{value}"
    try:
        parts = urlsplit(full)
        host = parts.hostname or ""
        usable = parts.scheme in {"http", "https"} and host.isascii() and bool(host)
        usable = usable and parts.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"[\s\x00-\x1f\x7f]", full):
        raise UnusableProxyError(
            f"{name} holds no http:// or https:// proxy that can be used. Correct it, or name "
            "the host in NO_PROXY."
        )
    return full


def _exempt(host: str, port: int | None, environ: Mapping[str, str]) -> bool:
    listed = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    return any(_covers(entry.lower(), host.lower(), port) for entry in re.split(r"[\s,]+", listed))


def _covers(entry: str, host: str, port: int | None) -> bool:
    if entry == "*":
        return True
    name, _, wanted = entry.rpartition(":")
    if name and wanted.isdigit() and ":" not in name:
        if port != int(wanted):
            return False
        entry = name
    entry = entry.lstrip("*").strip("[]")
    if not entry:
        return False
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        return host == entry.lstrip(".") or host.endswith(f".{entry.lstrip('.')}")
