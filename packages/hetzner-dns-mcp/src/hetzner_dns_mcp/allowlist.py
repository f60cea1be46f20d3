"""Which zones the tools may touch."""

from __future__ import annotations

from hetzner_dns_mcp import names
from hetzner_dns_mcp.api.client import HetznerClient
from mcp_serverkit.errors import BadArgument, Refused
from mcp_serverkit.http.json_fields import Document, number_of, text_of


class ZoneAllowlist:
    """The zones that this server may touch: all, or those that the operator listed."""

    def __init__(self, listed: tuple[str, ...], client: HetznerClient) -> None:
        self.listed = frozenset(listed)
        self._client = client
        self._known: dict[str, str] = {}

    async def require_allowed(self, zone: str, argument: str = "zone") -> str:
        """Return a zone that may be touched.

        An id against a list of names, or a name against a list of ids, is looked up once.

        Raises:
            BadArgument: It may not be touched, or cannot be a zone; nothing was sent to it.
        """
        if "." not in zone and not names.is_zone_id(zone):
            raise BadArgument(
                argument,
                f'"{zone}" is neither a zone\'s id nor a registrable name such as example.com',
            )
        if not self.listed or zone in self.listed or self._known.get(zone) in self.listed:
            return zone
        by_id = names.is_zone_id(zone)
        if any(names.is_zone_id(entry) is not by_id for entry in self.listed):
            other = await self._other_name(zone)
            if other in self.listed:
                self._known[zone] = other
                return zone
        raise BadArgument(argument, f'"{zone}" is not among the zones of HETZNER_ZONE_ALLOWLIST')

    def lists(self, zone: str) -> bool:
        """Tell whether a zone may be touched by its name alone."""
        return not self.listed or zone in self.listed

    def admits(self, zone: Document) -> bool:
        """Tell whether a zone as the API shows it may be touched."""
        return (
            not self.listed
            or text_of(zone, "name") in self.listed
            or str(number_of(zone, "id")) in self.listed
        )

    async def zone_ids(self) -> frozenset[int]:
        """Return the ids of the listed zones that exist."""
        ids = {int(entry) for entry in self.listed if names.is_zone_id(entry)}
        for entry in sorted(self.listed):
            if names.is_zone_id(entry):
                continue
            other = self._known.get(entry) or await self._other_name(entry)
            if names.is_zone_id(other):
                self._known[entry] = other
                ids.add(int(other))
        return frozenset(ids)

    def forget(self, zone: str) -> None:
        """Forget what was looked up of a zone that is gone."""
        self._known.pop(zone, None)

    async def _other_name(self, zone: str) -> str:
        """Look up the name of an id, or the id of a name; empty when there is none."""
        try:
            document = (await self._client.get_zone(zone)).document("zone")
        except Refused as refusal:
            if refusal.status != 404:
                raise
            return ""
        if names.is_zone_id(zone):
            return text_of(document, "name") or ""
        return str(number_of(document, "id") or "")
