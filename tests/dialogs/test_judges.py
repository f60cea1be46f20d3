"""The judges of dialogs object to what they are there for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from mcp_approval import approval, rendering
from mcp_approval.limits import Limits
from mcp_approval.question import Detail, Question, joined
from mcp_approval.quoting import Lookalikes
from tests.support import dialog_guard
from tests.support.dialog_guard import look, looking

QUESTION = Question(
    "send it",
    "It is gone then.",
    (
        Detail("Subject", "Report To: none, ~~struck~~"),
        Detail("To", joined(["a, b", "c"])),
        Detail("Body", "one\n" * 60, block=True),
    ),
    findings=(Detail("warning", "one"),),
)

Render = Callable[..., str]


def _edited(edit: Callable[[str], str]) -> Render:
    def render(*arguments: object, **more: object) -> str:
        return edit(rendering.render(*arguments, **more))  # type: ignore[arg-type]

    return render


def _unescaped(question: Question, limits: Limits, reason: str = "", *, escape: bool = True) -> str:
    return rendering.render(question, limits, reason, escape=False)


def _forgetful(question: Question, limits: Limits, reason: str = "", *, escape: bool = True) -> str:
    message = rendering.render(question, limits, reason, escape=escape)
    return message if limits.rows is None else message.replace("  Subject", "  Sub")


FAULTY: dict[str, Render] = {
    "nothing is escaped": _unescaped,
    "a line too many": _edited(lambda message: f"{message}\n  Cc: boss"),
    "a line too few": _edited(lambda message: message.replace("  To: ", "  ")),
    "a value that is another": _edited(lambda message: message.replace("none", "some")),
    "members that run together": _edited(lambda message: message.replace("«a, b», «c»", "a, b, c")),
    "a value that passes for a line": _edited(
        lambda message: message.replace("«", "").replace("»", "")
    ),
    "a text with a line of its own": _edited(lambda message: message.replace("| one", "| two", 1)),
    "a short window without a value": _forgetful,
}


def test_they_have_nothing_against_a_question_as_it_is() -> None:
    assert "«Report To: none" in look(QUESTION, Limits(lines=100))


@pytest.mark.parametrize("render", FAULTY.values(), ids=FAULTY)
def test_they_object_to_a_faulty_message(render: Render, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialog_guard, "_render", render)
    with pytest.raises(AssertionError):
        look(QUESTION, Limits(lines=100))


def test_an_objection_inside_a_server_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lookalikes, "__contains__", lambda _self, _value: False)

    def ask() -> None:
        with looking(), suppress(AssertionError):
            vars(approval)["render"](QUESTION, Limits(lines=100))

    with pytest.raises(AssertionError):
        ask()
