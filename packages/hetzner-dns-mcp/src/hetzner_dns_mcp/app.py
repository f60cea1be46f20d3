"""The objects behind the tools: settings, client, allowlist, and which zone is meant."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from pydantic import SecretStr

from hetzner_dns_mcp import __version__, names, views
from hetzner_dns_mcp.addresses import Address, LookUp, system_look_up
from hetzner_dns_mcp.allowlist import ZoneAllowlist
from hetzner_dns_mcp.api.client import HetznerClient
from hetzner_dns_mcp.api.error_hints import EXISTING_RRSET
from hetzner_dns_mcp.api.transport import connect
from hetzner_dns_mcp.api.types import RRSetRef
from hetzner_dns_mcp.argument_types import Record
from hetzner_dns_mcp.backup import Backups
from hetzner_dns_mcp.facts import RRSetFacts, ZoneReader
from hetzner_dns_mcp.record_plan import Action, Present, RecordPlan
from hetzner_dns_mcp.record_plan import plan as plan_records
from hetzner_dns_mcp.records.normalize import Prepared, prepare
from hetzner_dns_mcp.records.txt import content_of, policy_of
from hetzner_dns_mcp.records.type_rules import TARGETS
from hetzner_dns_mcp.views import NOTHING_CHANGES, RecordsWritten
from hetzner_dns_mcp.zone_rules import State
from hetzner_dns_mcp.zonefile.content import SetKey
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
    resolvers: tuple[Address, ...]


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
        look_up: Finds the addresses of name servers.
    """

    settings: HetznerSettings
    client: HetznerClient
    allowlist: ZoneAllowlist
    zones: ZoneReader
    backups: Backups
    offered: frozenset[str]
    look_up: LookUp
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
        self, ref: RRSetRef, records: list[Record], ttl: int | None = None
    ) -> Prepared:
        """Check the records of a call and bring them to the API's form.

        Args:
            ref: Their set.
            records: The records.
            ttl: The set's time to live, if the call gives it.

        Raises:
            BadArgument: A value that cannot be right.
        """
        return await asyncio.to_thread(
            prepare,
            records,
            name=ref.name,
            record_type=ref.type,
            zone=await self._zone_of_values(ref),
            mode=self.settings.validation,
            ttl=ttl,
        )

    async def _zone_of_values(self, ref: RRSetRef) -> str | None:
        """Return the zone's name for its values; for a TXT nothing is read to learn it."""
        if ref.type in TARGETS:
            return await self.known_zone_name(ref.zone)
        return self._zone_names.get(ref.zone) if names.is_zone_id(ref.zone) else ref.zone

    async def present(
        self, ref: RRSetRef, *, may_be_missing: bool = False
    ) -> tuple[RRSetFacts, Present]:
        """Read a record set and what stands around it, for a question.

        Raises:
            ToolFailure: The call is bound to fail.
        """
        facts = await self.zones.rrset(ref, may_be_missing=may_be_missing)
        zone_name = await self.known_zone_name(ref.zone)
        around = await self.zones.around(ref, zone_name)
        return facts, Present.of(SetKey(ref.name, ref.type), zone_name, facts, around)

    async def present_for_new(self, ref: RRSetRef) -> Present:
        """Read what stands at a name where a set is to be created.

        Raises:
            ToolFailure: The set exists, so the call is bound to fail.
        """
        beside = await self.zones.at_name(ref)
        if beside is not None and ref.type in beside:
            raise ToolFailure(EXISTING_RRSET, code="uniqueness_error")
        zone_name = await self.known_zone_name(ref.zone)
        around = await self.zones.around(ref, zone_name)
        facts = RRSetFacts() if beside is None else RRSetFacts(exists=False, records=0)
        return Present.of(SetKey(ref.name, ref.type), zone_name, facts, around).beside(beside or {})

    def plan(
        self, action: Action, present: Present, prepared: Prepared, ttl: int | None = None
    ) -> RecordPlan:
        """Find out what a write of records would do.

        Raises:
            BadArgument: The API would refuse it.
        """
        plan = plan_records(action, present, prepared, mode=self.settings.validation, ttl=ttl)
        plan.refuse_errors("type" if action == "delete" else "records")
        return plan

    async def beside_policies(
        self, ref: RRSetRef, prepared: Prepared, plan: RecordPlan
    ) -> RecordPlan:
        """Look at the set that a policy is added to where nobody is asked.

        Nothing else is read for such a call, and an ACME challenge is never held up.
        """
        if (
            ref.type != "TXT"
            or self.settings.validation == "off"
            or "_acme-challenge" in ref.name.split(".")
            or not any(policy_of(content_of(value)) for value in prepared.values)
        ):
            return plan
        try:
            facts = await self.zones.rrset(ref, may_be_missing=True)
        except ToolFailure:
            return plan
        unknown = State("", {}, whole=False)
        present = Present.of(SetKey(ref.name, ref.type), None, facts, unknown)
        judged = plan_records("add", present, prepared, mode="warn")
        return replace(plan, warnings=judged.warnings)

    async def record_result(
        self, result: Document, ref: RRSetRef, plan: RecordPlan | None = None
    ) -> RecordsWritten:
        """Add to the result of a write what is unusual about it, and the full name."""
        earlier = result.get("warnings")
        warnings = [*(earlier if isinstance(earlier, list) else [])]
        warnings += [] if plan is None else plan.warnings
        if warnings:
            result["warnings"] = warnings
        zone_name = await self.known_zone_name(ref.zone)
        if zone_name is not None:
            result["full_name"] = names.absolute(ref.name, zone_name)
        return cast("RecordsWritten", views.with_rate_limit(result, self.client.api))

    async def unchanged(self, ref: RRSetRef, plan: RecordPlan) -> RecordsWritten:
        """Return the result of a call that was approved and needs no write."""
        told: Document = {"changed": False, "warnings": [NOTHING_CHANGES]}
        return await self.record_result(told, ref, plan)


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
    look_up: LookUp = system_look_up,
) -> Hetzner:
    """Build the app from parsed settings.

    Args:
        values: The settings.
        offered: Names of the tools on offer.
        sleep: Waits between repeats and looks.
        clock: Monotonic seconds.
        now: Unix time.
        look_up: Finds the addresses of name servers.
    """
    settings = HetznerSettings.from_values(values)
    agent = f"hetzner-dns-mcp/{__version__}"
    api = connect(
        settings, settings.base_url, secret(settings.token) or "", agent, sleep=sleep, now=now
    )
    client = HetznerClient(api, action_wait=settings.action_wait, sleep=sleep, clock=clock)
    allowlist = ZoneAllowlist(settings.zone_allowlist, client)
    client.may_name = allowlist.lists
    return Hetzner(
        settings,
        client,
        allowlist,
        ZoneReader(client),
        Backups(settings.backup_dir, now),
        frozenset(offered),
        look_up,
    )
