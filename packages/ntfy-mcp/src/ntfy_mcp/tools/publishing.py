"""The tool that publishes. It never asks: its bound is the list of topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.errors import DoneUnreadable, Failed, Refused, UpstreamFailure
from mcp_serverkit.http.json_fields import number_of, text_of
from mcp_serverkit.outcome import LOOK_FIRST, Outcome
from mcp_serverkit.text.times import iso_time
from mcp_serverkit.tools.constraints import Bytes, Length
from mcp_serverkit.tools.registry import Call
from ntfy_mcp.argument_types import URL, Filename, Priority, Tag, Topic
from ntfy_mcp.content import (
    Action,
    Body,
    content_body,
    content_notes,
    delivery_body,
    require_headers_size,
    require_size,
    require_text,
)
from ntfy_mcp.registry import TOOLS
from ntfy_mcp.views import file_view

NOT_ATTEMPTED = "not attempted"

FILE_BYTES = 65_536
"""A long log or report; more than that is no text to publish."""

CONCERN_ONE_TOPIC = frozenset({42904, 42911})
"""Refusals of a topic that is not in use yet; those in use are taken all the same."""

if TYPE_CHECKING:
    from ntfy_mcp.api.client import Accepted
    from ntfy_mcp.app import Ntfy


class Entry(TypedDict):
    """What became of one topic or notification of a batch."""

    ok: bool
    topic: NotRequired[str]
    id: NotRequired[str]
    sequence_id: NotRequired[str]
    found: NotRequired[bool | Literal["unknown"]]
    was: NotRequired[Literal["delivered", "scheduled", "read", "deleted"]]
    time: NotRequired[str]
    delivers_at: NotRequired[str]
    expires: NotRequired[str]
    attachment: NotRequired[dict[str, object]]
    scheduled: NotRequired[bool]
    note: NotRequired[str]
    error: NotRequired[str]
    status: NotRequired[int]
    code: NotRequired[int]
    hint: NotRequired[str]
    outcome: NotRequired[Outcome]


class Published(TypedDict):
    """What became of a publication, topic by topic."""

    published: int
    failed: int
    results: list[Entry]


@TOOLS.write("Publish a notification", destructive=False, idempotent=False)
async def publish_message(
    call: Call[Ntfy],
    message: Annotated[str | None, "Text below 4096 bytes", Length(1)] = None,
    topics: Annotated[list[Topic] | None, "Else the default topic", Length(1, 10)] = None,
    title: Annotated[str | None, "At most 250 bytes", Length(1)] = None,
    priority: Annotated[Priority | None, "1 to 5 or a name; 5 is loudest"] = None,
    tags: Annotated[list[Tag] | None, "Tags, emoji short codes", Length(0, 20)] = None,
    click: Annotated[URL | None, "Opened by a tap"] = None,
    icon: Annotated[URL | None, "Image, Android only"] = None,
    attach: Annotated[URL | None, "URL that devices fetch"] = None,
    attach_text: Annotated[
        str | None,
        "Sent as a file that anyone with its address can read until it expires",
        Length(1),
        Bytes(FILE_BYTES),
    ] = None,
    filename: Annotated[Filename | None, "Name of the file"] = None,
    markdown: Annotated[bool | None, "Text is Markdown"] = None,
    actions: Annotated[list[Action] | None, "Buttons", Length(0, 3)] = None,
    delay: Annotated[int | str | None, "Later: 30m, Unix seconds, ISO time, tomorrow 10am"] = None,
    cache: Annotated[bool | None, "false: not stored"] = None,
    firebase: Annotated[bool | None, "false: not to Firebase"] = None,
) -> Published:
    """Send a notification to everybody who subscribes to the topics, at once and for good.

    Each call notifies again, so do not repeat one whose outcome is unknown.
    """
    ntfy = call.app
    wanted = ntfy.allowlist.resolve_targets(topics)
    body = content_body(
        message=message,
        title=title,
        priority=priority,
        tags=tags,
        click=click,
        icon=icon,
        markdown=markdown,
        actions=actions,
        delay=delay,
    ) | delivery_body(
        attach=attach,
        attach_text=attach_text,
        filename=filename,
        cache=cache,
        firebase=firebase,
        delay=delay,
    )
    file = None if attach_text is None else attach_text.encode("utf-8")
    require_text(body, with_file=file is not None)
    if file is not None:
        require_headers_size(body, ntfy.settings.message_limit)
    else:
        for topic in wanted:
            require_size({**body, "topic": topic}, ntfy.settings.message_limit)
    return _outcome(await _publish_to_each(ntfy, wanted, body, file))


async def _publish_to_each(
    ntfy: Ntfy, topics: list[str], body: Body, file: bytes | None
) -> list[Entry]:
    """Publish topic by topic; stop where going on would harm or cannot help."""
    results: list[Entry] = []
    for index, topic in enumerate(topics):
        try:
            answer = await ntfy.publish({**body, "topic": topic}, file)
        except DoneUnreadable as done:
            results.append({"topic": topic, **done_entry(done)})
        except UpstreamFailure as failure:
            results.append({"topic": topic, **failed_entry(failure)})
            if stops_batch(failure):
                rest = topics[index + 1 :]
                results += [{"topic": name, **not_attempted()} for name in rest]
                break
        else:
            results.append(
                {"topic": topic, **_published_entry(answer, body, with_file=file is not None)}
            )
    return results


def failed_entry(failure: UpstreamFailure) -> Entry:
    """Describe a failure inside a batch, in our words."""
    entry: Entry = {"ok": False, "error": failure.text}
    if isinstance(failure, Refused):
        entry["status"] = failure.status
        if isinstance(failure.error_code, int):
            entry["code"] = failure.error_code
    if failure.hint:
        entry["hint"] = failure.hint
    if failure.outcome is not None:
        entry["outcome"] = failure.outcome
    return entry


def done_entry(done: DoneUnreadable) -> Entry:
    """Describe what was done inside a batch although its answer cannot be used."""
    return {"ok": True, "outcome": "done", "note": f"Done. {done.text} Do not repeat it."}


def not_attempted() -> Entry:
    """Describe what a batch did not come to."""
    return {"ok": False, "outcome": "not_done", "error": NOT_ATTEMPTED}


def stops_batch(failure: UpstreamFailure) -> bool:
    """Tell whether the rest of a batch must not be tried: rate limit, login, or no answer."""
    if not isinstance(failure, Refused):
        return True
    return failure.status in {401, 429} and failure.error_code not in CONCERN_ONE_TOPIC


def _published_entry(accepted: Accepted, body: Body, *, with_file: bool) -> Entry:
    answer = accepted.document
    entry: Entry = {"ok": True, "outcome": "done"}
    notes: list[str] = []
    message_id = text_of(answer, "id")
    if message_id is None:
        notes.append("ntfy's answer holds no id")
    else:
        entry["id"] = message_id
        entry["sequence_id"] = text_of(answer, "sequence_id") or message_id
    due, expires = number_of(answer, "time"), number_of(answer, "expires")
    if "delay" in body and due is not None and due > accepted.time:
        entry["scheduled"] = True
    if (shown := iso_time(due)) is not None:
        # Until its delivery, the time of a message is the time when it is due.
        entry["delivers_at" if "scheduled" in entry else "time"] = shown
    if (shown := iso_time(expires)) is not None:
        entry["expires"] = shown
    if with_file:
        if (view := file_view(answer)) is None:
            notes.append("ntfy's answer names no file")
        else:
            entry["attachment"] = view
    elif "attachment" in answer and "attach" not in body:
        notes.append("ntfy turned the text into a file, because it reached the size limit")
    notes += content_notes(body, with_file=with_file)
    if "cache" in body:
        notes.append("not cached: it can be neither read, revised nor deleted later")
    if notes:
        entry["note"] = "; ".join(notes)
    return entry


def _outcome(results: list[Entry]) -> Published:
    published = sum(entry["ok"] for entry in results)
    outcome: Published = {
        "published": published,
        "failed": len(results) - published,
        "results": results,
    }
    if published == 0:
        raise batch_failure("Nothing was published.", results, outcome)
    return outcome


def batch_failure(nothing: str, results: list[Entry], result: Mapping[str, object]) -> Failed:
    """Make the failure of a batch of which nothing succeeded for certain."""
    first = next((entry for entry in results if entry.get("outcome") == "unknown"), results[0])
    said = f"{first.get('error', '')} {first.get('hint', '')}".strip()
    if first.get("outcome") == "unknown":
        return Failed(f"{LOOK_FIRST}\n{said}", result, code="outcome_unknown")
    return Failed(f"{nothing} {said}", result)
