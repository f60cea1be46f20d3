# ruff: noqa: ASYNC240 (a folder, looked at when all is over)
"""A person who is asked outside the client, and a server process that ends or is only listing."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.approval.broker import ANSWERS, ASK, Broker, broker, until
from tests.backends.ntfy import NtfyBackend
from tests.support.process import Message, spawn

MODULE = "ntfy_mcp"
CANCELLED = "notifications/cancelled"
DELETE: Message = {
    "name": "delete_messages",
    "arguments": {"topic": "alerts", "sequence_ids": ["nightly"]},
}


def environ(at: Broker, backend: NtfyBackend, **more: str) -> dict[str, str]:
    return {
        "NTFY_URL": backend.url,
        "APPROVAL_REACH": "phone",
        "APPROVAL_NTFY_URL": at.backend.url,
        "APPROVAL_NTFY_ASK_TOPIC": ASK,
        "APPROVAL_NTFY_ANSWER_TOPIC": ANSWERS,
        "APPROVAL_NTFY_TOKEN": at.server,
        "APPROVAL_NTFY_BUTTON_TOKEN": at.button,
        **more,
    }


@pytest.mark.requirement("A-3", "A-8")
@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("end", ["eof", "sigterm"])
async def test_a_question_is_withdrawn_when_the_server_ends(end: str, waits: bool) -> None:
    with broker() as at, NtfyBackend() as backend:
        more = {"APPROVAL_WAIT_SECONDS": "45" if waits else "0", "NTFY_LOG_LEVEL": "debug"}
        async with spawn(MODULE, environ(at, backend, **more)) as server:
            await server.initialize()
            await server.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": DELETE})
            if waits:
                await until(at.shown)
            else:
                assert "Awaiting a person" in str(await server.answer_to(7))
            if end == "eof":
                await server.close_stdin()
            else:
                server.signal(signal.SIGTERM)
            assert await server.exit_code() == 0
            errors = await server.errors()
        assert "Traceback" not in errors
        assert "approvals by phone (a person), where the client shows no dialog" in errors
        for kept in (ASK, ANSWERS, at.server, at.button):
            assert kept not in errors
        assert str(at.shown()[-1]["title"]).startswith("ntfy-mcp: Withdrawn.")
        assert not at.shown()[-1].get("actions")
        assert [each for each in backend.requests if each.method != "GET"] == []


@pytest.mark.requirement("A-5")
@pytest.mark.parametrize(
    ("answers", "told"),
    [("client", "Answered in the client: yes."), ("phone", "Approved and carried out.")],
)
async def test_one_answer_settles_the_dialog_and_the_phone(answers: str, told: str) -> None:
    with broker() as at, NtfyBackend() as backend:
        given = environ(at, backend, APPROVAL_REACH_WHEN="always")
        async with spawn(MODULE, given) as server:
            await server.initialize(capabilities={"elicitation": {}})
            await server.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": DELETE})
            while (dialog := await server.receive()).get("method") != "elicitation/create":
                pass
            await until(at.shown)
            if answers == "client":
                yes = {"action": "accept", "content": {"confirm": True}}
                await server.send({"jsonrpc": "2.0", "id": dialog["id"], "result": yes})
            else:
                await at.tap("Approve")
            assert "'ok': True" in str(await server.answer_to(7))
            await until(lambda: "actions" not in at.shown()[-1])
            over = [one["params"] for one in server.received if one.get("method") == CANCELLED]
            assert f"'requestId': {dialog['id']}" in str(over) or answers == "client"
            assert len(over) == (answers == "phone")
        assert at.shown()[-1]["title"] == f"ntfy-mcp: {told}"
        assert len([each for each in backend.requests if each.method == "DELETE"]) == 1


@pytest.mark.requirement("A-5", "A-8")
@pytest.mark.parametrize("end", ["eof", "sigterm"])
async def test_both_sides_are_taken_back_when_the_server_ends(end: str) -> None:
    with broker() as at, NtfyBackend() as backend:
        given = environ(at, backend, APPROVAL_REACH_WHEN="always")
        async with spawn(MODULE, given) as server:
            await server.initialize(capabilities={"elicitation": {}})
            await server.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": DELETE})
            while (await server.receive()).get("method") != "elicitation/create":
                pass
            await until(at.shown)
            if end == "eof":
                await server.close_stdin()
            else:
                server.signal(signal.SIGTERM)
            assert await server.exit_code() == 0
            errors = await server.errors()
        assert "Traceback" not in errors
        assert "never retrieved" not in errors
        assert "approvals by phone (a person), beside the client's dialog" in errors
        assert str(at.shown()[-1]["title"]).startswith("ntfy-mcp: Withdrawn.")
        assert [each for each in backend.requests if each.method != "GET"] == []


@pytest.mark.requirement("A-19", "D-12")
@pytest.mark.parametrize("when", ["no_dialog", "always"])
async def test_what_does_not_ask_loads_no_channel_and_no_record(tmp_path: Path, when: str) -> None:
    with broker() as at, NtfyBackend() as backend:
        more = {
            "APPROVAL_REACH_WHEN": when,
            "APPROVAL_RECORD": str(tmp_path / "record.jsonl"),
            "PYTHONPROFILEIMPORTTIME": "1",
        }
        async with spawn(MODULE, environ(at, backend, **more)) as server:
            await server.initialize()
            await server.request(2, "tools/list", {})
            listing: Message = {"name": "list_messages", "arguments": {"topics": ["a"]}}
            assert "result" in await server.request(3, "tools/call", {**listing})
            await server.close_stdin()
            assert await server.exit_code() == 0
            loaded = [
                line.rpartition("|")[2].strip() for line in (await server.errors()).split("\n")
            ]
        assert "mcp_approval.environment.approval" in loaded
        assert not [name for name in loaded if name.startswith(("mcp_approval.reach", "tkinter"))]
        assert not [name for name in loaded if name.startswith("mcp_approval.record")]
        assert list(tmp_path.iterdir()) == []
        assert at.backend.requests == []
