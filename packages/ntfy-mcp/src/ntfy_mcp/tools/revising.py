"""Tools that take back, replace or dismiss what was published."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument, Failed, ToolFailure, UpstreamFailure
from mcp_serverkit.http.json_fields import Document, number_of, text_of
from mcp_serverkit.text.sanitize import replace_surrogates
from mcp_serverkit.tools.constraints import Length
from mcp_serverkit.tools.registry import Call
from ntfy_mcp import dialogs
from ntfy_mcp.argument_types import URL, Priority, SequenceId, Tag, Topic
from ntfy_mcp.content import Action, Body, content_body, refuse_blank, require_size
from ntfy_mcp.registry import TOOLS
from ntfy_mcp.tools.publishing import (
    NOT_ATTEMPTED,
    Entry,
    batch_failure,
    failed_entry,
    stops_batch,
)
from ntfy_mcp.views import is_delivered, iso_time, newest_revision

SequenceIds = Annotated[list[SequenceId], "Ids or sequence ids", Length(1, 25)]

if TYPE_CHECKING:
    from ntfy_mcp.app import Ntfy


class Updated(TypedDict):
    """What became of a revision."""

    topic: str
    updated: str
    replaced: bool
    revision_id: NotRequired[str]
    time: NotRequired[str]
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
    wanted = ntfy.allowlist.resolve(topic)
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

    async def ask() -> Ask:
        kept = await _kept(ntfy, wanted, sequence_id, given) if carry_over else {}
        body = {**kept, **given}
        require_size(
            {**body, "topic": wanted, "sequence_id": sequence_id}, ntfy.settings.message_limit
        )
        return dialogs.update_message(wanted, sequence_id, body, list(kept))

    approved = (await call.confirm(ask)).ask
    body = cast("Body", approved.target.body)
    answer = await ntfy.client.publish({**body, "topic": wanted, "sequence_id": sequence_id})
    return _updated(wanted, sequence_id, body, answer, ntfy.now())


@TOOLS.write("Mark notifications as read", destructive=False, idempotent=True)
async def mark_messages_read(
    call: Call[Ntfy],
    sequence_ids: SequenceIds,
    topic: Annotated[Topic | None, "Else the default topic"] = None,
) -> Batch:
    """Dismiss notifications on the subscribers' devices (ntfy 2.16+, not iOS).

    They stay in the cache. ntfy does not say whether an id exists.
    """
    ntfy = call.app
    wanted = ntfy.allowlist.resolve(topic)
    ids = list(dict.fromkeys(sequence_ids))
    results = await _each(ids, lambda item: ntfy.client.mark_read(wanted, item))
    return _batch(wanted, results, "Nothing was marked as read.")


@TOOLS.write("Delete notifications", destructive=True, idempotent=True, asks="always")
async def delete_messages(
    call: Call[Ntfy],
    sequence_ids: SequenceIds,
    topic: Annotated[Topic | None, "Else the default topic"] = None,
) -> Batch:
    """Take notifications off the subscribers' devices (ntfy 2.16+, not iOS).

    Scheduled ones are not sent. Delivered ones still show in list_messages until they expire, so
    there is no need to delete again. ntfy does not say whether an id exists.
    """
    ntfy = call.app
    wanted = ntfy.allowlist.resolve(topic)
    ids = list(dict.fromkeys(sequence_ids))
    await call.confirm(dialogs.delete_messages(wanted, ids))
    results = await _each(ids, lambda item: ntfy.client.delete(wanted, item))
    return _batch(wanted, results, "Nothing was deleted.")


async def _kept(ntfy: Ntfy, topic: str, sequence_id: str, given: Body) -> Body:
    """Read the fields of the newest revision that the call does not replace."""
    poll = await ntfy.client.poll([topic], "all", scheduled=True)
    if poll.unreadable:
        raise ToolFailure(
            "carry_over: the answer of the instance could not be read in full, so the present "
            "revision is not known. Nothing was changed."
        )
    entry = newest_revision(poll.entries, sequence_id)
    if entry is None or text_of(entry, "event") == "message_delete":
        raise ToolFailure(
            "carry_over: the notification is not in the cache of this topic (expired, deleted or "
            "never cached), so its fields cannot be kept. Nothing was changed."
        )
    if text_of(entry, "encoding") or "attachment" in entry:
        raise ToolFailure(
            "carry_over: the notification holds a file, which cannot be kept. Nothing was changed."
        )
    present = _present_fields(entry, ntfy.now())
    if not all(map(_can_be_sent, present.values())):
        raise ToolFailure(
            "carry_over: the notification holds something that cannot be sent again unchanged. "
            "Nothing was changed."
        )
    return {name: value for name, value in present.items() if name not in given}


def _present_fields(entry: Document, now: float) -> Body:
    due = number_of(entry, "time")
    fields: Body = {
        "message": text_of(entry, "message"),
        "title": text_of(entry, "title"),
        "priority": number_of(entry, "priority"),
        "tags": _present_tags(entry),
        "click": text_of(entry, "click"),
        "icon": text_of(entry, "icon"),
        "markdown": text_of(entry, "content_type") == "text/markdown" or None,
        "actions": _present_actions(entry),
        "delay": None if is_delivered(entry, now) else str(due),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _can_be_sent(value: object) -> bool:
    """Tell whether a value of ntfy's document can be sent back as it is."""
    if isinstance(value, str):
        return replace_surrogates(value) == value
    if isinstance(value, list):
        return all(map(_can_be_sent, value))
    if isinstance(value, dict):
        return all(_can_be_sent(key) and _can_be_sent(item) for key, item in value.items())
    return isinstance(value, bool | int)


