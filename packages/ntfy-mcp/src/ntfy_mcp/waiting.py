"""Waiting for a message: one open stream, opened again where it breaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_serverkit.errors import Refused, Unexpected, UpstreamFailure
from mcp_serverkit.http.json_fields import Document, text_of
from ntfy_mcp.listing import start_behind
from ntfy_mcp.since import LATE_SECONDS, Since, cursor, read_since
from ntfy_mcp.views import CONTENT_EVENT, SILENT_EVENTS

if TYPE_CHECKING:
    from ntfy_mcp.api.client import NtfyClient

REOPEN_WAITS = (1.0, 2.0, 4.0)
"""Seconds before a broken stream is opened again."""


@dataclass(slots=True)
class Waiting:
    """One wait: where it started, what went by, and what ended it.

    Attributes:
        since: Where it started.
        since_unknown: Whether the message to start behind is not there.
        time: Unix time of the latest answer, by the instance's clock.
        passed: Entries that went by without ending it.
        found: The message that ended it.
        down: Why the stream is down, while it is.
    """

    since: Since
    since_unknown: bool
    time: float
    passed: list[Document] = field(default_factory=list)
    found: Document | None = None
    down: UpstreamFailure | None = None

    def knows(self, entry: Document) -> bool:
        """Tell whether an entry went by already."""
        return self.since.knows(entry) or any(one["id"] == entry["id"] for one in self.passed)

    @property
    def next_since(self) -> str:
        """The cursor behind what was handed over."""
        handed_over = [] if self.found is None else [self.found]
        return cursor(self.since, self.time, handed_over, self.passed)[0]


async def start_waiting(client: NtfyClient, topics: Sequence[str], text: str | None) -> Waiting:
    """Find out where a wait starts; without a start it is now, and what is there goes by."""
    if text in {None, "none"}:
        poll = await client.poll(topics, f"{LATE_SECONDS}s")
        since = read_since(str(max(2, int(poll.time) - LATE_SECONDS)))
        told = [one for one in poll.entries if text_of(one, "event") not in SILENT_EVENTS]
        return Waiting(since, False, poll.time, told)
    since, unknown = read_since(str(text)), False
    if since.message_id:
        since, unknown = await start_behind(client, topics, since.message_id)
    return Waiting(since, unknown, client.now())


async def wait_for(
    client: NtfyClient,
    topics: Sequence[str],
    waiting: Waiting,
    wanted: Callable[[Document], bool],
) -> None:
    """Listen until a message comes that is wanted; the caller limits the time.

    Raises:
        Refused: The instance does not let this login listen.
        UpstreamFailure: The stream broke and could not be opened again.
    """
    waits = iter(REOPEN_WAITS)
    opened, start = False, waiting.since.sent
    while True:
        try:
            async with client.listen(topics, start) as listening:
                opened, waiting.time, waiting.down = True, listening.time, None
                async for entry in listening.entries:
                    if _ends(entry, waiting, wanted):
                        return
                    if text_of(entry, "event") != "open":
                        waits = iter(REOPEN_WAITS)
            waiting.down = UpstreamFailure("ntfy ended the stream.")
        except (Refused, Unexpected):
            raise
        except UpstreamFailure as failure:
            if not opened:
                raise
            waiting.down = failure
        pause = next(waits, None)
        if pause is None:
            raise broken(waiting.down)
        import asyncio

        await asyncio.sleep(pause)
        start = read_since(waiting.next_since).sent


def broken(failure: UpstreamFailure) -> UpstreamFailure:
    """Say that a wait ended because its stream was down."""
    return UpstreamFailure(
        f"The stream broke and could not be opened again: {failure.text}",
        hint="Call again with the same since.",
    )


def _ends(entry: Document, waiting: Waiting, wanted: Callable[[Document], bool]) -> bool:
    event = text_of(entry, "event") or CONTENT_EVENT
    if event in SILENT_EVENTS or waiting.knows(entry):
        return False
    if event == CONTENT_EVENT and wanted(entry):
        waiting.found = entry
        return True
    waiting.passed.append(entry)
    return False
