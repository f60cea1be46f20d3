"""The objects behind the tools: settings, client, allowlist, and which zone is meant."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pydantic import SecretStr

from hetzner_dns_mcp import __version__, names, views
from hetzner_dns_mcp.allowlist import ZoneAllowlist
from hetzner_dns_mcp.api.client import HetznerClient
from hetzner_dns_mcp.api.transport import connect
from hetzner_dns_mcp.api.types import RRSetRef
from hetzner_dns_mcp.argument_types import Record
from hetzner_dns_mcp.backup import Backups
from hetzner_dns_mcp.facts import ZoneFacts, ZoneReader
from hetzner_dns_mcp.import_plan import ImportPlan, plan_replacement
from hetzner_dns_mcp.records.normalize import Prepared, prepare
from hetzner_dns_mcp.records.type_rules import TARGETS
from hetzner_dns_mcp.zonefile.content import UnreadableZoneError, ZoneContent
from mcp_serverkit.config.settings import Values
from mcp_serverkit.config.typed_settings import ServerSettings, secret
from mcp_serverkit.errors import BadArgument, ToolFailure
from mcp_serverkit.http.json_fields import Document, text_of


class HetznerSettings(ServerSettings):
    """Settings of this server."""

    token: SecretStr | None
    base_url: str
    zone_allowlist: tuple[str, ...]
    validation: str
    ask_also: tuple[str, ...]
    action_wait: int
    backup_dir: str | None


@dataclass(frozen=True, slots=True)
class Hetzner:
    """What a tool of this server works with.

    Attributes:
        settings: The settings.
        client: The API client.
        allowlist: The zones that may be touched.
        zones: Reads zones for questions about them.
        backups: Where zone files are kept before a loss.
        offered: Names of the tools that are offered.
    """

    settings: HetznerSettings
    client: HetznerClient
    allowlist: ZoneAllowlist
    zones: ZoneReader
    backups: Backups
    offered: frozenset[str]
    _zone_names: dict[str, str] = field(default_factory=dict)

    async def aclose(self) -> None:
        """Close the client."""
        await self.client.aclose()

    async def check(self) -> list[str]:
        """Read one zone."""
        answer = await self.client.list_zones([("per_page", "1")])
        pagination = answer.body.get("meta") if isinstance(answer.body, dict) else None
        entry = pagination.get("pagination") if isinstance(pagination, dict) else None
        total = entry.get("total_entries") if isinstance(entry, dict) else None
        count = total if isinstance(total, int) else "an unknown number of"
        return [f"reached {self.settings.base_url}", f"the token reads {count} zones"]

    async def rrset(self, zone: str, name: str, record_type: str) -> RRSetRef:
        """Find out which record set is meant.

        Raises:
            BadArgument: The zone is outside the allowlist, or the name outside the zone.
            ToolFailure: The zone's name was needed and could not be read.
        """
        await self.allowlist.require_allowed(zone)
        if "." in name:
            try:
                name = names.relative(name, await self.zone_name(zone))
            except ValueError as error:
                raise BadArgument("name", str(error)) from None
        return RRSetRef(zone, name, record_type)

    async def zone_name(self, zone: str) -> str:
        """Return the name of a zone that may be given by its id.

        Raises:
            ToolFailure: It could not be read.
        """
        if not names.is_zone_id(zone):
            return zone
        if zone not in self._zone_names:
            document = (await self.client.get_zone(zone)).document("zone")
            self._zone_names[zone] = _host_name(document, zone)
        return self._zone_names[zone]

    async def known_zone_name(self, zone: str) -> str | None:
        """Return the same for showing it: nothing when it cannot be read."""
        try:
            return await self.zone_name(zone)
        except ToolFailure:
            return None

    async def prepare(
        self,
        ref: RRSetRef,
        records: list[Record],
        ttl: int | None = None,
        *,
        removing: bool = False,
    ) -> Prepared:
        """Check the records of a call and bring them to the API's form.

        Args:
            ref: Their set.
            records: The records.
            ttl: The set's time to live, if the call gives it.
            removing: Whether they are to go: what is wrong must be removable.

        Raises:
            BadArgument: A value that cannot be right.
        """
        mode = self.settings.validation
        return await asyncio.to_thread(
            prepare,
            records,
            name=ref.name,
            record_type=ref.type,
            zone=await self.known_zone_name(ref.zone) if ref.type in TARGETS else None,
            mode="warn" if removing and mode == "strict" else mode,
            ttl=ttl,
        )

    async def plan_import(
        self, zone: str, facts: ZoneFacts, exported: str | None, text: str
    ) -> ImportPlan:
        """Find out what a zone file would do to a zone.

        Args:
            zone: The zone.
            facts: What is known of it.
            exported: Its present zone file.
            text: The file.
        """
        name = facts.name if names.is_zone_id(zone) else zone
        if name is None:
            return ImportPlan(unreadable=UnreadableZoneError("the name of the zone is unknown"))
        return await plan_replacement(
            text,
            name,
            await self.zones.present_content(exported, name),
            mode=self.settings.validation,
            zone_ttl=facts.ttl,
            assigned=facts.assigned,
        )

    async def plan_new_zone(self, name: str, text: str) -> ImportPlan:
        """Look over the first content of a zone that is to be created.

        Raises:
            BadArgument: The API would refuse it.
        """
        plan = await plan_replacement(
            text, name, ZoneContent({}), mode=self.settings.validation, creating=True
        )
        plan.refuse_errors(creating=True)
        return plan

    def no_complete_copy(self, exported: str | None) -> str:
        """Say so when a zone is too large for a result and no backup will be kept."""
        if exported is None or self.settings.backup_dir is not None:
            return ""
        shown = views.zonefile_chars(exported)
        if shown == len(exported):
            return ""
        return (
            " No complete copy of the old zone will be kept: the result holds "
            f"{shown} of {len(exported)} characters."
        )


def _host_name(document: Document, zone: str) -> str:
    name = text_of(document, "name") or ""
    try:
        return names.zone_name(name)
    except ValueError:
        raise ToolFailure(f"zone {zone}: its name could not be read") from None


def build(
    values: Values,
    offered: Sequence[str],
    *,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
    now: Callable[[], float] = time.time,
) -> Hetzner:
    """Build the app from parsed settings.

    Args:
        values: The settings.
        offered: Names of the tools on offer.
        sleep: Waits between repeats and looks.
        clock: Monotonic seconds.
        now: Unix time.
    """
    settings = HetznerSettings.from_values(values)
    agent = f"hetzner-dns-mcp/{__version__}"
    api = connect(
        settings, settings.base_url, secret(settings.token) or "", agent, sleep=sleep, now=now
    )
    client = HetznerClient(api, action_wait=settings.action_wait, sleep=sleep, clock=clock)
    return Hetzner(
        settings,
        client,
        ZoneAllowlist(settings.zone_allowlist, client),
        ZoneReader(client),
        Backups(settings.backup_dir, now),
        frozenset(offered),
    )
