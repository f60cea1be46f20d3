"""What to say of a zone that is none: perhaps it is a name in a zone of the project."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from hetzner_dns_mcp.api.types import APIAnswer, Query
from mcp_serverkit.errors import Refused
from mcp_serverkit.http.json_fields import text_of

PARENTS = 3
"""Parents of a name that are looked for when it is no zone."""


class ListsZones(Protocol):
    """What looking for a zone needs of the client."""

    @property
    def may_name(self) -> Callable[[str], bool]:
        """Whether a zone that a caller did not name may be looked for and named."""

    async def list_zones(self, query: Query = ()) -> APIAnswer:
        """Read one page of zones."""


async def parent_zone(client: ListsZones, zone: str) -> str:
    """Say in which zone of the project a name lies that is no zone itself.

    The parents with two labels or more are looked for, the nearest first, and only those
    that may be touched.
    """
    name = zone
    for _ in range(PARENTS):
        name = name.partition(".")[2]
        if "." not in name:
            break
        if not client.may_name(name):
            continue
        found = (await client.list_zones([("name", name)])).documents("zones")
        if any(text_of(entry, "name") == name for entry in found):
            below = zone.removesuffix(f".{name}")
            return f"It lies in a zone of this project: zone {name}, name {below}."
    return "A zone has a registrable name, such as example.com; names below it are records."


def says_zone(refusal: Refused) -> bool:
    """Tell whether it is the zone that is missing, not a record set in it."""
    said = refusal.body.lower()
    return "zone" in said and "rrset" not in said
