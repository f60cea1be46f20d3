"""Tools that take back, replace or dismiss what was published."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument, DoneUnreadable, UpstreamFailure
from mcp_serverkit.http.json_fields import number_of, text_of
from mcp_serverkit.text.times import iso_time
from mcp_serverkit.tools.constraints import Length
from mcp_serverkit.tools.registry import Call
from ntfy_mcp import dialogs
from ntfy_mcp.argument_types import URL, Priority, SequenceId, Tag, Topic
from ntfy_mcp.carry_over import kept_fields
from ntfy_mcp.content import Action, Body, content_body, content_notes, refuse_blank, require_size
from ntfy_mcp.registry import TOOLS
from ntfy_mcp.tools.publishing import (
    Entry,
    batch_failure,
    done_entry,
    failed_entry,
    not_attempted,
    stops_batch,
)
from ntfy_mcp.topic_state import Found, look_up, read_state

SequenceIds = Annotated[list[SequenceId], "Ids or sequence ids", Length(1, 25)]

if TYPE_CHECKING:
    from ntfy_mcp.api.client import Accepted
    from ntfy_mcp.app import Ntfy


class Updated(TypedDict):
    """What became of a revision."""

    topic: str
    updated: str
    sequence_id: NotRequired[str]
    outcome: Literal["replaced", "created", "unknown", "done"]
    revision_id: NotRequired[str]
    time: NotRequired[str]
    delivers_at: NotRequired[str]
    scheduled: NotRequired[bool]
    note: NotRequired[str]


class Batch(TypedDict):
    """What became of each notification."""

    topic: str
    results: list[Entry]


@TOOLS.write("Replace a notification", destructive=True, idempotent=True, asks="always")
async def update_message(
    call: Call[Ntfy],
    sequence_id: Annotated[SequenceId, "Id or sequence id"],
    topic: Annotated[Topic | None, "Else the default topic"] = None,
    message: Annotated[str | None, "New text", Length(1)] = None,
    title: Annotated[str | None, "New title", Length(1)] = None,
    priority: Annotated[Priority | None, "1 to 5 or a name"] = None,
    tags: Annotated[list[Tag] | None, "Tags", Length(0, 20)] = None,
    click: Annotated[URL | None, "Opened by a tap"] = None,
    icon: Annotated[URL | None, "Image"] = None,
    markdown: Annotated[bool | None, "Text is Markdown"] = None,
    actions: Annotated[list[Action] | None, "Buttons", Length(0, 3)] = None,
    delay: Annotated[int | str | None, "Send it later"] = None,
    carry_over: Annotated[bool, "Keep the fields that are not given"] = False,
) -> Updated:
    """Replace a notification on the subscribers' devices (ntfy 2.16+, not iOS).

    The revision is a whole new message: without carry_over, fields not given are lost. One that
    is still scheduled is replaced too, and without delay the new one is sent at once.
    """
    ntfy = call.app
    wanted = ntfy.allowlist.resolve_target(topic)
    given = content_body(
        message=message,
        title=title,
        priority=priority,
        tags=tags,
        click=click,
        icon=icon,
        markdown=markdown,
        actions=actions,
        delay=delay,
    )
    if not given:
        raise BadArgument("message", "give at least one field of the content")
    refuse_blank(given)

    found: list[Found] = []

    async def ask() -> Ask:
        state = await read_state(ntfy.client, wanted)
        found[:] = [state.find(sequence_id)]
        kept = kept_fields(state, found[0], given) if carry_over else {}
        body = {**kept, **given}
        sent = {**body, "topic": wanted, "sequence_id": found[0].sequence_id}
        require_size(sent, ntfy.settings.message_limit)
        return dialogs.update_message(wanted, found[0], body, list(kept))

    approved = (await call.confirm(ask)).ask
    body = cast("Body", approved.target.body)
    sent = {**body, "topic": wanted, "sequence_id": found[0].sequence_id}
    return _updated(wanted, found[0], body, await ntfy.publish(sent))


@TOOLS.write("Mark notifications as read", destructive=False, idempotent=True)
async def mark_messages_read(
    call: Call[Ntfy],
    sequence_ids: SequenceIds,
    topic: Annotated[Topic | None, "Else the default topic"] = None,
) -> Batch:
    """Dismiss notifications on the subscribers' devices (ntfy 2.16+, not iOS).

    They stay in the cache. found tells whether the cache holds one.
    """
    ntfy = call.app
    wanted = ntfy.allowlist.resolve(topic)
    found = await look_up(ntfy.client, wanted, list(dict.fromkeys(sequence_ids)))
    results = await _each(found, lambda item: ntfy.client.mark_read(wanted, item))
    return _batch(wanted, results, "Nothing was marked as read.")


@TOOLS.write("Delete notifications", destructive=True, idempotent=True, asks="always")
async def delete_messages(
    call: Call[Ntfy],
    sequence_ids: SequenceIds,
    topic: Annotated[Topic | None, "Else the default topic"] = None,
) -> Batch:
    """Take notifications off the subscribers' devices (ntfy 2.16+, not iOS).

    Scheduled ones are not sent. Delivered ones still show in list_messages until they expire, so
    there is no need to delete again. found tells whether the cache holds one.
    """
    ntfy = call.app
    wanted = ntfy.allowlist.resolve(topic)
    found: list[Found] = []

    async def ask() -> Ask:
        found[:] = await look_up(ntfy.client, wanted, list(dict.fromkeys(sequence_ids)))
        return dialogs.delete_messages(wanted, found)

    await call.confirm(ask)
    results = await _each(found, lambda item: ntfy.client.delete(wanted, item))
    return _batch(wanted, results, "Nothing was deleted.")


def _updated(topic: str, found: Found, body: Body, accepted: Accepted) -> Updated:
    answer = accepted.document
    ignored = text_of(answer, "sequence_id") != found.sequence_id
    fresh = found.state in {"absent", "deleted"}
    result: Updated = {
        "topic": topic,
        "updated": found.given,
        "outcome": "created"
        if ignored or fresh
        else "unknown"
        if found.state == "unknown"
        else "replaced",
    }
    if found.given != found.sequence_id:
        result["sequence_id"] = found.sequence_id
    revision = text_of(answer, "id")
    if revision is not None:
        result["revision_id"] = revision
    due = number_of(answer, "time")
    if due is not None and due > accepted.time:
        result["scheduled"] = True
    if (shown := iso_time(due)) is not None:
        result["delivers_at" if "scheduled" in result else "time"] = shown
    notes = []
    if ignored:
        notes.append(
            "the server ignored the sequence id, as ntfy older than 2.16 does: a second "
            "notification was sent and the first one stays"
        )
    elif fresh:
        notes.append(
            "nothing with this id was in the cache; a device that still shows an expired one "
            "replaces it"
            if found.state == "absent"
            else "it had been deleted and is shown again"
        )
    notes += content_notes(body)
    if "attachment" in answer and "attach" not in body:
        notes.append("ntfy turned the text into a file, because it reached the size limit")
    if notes:
        result["note"] = "; ".join(notes)
    return result


async def _each(found: Sequence[Found], act: Callable[[str], Awaitable[None]]) -> list[Entry]:
    """Act on one notification after the other; stop where going on would harm or not help."""
    outcomes: dict[str, Entry] = {}
    stopped = False
    for sequence_id in dict.fromkeys(item.sequence_id for item in found):
        if stopped:
            outcomes[sequence_id] = not_attempted()
            continue
        try:
            await act(sequence_id)
        except DoneUnreadable as done:
            outcomes[sequence_id] = done_entry(done)
        except UpstreamFailure as failure:
            outcomes[sequence_id] = failed_entry(failure)
            stopped = stops_batch(failure)
        else:
            outcomes[sequence_id] = {"ok": True}
    return [_entry(item, outcomes[item.sequence_id]) for item in found]


_ABSENT = (
    "nothing with this id is in the cache, and ntfy took it all the same: it may have expired, "
    "then a phone that still shows it follows; a mistyped id looks the same"
)


def _entry(item: Found, outcome: Entry) -> Entry:
    entry: Entry = {"id": item.given, **outcome, "found": item.found}
    if item.given != item.sequence_id:
        entry["sequence_id"] = item.sequence_id
    if item.state != "absent" and item.state != "unknown":
        entry["was"] = item.state
    elif outcome["ok"] and "note" not in outcome:
        entry["note"] = _ABSENT if item.state == "absent" else "whether it exists could not be read"
    return entry


def _batch(topic: str, results: list[Entry], nothing: str) -> Batch:
    batch: Batch = {"topic": topic, "results": results}
    if not any(entry["ok"] for entry in results):
        raise batch_failure(nothing, results, batch)
    return batch
