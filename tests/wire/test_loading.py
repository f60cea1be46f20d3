"""What happens while a server loads its SDK for the first call."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.support.process import Message, ServerProcess, spawn

MODULE = "ntfy_mcp"
PUBLISH: Message = {"name": "publish_message", "arguments": {"topics": ["a"], "message": "x"}}


def _mapped(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")


async def _call(server: ServerProcess, request_id: int, params: Message) -> None:
    await server.send(
        {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_while_loading_ends_the_process_with_code_zero(
    number: signal.Signals,
) -> None:
    async with spawn(MODULE, {"NTFY_URL": "http://127.0.0.1:9"}) as server:
        await server.initialize()
        await _call(server, 2, PUBLISH)
        server.signal(number)
        assert await server.exit_code() == 0
        assert "Traceback" not in await server.errors()


async def test_requests_that_arrive_while_loading_are_all_answered() -> None:
    with NtfyBackend() as backend:
        async with spawn(MODULE, {"NTFY_URL": backend.url}) as server:
            await server.initialize()
            for number in range(2, 8):
                arguments: Message = {"topics": [f"t{number}"], "message": "x"}
                await _call(server, number, {"name": "publish_message", "arguments": arguments})
            await server.send({"jsonrpc": "2.0", "id": 8, "method": "ping"})
            answered = {(await server.receive())["id"] for _ in range(7)}
        assert answered == {2, 3, 4, 5, 6, 7, 8}
        assert len(backend.requests) == 6


async def test_a_request_that_is_cancelled_while_it_waits_is_never_carried_out() -> None:
    with NtfyBackend() as backend:
        async with spawn(MODULE, {"NTFY_URL": backend.url}) as server:
            await server.initialize()
            listing: Message = {"name": "list_messages", "arguments": {"topics": ["a"]}}
            await _call(server, 2, listing)
            await _call(server, 3, PUBLISH)
            cancelled: Message = {"requestId": 3}
            await server.send(
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}
            )
            await server.answer_to(2)
            assert "result" in await server.request(4, "ping", {})
        assert [request.method for request in backend.requests] == ["GET"]


async def test_the_end_of_stdin_while_loading_still_answers_and_ends_with_code_zero() -> None:
    with NtfyBackend() as backend:
        async with spawn(MODULE, {"NTFY_URL": backend.url}) as server:
            await server.initialize()
            await server.close_stdin()
            assert await server.exit_code() == 0
        assert backend.requests == []


@pytest.mark.parametrize("module", ["ntfy_mcp", "smtp_mcp", "hetzner_dns_mcp", "woodpecker_ci_mcp"])
async def test_an_idle_server_has_loaded_no_sdk(module: str) -> None:
    async with spawn(module) as server:
        await server.initialize()
        await server.request(2, "tools/list", {})
        assert "pydantic_core" not in _mapped(server.process.pid)
        await server.close_stdin()
        assert await server.exit_code() == 0
