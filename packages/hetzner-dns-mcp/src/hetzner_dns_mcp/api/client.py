"""Zones, record sets and actions of one project, as calls. Knows no MCP.

Writes to one zone go one after the other, and each is followed until Hetzner has
carried it out: the API refuses a second write while an action is running.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

from hetzner_dns_mcp.api.parents import parent_zone, says_zone
from hetzner_dns_mcp.api.transport import HetznerAPI, says_duplicate
from hetzner_dns_mcp.api.types import (
    APIAnswer,
    BeforeWrite,
    Body,
    Query,
    RRSetRef,
    Write,
    WriteRequest,
)
from mcp_serverkit.errors import Refused, ToolFailure
from mcp_serverkit.http.client import Method
from mcp_serverkit.http.json_fields import Document, number_of, object_of, text_of

POLL_WAITS = (0.5, 1.0, 2.0)
"""Seconds between looks at a running action; the last one repeats."""


class HetznerClient:
    """Calls the DNS part of the API.

    Args:
        api: Transport with the project's token.
        action_wait: Seconds that a write is followed; 0 returns the running action.
        sleep: Waits between looks.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        api: HetznerAPI,
        *,
        action_wait: float = 10.0,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.api = api
        self._action_wait = action_wait
        self._sleep = sleep
        self._clock = clock
        self._turns: dict[str, asyncio.Lock] = {}
        self._zone_names: dict[str, str] = {}
        self.may_name: Callable[[str], bool] = lambda _zone: True
        """Whether a zone that a caller did not name may be looked for and named."""

    async def aclose(self) -> None:
        """Close the connections."""
        await self.api.aclose()

    # Reading

    async def list_zones(self, query: Query = ()) -> APIAnswer:
        """Read one page of zones."""
        return await self.api.send("GET", "zones", query=query)

    async def get_zone(self, zone: str) -> APIAnswer:
        """Read a zone by id or name."""
        answer = await self._send("GET", ("zones", zone))
        self._remember(answer.document("zone"))
        return answer

    async def export_zonefile(self, zone: str) -> APIAnswer:
        """Read a primary zone as a zone file."""
        return await self._send("GET", ("zones", zone, "zonefile"))

    async def list_rrsets(self, zone: str, query: Query = ()) -> APIAnswer:
        """Read one page of record sets."""
        return await self._send("GET", ("zones", zone, "rrsets"), query=query)

    async def get_rrset(self, ref: RRSetRef) -> APIAnswer:
        """Read a record set."""
        return await self._send("GET", ref.segments)

    async def list_actions(self, zone: str | None, query: Query = ()) -> APIAnswer:
        """Read one page of actions, of one zone or of all."""
        segments = ("zones", "actions") if zone is None else ("zones", zone, "actions")
        return await self.api.send("GET", *segments, query=query)

    async def get_action(self, action_id: int) -> APIAnswer:
        """Read an action."""
        return await self.api.send("GET", "zones", "actions", str(action_id))

    # Zones

    async def create_zone(self, body: Body) -> Write:
        """Create a zone."""
        return await self._write(str(body["name"]), "POST", ("zones",), body)

    async def update_zone(self, zone: str, labels: Mapping[str, str]) -> Write:
        """Replace the labels of a zone."""
        return await self._write(zone, "PUT", ("zones", zone), {"labels": dict(labels)})

    async def delete_zone(self, zone: str) -> Write:
        """Delete a zone with all its records."""
        return await self._write(zone, "DELETE", ("zones", zone))

    async def zone_action(self, zone: str, action: str, body: Body) -> Write:
        """Start an action of a zone, such as `change_ttl` or `import_zonefile`."""
        return await self._write(zone, "POST", ("zones", zone, "actions", action), body)

    # Record sets

    async def create_rrset(self, zone: str, body: Body) -> Write:
        """Create a record set."""
        return await self._write(zone, "POST", ("zones", zone, "rrsets"), body)

    async def update_rrset(self, ref: RRSetRef, labels: Mapping[str, str]) -> Write:
        """Replace the labels of a record set."""
        return await self._write(ref.zone, "PUT", ref.segments, {"labels": dict(labels)})

    async def delete_rrset(self, ref: RRSetRef, check: BeforeWrite | None = None) -> Write:
        """Delete a record set."""
        return await self._write(ref.zone, "DELETE", ref.segments, check=check)

    async def rrset_action(
        self, ref: RRSetRef, action: str, body: Body, check: BeforeWrite | None = None
    ) -> Write:
        """Start an action of a record set, such as `set_records` or `change_ttl`."""
        segments = (*ref.segments, "actions", action)
        return await self._write(ref.zone, "POST", segments, body, check)

    async def add_records(
        self, ref: RRSetRef, body: Body, same: Callable[[str, str], bool] = str.__eq__
    ) -> Write:
        """Add records; values that are there already are no error.

        Args:
            ref: The record set; it is created when it is missing.
            body: `records`, and `ttl` where the set is new.
            same: Tells whether two values are the same record.
        """
        try:
            return await self.rrset_action(ref, "add_records", body)
        except Refused as refusal:
            if not says_duplicate(refusal):
                raise
            missing = await self._missing_records(ref, _records(body), same)
            if len(missing) == len(_records(body)):
                raise
        if not missing:
            return Write(APIAnswer(200, None), {}, changed=False)
        return await self.rrset_action(ref, "add_records", {**body, "records": missing})

    async def in_order(
        self, zone: str, requests: Sequence[WriteRequest]
    ) -> tuple[list[Write], ToolFailure | None]:
        """Make several writes in one turn of a zone, each followed until its action ends.

        It stops at the first failure, and at an action that still runs when the time for
        following is over.

        Returns:
            The writes that were made, and the failure that ended it, if one did.
        """
        made: list[Write] = []
        async with self._turn(zone):
            for request in requests:
                try:
                    answer = await self.api.send(
                        request.method, *request.segments, json=request.body
                    )
                    made.append(await self._follow(answer))
                except ToolFailure as failure:
                    return made, failure
                if made[-1].running:
                    break
        return made, None

    async def _missing_records(
        self, ref: RRSetRef, records: Sequence[Document], same: Callable[[str, str], bool]
    ) -> list[Document]:
        if len(records) == 1:
            return []
        present = (await self.get_rrset(ref)).document("rrset")
        values = [text_of(record, "value") or "" for record in _records(present)]
        return [
            record
            for record in records
            if not any(same(str(record["value"]), value) for value in values)
        ]

    async def _send(
        self,
        method: Method,
        segments: tuple[str, ...],
        *,
        query: Query = (),
        json: Body | None = None,
    ) -> APIAnswer:
        try:
            return await self.api.send(method, *segments, query=query, json=json)
        except Refused as refusal:
            zone = segments[1] if len(segments) > 1 else ""
            if refusal.status == 404 and zone.count(".") > 1 and says_zone(refusal):
                with contextlib.suppress(ToolFailure):
                    refusal.hint = await parent_zone(self, zone)
            raise

    # One write

    async def _write(
        self,
        zone: str,
        method: Method,
        segments: tuple[str, ...],
        body: Body | None = None,
        check: BeforeWrite | None = None,
    ) -> Write:
        async with self._turn(zone):
            if check is not None:
                await check()
            answer = await self._send(method, segments, json=body)
            self._remember(answer.document("zone"))
            return await self._follow(answer)

    @asynccontextmanager
    async def _turn(self, zone: str) -> AsyncIterator[None]:
        """Wait for the zone's turn; its id and its name, once known, share one."""
        lock = self._turns.setdefault(self._zone_names.get(zone, zone), asyncio.Lock())
        async with lock:
            yield

    def _remember(self, zone: Document) -> None:
        zone_id, name = number_of(zone, "id"), text_of(zone, "name")
        if zone_id is not None and name is not None:
            self._zone_names[str(zone_id)] = name

    async def _follow(self, answer: APIAnswer) -> Write:
        """Look at the action of a write until it ends or the time is up.

        Raises:
            Refused: The action failed: the write was accepted and not applied.
        """
        action = answer.document("action")
        ends = self._clock() + self._action_wait
        looks = 0
        note = ""
        while text_of(action, "status") == "running" and not note:
            wait = min(POLL_WAITS[min(looks, len(POLL_WAITS) - 1)], ends - self._clock())
            if wait <= 0:
                note = _still_running(action)
                break
            await self._sleep(wait)
            looks += 1
            action, note = await self._look(action)
        if text_of(action, "status") == "error":
            raise _action_failed(action)
        return Write(answer, action, note)

    async def _look(self, action: Document) -> tuple[Document, str]:
        """Read an action again; a look that fails never turns a write into an error."""
        action_id = number_of(action, "id")
        if action_id is None:
            return action, "not followed: the action has no readable id"
        try:
            newer = (await self.get_action(action_id)).document("action")
        except ToolFailure as failure:
            return action, f"not followed: {failure.text}"
        if text_of(newer, "status") is None:
            return action, "not followed: the answer was no action"
        return newer, ""


def _still_running(action: Document) -> str:
    return f"still running; follow it with get_zone_action {number_of(action, 'id')}"


def _action_failed(action: Document) -> Refused:
    error = object_of(action, "error")
    code = text_of(error, "code") or "unknown"
    failure = Refused(
        "Hetzner accepted the request and did not apply it: its action failed.",
        status=200,
        error_code=code,
        body=f"{code}: {text_of(error, 'message') or ''}",
        hint="Look at the present state before you repeat it.",
    )
    failure.code = "action_failed"
    return failure


def _records(body: Body) -> list[Document]:
    records = body.get("records")
    return [item for item in records if isinstance(item, dict)] if isinstance(records, list) else []
