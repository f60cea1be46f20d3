"""The life of a server process over real stdio."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from ntfy_mcp.order import EXTRAS, ORDER
from tests.backends.ntfy import NtfyBackend
from tests.support.process import ServerProcess, spawn

MODULE = "ntfy_mcp"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
DELETE: dict[str, object] = {
    "name": "delete_messages",
    "arguments": {"topic": "alerts", "sequence_ids": ["nightly"]},
}


async def test_both_eras_are_served_by_the_same_command() -> None:
    async with spawn(MODULE) as server:
        answer = await server.initialize()
        result = answer["result"]
        assert isinstance(result, dict)
        assert result["protocolVersion"] == "2025-11-25"
        listed = await server.request(2, "tools/list", {})
        assert len(json.loads(json.dumps(listed))["result"]["tools"]) == len(ORDER) - len(EXTRAS)
    async with spawn(MODULE) as server:
        listed = await server.request(1, "tools/list", {"_meta": ENVELOPE})
        assert len(json.loads(json.dumps(listed))["result"]["tools"]) == len(ORDER) - len(EXTRAS)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_process_with_code_zero(number: signal.Signals) -> None:
    async with spawn(MODULE) as server:
        await server.initialize()
        server.signal(number)
        assert await server.exit_code() == 0
        assert await server.rest() == b""


async def test_a_signal_during_start_ends_the_process_with_code_zero() -> None:
    async with spawn(MODULE, {"NTFY_URL": "http://127.0.0.1:9"}) as server:
        assert server.process.stderr is not None
        await server.process.stderr.readline()  # the settings are read, the SDK is not loaded
        server.signal(signal.SIGTERM)
        assert await server.exit_code() == 0


async def test_the_end_of_stdin_ends_the_process_with_code_zero() -> None:
    async with spawn(MODULE) as server:
        await server.initialize()
        await server.close_stdin()
        assert await server.exit_code() == 0


async def _open_dialog(server: ServerProcess) -> None:
    await server.initialize(capabilities={"elicitation": {}})
    await server.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": DELETE})
    asked = await server.receive()
    assert asked["method"] == "elicitation/create"


@pytest.mark.parametrize("end", ["eof", "sigterm"])
async def test_an_open_dialog_does_not_keep_the_process(end: str) -> None:
    with NtfyBackend() as backend:
        async with spawn(MODULE, {"NTFY_URL": backend.url}) as server:
            await _open_dialog(server)
            if end == "eof":
                await server.close_stdin()
            else:
                server.signal(signal.SIGTERM)
            assert await server.exit_code() == 0
        assert [each for each in backend.requests if each.method != "GET"] == []


async def test_a_cancelled_call_executes_nothing_whatever_arrives_later() -> None:
    with NtfyBackend() as backend:
        async with spawn(MODULE, {"NTFY_URL": backend.url}) as server:
            await _open_dialog(server)
            question_id = server.received[-1]["id"]
            await server.send(
                {
                    "jsonrpc": "2.0",
                    "method": "notifications/cancelled",
                    "params": {"requestId": 7, "reason": "changed my mind"},
                }
            )
            cancelled = await server.receive()
            assert cancelled["method"] == "notifications/cancelled"
            accepted = {"action": "accept", "content": {"confirm": True}}
            await server.send({"jsonrpc": "2.0", "id": question_id, "result": accepted})
            assert "result" in await server.request(8, "ping", {})
        assert [each for each in backend.requests if each.method != "GET"] == []


@pytest.mark.requirement("R-20")
async def test_half_a_surrogate_pair_from_upstream_does_not_end_the_process() -> None:
    line = b'{"id":"Ab3dE5gH7jK9","time":1797990010,"event":"message","message":"x \\ud83d y"}\n'
    with NtfyBackend() as backend:
        backend.respond_next(body=line, content_type="application/x-ndjson", method="GET")
        async with spawn(MODULE, {"NTFY_URL": backend.url}) as server:
            await server.initialize()
            params: dict[str, object] = {"name": "list_messages", "arguments": {"topics": ["a"]}}
            answer = await server.request(2, "tools/call", params)
            assert "x \ufffd y" in json.dumps(answer, ensure_ascii=False)
            assert "result" in await server.request(3, "tools/list", {})


@pytest.mark.requirement("R-20")
async def test_half_a_surrogate_pair_in_a_request_is_answered_with_an_error() -> None:
    async with spawn(MODULE) as server:
        await server.initialize()
        await server.send_raw(
            b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_message",'
            b'"arguments":{"id":"\\ud83d"}}}\n'
        )
        answer = await server.answer_to(2)
        error = answer["error"]
        assert isinstance(error, dict)
        assert error["code"] == -32602
        assert "surrogate" in str(error["message"])
        assert "result" in await server.request(3, "ping", {})


@pytest.mark.parametrize(
    ("line", "request_id", "code"),
    [
        (b"this is no JSON", None, -32700),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
        (b'{"id":5,"method":"ping"}', 5, -32600),
    ],
)
async def test_a_line_that_the_sdk_passes_over_is_answered(
    line: bytes, request_id: object, code: int
) -> None:
    async with spawn(MODULE) as server:
        await server.initialize()
        await server.send_raw(line + b"\n")
        answer = await server.answer_to(request_id)
        error = answer["error"]
        assert isinstance(error, dict)
        assert error["code"] == code
        assert "result" in await server.request(9, "ping", {})


async def test_answers_to_calls_under_way_arrive_although_stdin_has_ended() -> None:
    async with spawn(MODULE) as server:
        await server.initialize()
        await server.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        await server.close_stdin()
        await server.answer_to(2)
        assert await server.exit_code() == 0


async def test_stdin_may_be_a_file(tmp_path: Path) -> None:
    script = tmp_path / "requests"
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with script.open("rb") as stdin:
        async with spawn(MODULE, stdin=stdin.fileno()) as server:
            await server.answer_to(1)
            await server.answer_to(2)
            assert await server.exit_code() == 0


async def test_stdin_may_be_the_null_device() -> None:
    async with spawn(MODULE, stdin=asyncio.subprocess.DEVNULL) as server:
        assert await server.exit_code() == 0
        assert await server.rest() == b""


async def test_a_client_that_stops_reading_ends_the_process_quietly() -> None:
    reading, writing = os.pipe()
    async with spawn(MODULE, stdin=reading) as server:
        os.close(reading)
        with os.fdopen(writing, "wb", buffering=0) as stdin:
            transport = server.process._transport  # type: ignore[attr-defined]
            transport.get_pipe_transport(1).close()
            stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            assert await server.exit_code() == 0
        assert "Traceback" not in await server.errors()


async def test_a_huge_line_is_refused_and_the_next_one_served() -> None:
    async with spawn(MODULE) as server:
        await server.initialize()
        await server.send_raw(b'{"x":"' + b"a" * (33 * 1024 * 1024) + b'"}\n')
        answer = await server.answer_to(None)
        assert "longer than" in json.dumps(answer)
        assert "result" in await server.request(2, "ping", {})
