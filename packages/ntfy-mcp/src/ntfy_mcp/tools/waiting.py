"""The tool that waits, off unless NTFY_EXTRAS is on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.http.json_fields import Document
from mcp_serverkit.tools.constraints import Length, Range
from mcp_serverkit.tools.registry import Call
from ntfy_mcp.argument_types import Priority, Since, Tag, Topic, priority_number
from ntfy_mcp.listing import Filters
from ntfy_mcp.registry import TOOLS
from ntfy_mcp.views import FULL_CHARS, message_view
from ntfy_mcp.waiting import Waiting, broken, start_waiting, wait_for

PROGRESS_SECONDS = 10
"""Often enough for clients that give up after silence; rarely enough to be no burden."""

if TYPE_CHECKING:
    from ntfy_mcp.app import Ntfy


class Waited(TypedDict):
    """What a wait brought."""

    timed_out: bool
    message: NotRequired[dict[str, object]]
    waited_s: int
    next_since: str
    since_unknown: NotRequired[bool]
    note: NotRequired[str]


@TOOLS.read("Wait for a notification", foreign=True)
async def wait_for_message(
    call: Call[Ntfy],
    topics: Annotated[list[Topic] | None, "Else the default topic", Length(1, 10)] = None,
    since: Annotated[Since | None, "Else from now: next_since, or the id of an own one"] = None,
    timeout_s: Annotated[int, "Seconds", Range(1, 55)] = 30,
    from_others: Annotated[bool, "Skip what this process published"] = True,
    title: Annotated[str | None, "Only this exact title", Length(1, 200)] = None,
    message: Annotated[str | None, "Only this exact text", Length(1, 200)] = None,
    priority: Annotated[list[Priority] | None, "Any of these", Length(1, 5)] = None,
    tags: Annotated[list[Tag] | None, "All of these", Length(1, 10)] = None,
) -> Waited:
    """Wait until a notification arrives. A timeout is no error: go on with since=next_since."""
    ntfy = call.app
    wanted = ntfy.allowlist.resolve_all(topics)
    filters = Filters(
        title=title or "",
        message=message or "",
        priorities=frozenset(map(priority_number, priority or ())),
        tags=frozenset(tags or ()),
        not_from=ntfy.own if from_others else None,
    )
    with ntfy.waits.one():
        return await _wait(call, wanted, since, timeout_s, filters)


async def _wait(
    call: Call[Ntfy], topics: list[str], since: str | None, seconds: int, filters: Filters
) -> Waited:
    ntfy = call.app
    began = ntfy.clock()
    waiting = await start_waiting(ntfy.client, topics, since)
    await listen(call, topics, waiting, filters.admit, seconds, "waiting for a message")
    result: Waited = {
        "timed_out": waiting.found is None,
        "waited_s": int(ntfy.clock() - began),
        "next_since": waiting.next_since,
    }
    if waiting.found is not None:
        result["message"] = _view(ntfy, waiting.found)
    if waiting.since_unknown:
        result["since_unknown"] = True
        result["note"] = "the message to start behind has expired or belongs to another topic"
    return result


def _view(ntfy: Ntfy, entry: Document) -> Document:
    view = message_view(entry, delivered=True, chars=FULL_CHARS)
    return view | {"own": True} if entry["id"] in ntfy.own else view


async def listen(
    call: Call[Ntfy],
    topics: list[str],
    waiting: Waiting,
    wanted: Callable[[Document], bool],
    seconds: int,
    words: str,
) -> None:
    """Listen until what is wanted comes, or the time is over; tell the caller meanwhile.

    Raises:
        UpstreamFailure: The instance does not let this login listen, or the stream is down.
    """
    from asyncio import create_task, timeout  # here, so that listing tools does not load it

    telling = create_task(_tell(call, words))
    try:
        async with timeout(seconds):
            await wait_for(call.app.client, topics, waiting, wanted)
    except TimeoutError:
        if waiting.down is not None:
            raise broken(waiting.down) from None
    finally:
        telling.cancel()


async def _tell(call: Call[Ntfy], words: str) -> None:
    from asyncio import sleep

    count = 0
    while True:
        await sleep(PROGRESS_SECONDS)
        count += 1
        await call.report(count, words)