def _present_tags(entry: Document) -> object:
    tags = entry.get("tags") or None
    if isinstance(tags, list) and all(isinstance(tag, str) for tag in tags):
        return tags
    # Anything else is no list of tags; not being sendable, it ends the call.
    return None if tags is None else object()


def _present_actions(entry: Document) -> list[Document] | None:
    actions = entry.get("actions")
    if not isinstance(actions, list):
        return None
    # ntfy adds an id to each button; it does not take one.
    return [
        {key: value for key, value in action.items() if key != "id"}
        for action in actions
        if isinstance(action, dict)
    ] or None


def _updated(topic: str, sequence_id: str, body: Body, answer: Document, now: float) -> Updated:
    replaced = text_of(answer, "sequence_id") == sequence_id
    result: Updated = {"topic": topic, "updated": sequence_id, "replaced": replaced}
    revision = text_of(answer, "id")
    if revision is not None:
        result["revision_id"] = revision
    due = number_of(answer, "time")
    if (shown := iso_time(due)) is not None:
        result["time"] = shown
    if due is not None and due > now:
        result["scheduled"] = True
    notes = []
    if not replaced:
        notes.append(
            "the server ignored the sequence id, as ntfy older than 2.16 does: a second "
            "notification was sent and the first one stays"
        )
    if "message" not in body:
        notes.append('without a message, ntfy shows the text "triggered"')
    if "attachment" in answer:
        notes.append("ntfy turned the text into a file, because it reached the size limit")
    if notes:
        result["note"] = "; ".join(notes)
    return result


async def _each(ids: list[str], act: Callable[[str], Awaitable[None]]) -> list[Entry]:
    """Act on one id after the other; stop where going on would harm or cannot help."""
    results: list[Entry] = []
    for index, item in enumerate(ids):
        try:
            await act(item)
        except UpstreamFailure as failure:
            results.append({"id": item, **failed_entry(failure)})
            if stops_batch(failure):
                rest = ids[index + 1 :]
                results += [{"id": other, "ok": False, "error": NOT_ATTEMPTED} for other in rest]
                break
        else:
            results.append({"id": item, "ok": True})
    return results


def _batch(topic: str, results: list[Entry], nothing: str) -> Batch:
    batch: Batch = {"topic": topic, "results": results}
    if not any(entry["ok"] for entry in results):
        raise Failed(batch_failure(nothing, results), batch)
    return batch
