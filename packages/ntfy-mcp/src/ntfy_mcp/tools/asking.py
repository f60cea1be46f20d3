"""The tool that asks a person by notification, off unless NTFY_EXTRAS is on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.errors import (
    BadArgument,
    NotConfigured,
    Refused,
    ToolFailure,
    UpstreamFailure,
)
from mcp_serverkit.http.json_fields import number_of
from mcp_serverkit.text.times import iso_time
from mcp_serverkit.tools.constraints import Length, Range, Validator
from mcp_serverkit.tools.registry import Call
from ntfy_mcp.argument_types import Priority, Topic, check_label, priority_number
from ntfy_mcp.content import content_body, refuse_blank, require_size
from ntfy_mcp.registry import TOOLS
from ntfy_mcp.tools.waiting import listen

if TYPE_CHECKING:
    from ntfy_mcp.app import Ntfy
    from ntfy_mcp.questions import Question, Replies, Wording
    from ntfy_mcp.waiting import Waiting

APPROVES_NOTHING = (
    "Whoever may read the topic could press this. It is an answer and approves nothing: a guarded "
    "tool still asks."
)

Label = Annotated[str, Length(1, 40), Validator(check_label)]


class Asked(TypedDict):
    """What a question brought."""

    topic: str
    question_id: str
    answered: bool
    answer: NotRequired[str]
    answered_at: NotRequired[str]
    timed_out: bool
    joined: bool
    note: str


@TOOLS.write("Ask a person by notification", destructive=False, idempotent=False, foreign=True)
async def ask_person(
    call: Call[Ntfy],
    question: Annotated[str, "Text of the notification", Length(1)],
    answers: Annotated[list[Label], "Labels of the buttons, in this order", Length(1, 3)],
    topic: Annotated[Topic | None, "Else the default topic"] = None,
    title: Annotated[str | None, "At most 250 bytes", Length(1)] = None,
    priority: Annotated[Priority | None, "1 to 5 or a name"] = None,
    timeout_s: Annotated[int, "Seconds to wait", Range(1, 55)] = 50,
) -> Asked:
    """Publish a question with a button for each answer, and wait until one is pressed.

    While it is open, the same arguments wait on and publish nothing. An answer approves nothing.
    """
    from ntfy_mcp.questions import Wording

    ntfy = call.app
    wanted = ntfy.allowlist.resolve_target(topic)
    replies = _replies(ntfy)
    if len({answer.strip() for answer in answers}) < len(answers):
        raise BadArgument("answers", "must be different")
    number = None if priority is None else priority_number(priority)
    wording = Wording(wanted, question, tuple(answers), title, number)
    with ntfy.waits.one():
        asked, joined = await _asked(ntfy, replies, wording)
        waiting = await _heard(call, replies, asked, timeout_s)
    result: Asked = {
        "topic": wanted,
        "question_id": asked.id,
        "answered": waiting.found is not None,
        "timed_out": waiting.found is None,
        "joined": joined,
        "note": APPROVES_NOTHING,
    }
    if waiting.found is not None:
        ntfy.open_questions.close(wording, asked)
        result["answer"] = asked.answer(waiting.found) or ""
        if (shown := iso_time(number_of(waiting.found, "time"))) is not None:
            result["answered_at"] = shown
    if replies.token is None:
        result["note"] += (
            " Without NTFY_REPLY_TOKEN its buttons work only where anybody may write to "
            "NTFY_REPLY_TOPIC."
        )
    return result


def _replies(ntfy: Ntfy) -> Replies:
    if ntfy.replies is None:
        raise NotConfigured("NTFY_REPLY_TOPIC is not set, so no answer could arrive")
    return ntfy.replies


async def _asked(ntfy: Ntfy, replies: Replies, wording: Wording) -> tuple[Question, bool]:
    """Publish a question, or join the one that is open; tell which."""
    from ntfy_mcp.questions import new_words, published

    async with ntfy.open_questions.publishing:
        known = ntfy.open_questions.find(wording, ntfy.clock())
        if known is not None:
            return known, True
        labels = new_words(wording.answers)
        body = content_body(
            message=wording.question, title=wording.title, priority=wording.priority
        )
        refuse_blank(body, "question")
        body["topic"] = wording.topic
        body["actions"] = [replies.button(label, word) for word, label in labels.items()]
        require_size(body, ntfy.settings.message_limit, "question")
        asked = published(await ntfy.publish(body), labels, ntfy.clock())
        ntfy.open_questions.add(wording, asked)
        return asked, False


async def _heard(call: Call[Ntfy], replies: Replies, asked: Question, seconds: int) -> Waiting:
    """Wait for the answer to a question that is on the phone."""
    from ntfy_mcp.since import since_time
    from ntfy_mcp.waiting import Waiting

    waiting = Waiting(since_time(asked.time), False, asked.time)
    try:
        await listen(
            call,
            [replies.topic],
            waiting,
            lambda entry: asked.answer(entry) is not None,
            seconds,
            "waiting for an answer",
        )
    except UpstreamFailure as failure:
        advice = f" {failure.hint}" if isinstance(failure, Refused) else ""
        raise ToolFailure(
            "The question is published and stays open, but no answer can be heard. "
            f"{failure.text}{advice} The same call waits on."
        ) from None
    return waiting
