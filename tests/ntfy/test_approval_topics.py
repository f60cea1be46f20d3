"""The topics by which a person approves calls are out of every tool's reach."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from unittest.mock import patch

import pytest
from mcp import Client

from mcp_approval.approver import Approver
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.runtime.cli import read
from mcp_serverkit.server import build_server
from ntfy_mcp.allowlist import TopicAllowlist
from ntfy_mcp.definition import NTFY
from tests.approval.broker import ANSWERS, ASK, Broker, broker, until
from tests.support.clients import ERAS, Era, call, connect, document, text
from tests.support.servers import values_of

KEPT = TopicAllowlist((), (ASK, ANSWERS))


def environ(at: Broker, **more: str) -> dict[str, str]:
    return {
        "NTFY_URL": at.backend.url,
        "NTFY_TOKEN": at.backend.add_token("admin"),
        "APPROVAL_REACH": "phone",
        "APPROVAL_NTFY_URL": at.backend.url,
        "APPROVAL_NTFY_ASK_TOPIC": ASK,
        "APPROVAL_NTFY_ANSWER_TOPIC": ANSWERS,
        "APPROVAL_NTFY_TOKEN": at.server,
        "APPROVAL_NTFY_BUTTON_TOKEN": at.button,
        "APPROVAL_WAIT_SECONDS": "0",
        "NTFY_EXTRAS": "true",
        "NTFY_REPLY_TOPIC": "replies",
        **more,
    }


@pytest.fixture
def at() -> Iterator[Broker]:
    with broker() as found:
        found.backend.add_user("admin", "admin-password", "admin")
        yield found


@asynccontextmanager
async def client_of(at: Broker, era: Era) -> AsyncIterator[Client]:
    values = values_of(NTFY, environ(at))
    settings = {k: v for k, v in values.items() if k.startswith("approval_")}
    approver = Approver(NTFY.name, settings=settings, log=lambda _: None)
    async with connect(build_server(NTFY, values, approver=approver), era) as client:
        yield client


@pytest.mark.requirement("A-13")
@pytest.mark.parametrize("name", [ASK, ANSWERS, ASK.upper(), ANSWERS.title()])
@pytest.mark.parametrize("era", ERAS)
async def test_no_tool_takes_their_names(at: Broker, era: Era, name: str) -> None:
    more: dict[str, object] = {
        "message": "x",
        "id": "abcdefghijkl",
        "ids": ["abcdefghijkl"],
        "sequence_id": "abcdefghijkl",
        "sequence_ids": ["abcdefghijkl"],
        "username": "anna",
        "action": "read_only",
        "permission": "read-write",
        "question": "x",
        "answers": ["Yes"],
    }
    at.backend.clear_requests()
    async with client_of(at, era) as client:
        walked = 0
        for tool in (await client.list_tools()).tools:
            known = tool.input_schema["properties"]
            for argument in {"topic", "topics"} & set(known):
                given = {key: value for key, value in more.items() if key in known}
                value = [name] if argument == "topics" else name
                result = await call(client, tool.name, {**given, argument: value})
                assert result.is_error
                assert "kept for approvals" in text(result), (tool.name, text(result))
                assert name not in text(result)
                walked += 1
        assert walked >= 10
    assert [request for request in at.backend.requests if "account" not in request.path] == []


@pytest.mark.requirement("A-13")
@pytest.mark.parametrize(
    "pattern",
    ["*", f"{ASK[:4]}*", f"*{ANSWERS[-4:]}", ASK, ANSWERS.upper(), "a*", "ask-*-8f2k", "**"],
)
def test_no_rule_may_cover_them(pattern: str) -> None:
    with pytest.raises(BadArgument, match="covers a topic that is kept for approvals"):
        KEPT.require_allowed_pattern(pattern)


@pytest.mark.parametrize("pattern", ["alerts", "alert*", "ask", "ask-anna", "answers-anna-8f2k-x"])
def test_other_rules_stay_possible(pattern: str) -> None:
    assert KEPT.require_allowed_pattern(pattern) == pattern


async def attack(client: Client) -> tuple[str, str]:
    """Read the question, take the capability out of its button, and send it."""
    reading = await call(client, "list_messages", {"topics": [ASK]})
    body = "v1.00000000.q.approve." + "A" * 32
    if not reading.is_error:
        message = document(reading)["messages"][0]  # type: ignore[index]
        actions = message["actions"]
        body = next(action["body"] for action in actions if action["label"] == "Approve")
    sending = await call(client, "publish_message", {"topics": [ANSWERS], "message": body})
    return text(reading), text(sending)


@pytest.mark.requirement("A-13")
@pytest.mark.parametrize("era", ERAS)
async def test_a_model_cannot_approve_itself(at: Broker, era: Era) -> None:
    at.backend.grant("anna", "alerts", "read-write")
    async with client_of(at, era) as client:
        asked = await call(client, "delete_user", {"username": "button"})
        assert text(asked).startswith("Awaiting a person")
        for said in await attack(client):
            assert "kept for approvals" in said
        again = await call(client, "delete_user", {"username": "button"})
        assert text(again).startswith("Awaiting a person")
    assert "button" in at.backend.usernames


@pytest.mark.requirement("A-13")
@pytest.mark.parametrize("era", ERAS)
async def test_without_that_limit_the_attack_is_noticed_by_this_test(at: Broker, era: Era) -> None:
    """Where the topics are not kept, and the tools' login can read and write everything."""
    with patch("ntfy_mcp.app.kept_for_approvals", lambda _values: ()):
        async with client_of(at, era) as client:
            await call(client, "delete_user", {"username": "button"})
            capability = str(at.buttons()["Approve"]["body"])
            sent = await call(
                client, "publish_message", {"topics": [ANSWERS], "message": capability}
            )
            assert not sent.is_error, text(sent)
            await until(lambda: "Approved" in str(at.shown()[-1]["title"]))
            done = await call(client, "delete_user", {"username": "button"})
            assert not done.is_error, text(done)
    assert "button" not in at.backend.usernames


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            {"NTFY_TOPICS": f"alerts,replies,{ASK}"},
            "APPROVAL_NTFY_ASK_TOPIC: is also listed in NTFY_TOPICS",
        ),
        (
            {"NTFY_TOPICS": f"{ANSWERS.upper()},replies"},
            "APPROVAL_NTFY_ANSWER_TOPIC: is also listed in NTFY_TOPICS",
        ),
        ({"NTFY_REPLY_TOPIC": ASK}, "NTFY_REPLY_TOPIC: is a topic of approvals"),
        ({"NTFY_REPLY_TOPIC": ANSWERS.upper()}, "NTFY_REPLY_TOPIC: is a topic of approvals"),
        ({"APPROVAL_NTFY_TOKEN": "same", "NTFY_TOKEN": "same"}, "is the same as NTFY_TOKEN"),
        ({"APPROVAL_NTFY_BUTTON_TOKEN": "same", "NTFY_TOKEN": "same"}, "is the same as NTFY_TOKEN"),
    ],
)
def test_what_tools_use_is_kept_apart_from_approvals(
    at: Broker, more: dict[str, str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    reading = read(NTFY, environ(at, **more))
    assert [problem for problem in reading.problems if told in problem] == reading.problems
    assert reading.problems
    assert ASK not in capsys.readouterr().err
