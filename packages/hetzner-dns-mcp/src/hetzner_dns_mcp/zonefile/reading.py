"""Reading zone files without holding anybody up.

A reading takes seconds for a large zone, so it runs in a thread, which hands the event
loop its turn every few milliseconds.
"""

from __future__ import annotations

from hetzner_dns_mcp.zonefile.content import ZoneContent


async def read_zonefile(text: str, zone: str, zone_ttl: int | None = None) -> ZoneContent:
    """Read a zone file without holding up the event loop.

    Args:
        text: The zone file.
        zone: Name of the zone, in normal form.
        zone_ttl: The zone's present TTL, for a file that names no default.

    Raises:
        UnreadableZoneError: It cannot be read here; the text may quote the file.
    """
    import asyncio
    import threading

    from hetzner_dns_mcp.zonefile.parser import parse_zonefile

    stop = threading.Event()
    try:
        return await asyncio.to_thread(parse_zonefile, text, zone, stop, zone_ttl=zone_ttl)
    finally:
        stop.set()
