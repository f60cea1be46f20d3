"""`--check` as a process, where a person is asked outside the client and a record is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.approval.broker import ANSWERS, ASK, CORNERS, Broker, broker
from tests.support.process import spawn
from tests.wire.test_reach_process import environ

OPEN = "phone: the topics are not closed: "
NO_DISPLAY = "window: no display here; the client may start the server with another environment"
WORKS = "phone: the topics are closed, answers are heard, a test was sent"


@pytest.fixture
def at() -> Iterator[Broker]:
    with broker() as found:
        yield found


async def check(at: Broker, **more: str) -> tuple[int, list[str], str]:
    """Exit code, what was said of approvals, and stderr."""
    given = environ(at, at.backend, **more)
    async with spawn("ntfy_mcp", given, arguments=("--check",)) as server:
        code = await server.exit_code()
        lines = (await server.rest()).decode().splitlines()
        errors = await server.errors()
    assert "Traceback" not in errors
    about = ("ntfy-mcp: approvals", "phone", "window", "record", "warning")
    return code, [line for line in lines if line.startswith(about)], errors


@pytest.mark.requirement("A-3")
async def test_all_that_works_is_said_and_nothing_is_asked(at: Broker, tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    code, lines, _ = await check(
        at, APPROVAL_REACH="phone,window", APPROVAL_APPROVER="anna", APPROVAL_RECORD=str(path)
    )
    assert lines == [
        "ntfy-mcp: approvals by phone (anna), then in a window, where the client shows no "
        "dialog; no two-call token",
        "ntfy-mcp: approvals are recorded",
        WORKS,
        NO_DISPLAY,
        "record: none yet, can be written",
    ]
    assert code == 0
    [test] = at.shown()
    assert (test["title"], test["message"]) == ("ntfy-mcp: test", "Nothing is asked.")
    assert not path.exists()


@pytest.mark.requirement("A-3")
@pytest.mark.parametrize("reach", ["phone", "window,phone"])
@pytest.mark.parametrize(
    ("who", "topic", "right", "told"),
    CORNERS,
)
async def test_each_open_corner_is_named_and_the_code_is_1(
    at: Broker, who: str, topic: str, right: str, told: str, reach: str
) -> None:
    at.backend.grant(who, topic, right)
    code, lines, _ = await check(at, APPROVAL_REACH=reach)
    assert OPEN + told in lines
    assert code == 1
    assert at.shown() == []


@pytest.mark.requirement("A-3")
async def test_a_circle_that_does_not_close_is_code_1(at: Broker) -> None:
    at.backend.grant("button", ANSWERS, "deny")
    code, lines, _ = await check(at, APPROVAL_REACH="window,phone")
    assert lines[-1] == "phone: the buttons' token cannot write answers: ntfy answered HTTP 403"
    assert code == 1


async def test_a_window_alone_needs_no_display_yet(at: Broker) -> None:
    code, lines, _ = await check(at, APPROVAL_REACH="window")
    assert lines[1:] == [NO_DISPLAY]
    assert code == 0


@pytest.mark.requirement("A-3")
async def test_no_way_at_all_is_code_1_and_one_way_is_enough(at: Broker) -> None:
    at.backend.respond_next(500, {"code": 50001}, path="/", method="POST", times=2)
    code, lines, _ = await check(at)
    assert lines[-1] == "phone: ntfy answered HTTP 500"
    assert code == 1
    code, lines, _ = await check(at, APPROVAL_REACH="phone,window")
    assert lines[-2:] == ["phone: ntfy answered HTTP 500", NO_DISPLAY]
    assert code == 0


@pytest.mark.requirement("D-2")
async def test_a_record_that_cannot_be_built_upon_is_code_1(at: Broker, tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.write_text("no record\n", encoding="utf-8")
    path.chmod(0o600)
    code, lines, _ = await check(at, APPROVAL_RECORD=str(path))
    assert lines[-2] == WORKS
    assert lines[-1].startswith("record: ")
    assert code == 1


async def test_a_login_of_the_tools_that_can_read_the_questions_is_a_warning(at: Broker) -> None:
    at.backend.add_user("admin", "admin-password", "admin")
    code, lines, _ = await check(at, NTFY_TOKEN=at.backend.add_token("admin"))
    assert lines[0].startswith("warning: this login can read the questions of approvals")
    assert code == 0
    at.backend.add_user("reader", "reader-password")
    _, lines, _ = await check(at, NTFY_TOKEN=at.backend.add_token("reader"))
    assert lines[0].startswith("ntfy-mcp: approvals")


PHONE = ("URL", "ASK_TOPIC", "ANSWER_TOPIC", "TOKEN", "BUTTON_TOKEN")


@pytest.mark.requirement("A-2")
@pytest.mark.parametrize(
    ("more", "problems"),
    [
        ({"APPROVAL_REACH": "fax"}, ["APPROVAL_REACH"]),
        ({"APPROVAL_REACH": "phone,Phone"}, ["APPROVAL_REACH"]),
        ({"APPROVAL_REACH": ","}, ["APPROVAL_REACH"]),
        *(({f"APPROVAL_NTFY_{name}": ""}, [f"APPROVAL_NTFY_{name}"]) for name in PHONE),
        (
            {f"APPROVAL_NTFY_{name}": "" for name in PHONE},
            [f"APPROVAL_NTFY_{name}" for name in PHONE],
        ),
        ({"APPROVAL_NTFY_ANSWER_TOPIC": ASK.upper()}, ["APPROVAL_NTFY_ANSWER_TOPIC"]),
        (
            {"APPROVAL_NTFY_TOKEN": "tk_same", "APPROVAL_NTFY_BUTTON_TOKEN": "tk_same"},
            ["APPROVAL_NTFY_BUTTON_TOKEN"],
        ),
        (
            {"APPROVAL_NTFY_TOKEN": "tk_same", "NTFY_TOKEN": "tk_same"},
            ["APPROVAL_NTFY_TOKEN"],
        ),
        (
            {"APPROVAL_NTFY_BUTTON_TOKEN": "tk_same", "NTFY_TOKEN": "tk_same"},
            ["APPROVAL_NTFY_BUTTON_TOKEN"],
        ),
        ({"NTFY_TOPICS": f"alerts,{ASK}"}, ["APPROVAL_NTFY_ASK_TOPIC"]),
        ({"NTFY_TOPICS": ANSWERS}, ["APPROVAL_NTFY_ANSWER_TOPIC"]),
        (
            {"APPROVAL_WAIT_SECONDS": "120", "APPROVAL_EXPIRES_SECONDS": "60"},
            ["APPROVAL_WAIT_SECONDS"],
        ),
        ({"ELICITATION": "false"}, ["ELICITATION"]),
        ({"APPROVAL_REACH": "", "APPROVAL_REECH": "phone"}, ["APPROVAL_REECH"]),
        ({"APPROVAL_RECORT": "/tmp/record"}, ["APPROVAL_RECORT"]),
    ],
)
async def test_what_is_set_wrongly_ends_the_start_with_a_line_each(
    at: Broker, more: dict[str, str], problems: list[str]
) -> None:
    async with spawn("ntfy_mcp", environ(at, at.backend, **more)) as server:
        assert await server.exit_code() == 1
        assert await server.rest() == b""
        lines = [line for line in (await server.errors()).splitlines() if "warning" not in line]
    assert [line.split(": ")[:2] for line in lines] == [["ntfy-mcp", name] for name in problems]
    if "ELICITATION" in problems:
        assert lines == [
            "ntfy-mcp: ELICITATION: false asks nobody, and APPROVAL_REACH asks outside the "
            "client; unset one of them"
        ]
    for value in (ASK, ANSWERS, at.server, at.button, "tk_same", "fax"):
        assert not any(value in line for line in lines)
    assert at.backend.requests == []
