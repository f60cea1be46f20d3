"""Which resolvers an operator allows, and how the address of a name server is found."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeAlias

from mcp_serverkit.config import parsers

# RFC 1035, 4.2.
DNS_PORT = 53
# Those of two providers, each with its second one.
_RESOLVERS = 4


class Address(NamedTuple):
    """Where a name server listens."""

    host: str
    port: int = DNS_PORT

    @property
    def shown(self) -> str:
        """The address, with its port where that is unusual."""
        if self.port == DNS_PORT:
            return self.host
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


LookUp: TypeAlias = Callable[[str], Awaitable[Sequence[Address]]]
"""Finds the addresses of a host; raises OSError when there are none."""


async def system_look_up(host: str) -> list[Address]:
    """Ask the system for the addresses of a host."""
    import asyncio
    import socket

    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, DNS_PORT, type=socket.SOCK_DGRAM)
    return [Address(str(entry[4][0])) for entry in found]


def resolver_list(value: str, warnings: list[str]) -> tuple[Address, ...]:
    """Read the resolvers: ADDRESS, ADDRESS:PORT, or [ADDRESS]:PORT."""
    entries = parsers.comma_list(value, warnings)
    if len(entries) > _RESOLVERS:
        raise ValueError(f"lists {len(entries)} resolvers; at most {_RESOLVERS} are possible")
    return tuple(_resolver(position, entry) for position, entry in enumerate(entries, 1))


def _resolver(position: int, entry: str) -> Address:
    found = re.fullmatch(r"(?:\[([^\]]+)\]|([^:\[\]]+))(?::([0-9]{1,5}))?", entry)
    host = entry if found is None else found[1] or found[2]
    port = DNS_PORT if found is None else int(found[3] or DNS_PORT)
    try:
        parsed = ipaddress.ip_address(host)
    except ValueError:
        parsed = None
    if parsed is None or getattr(parsed, "scope_id", None) or not 1 <= port <= 65_535:
        raise ValueError(f"entry {position} is no ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT")
    return Address(str(parsed), port)
