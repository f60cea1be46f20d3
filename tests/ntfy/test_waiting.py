"""Waiting for a message instead of polling for it."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Callable

import pytest

import ntfy_mcp.waiting as waiting_module
from ntfy_mcp.definition import NTFY
from ntfy_mcp.order import ORDER
from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, inner, listed, login, serve, stderr_of_refusal, use
from tests.support.clients import ERAS, Era, Result, connect, structured, text
from tests.support.person import Person

EXTRAS = {**ALLOWLIST, "NTFY_EXTRAS": "true"}


async def publish(backend: NtfyBackend, message: str, **fields: object) -> str:
    """Publish from another process; return the id."""
    given = {"message": message, **fields}
    result = structured(await use(serve(backend, ALLOWLIST), "publish_message", given))
    return str(listed(result, "results")[0]["id"])


async def wait(backend: NtfyBackend, **arguments: object) -> dict[str, object]:
    """Wait on the allowed topic."""
    given = {"timeout_s": 10, **arguments}
    return structured(await use(serve(backend, EXTRAS), "wait_for_message", given))


async def until(holds: Callable[[], bool]) -> None:
    """Wait for what another thread brings about."""
    while not holds():  # noqa: ASYNC110 (the stand-in lives in another thread)
        await asyncio.sleep(0.01)


async def soon(backend: NtfyBackend, act: Callable[[], object], streams: int = 1) -> None:
    """Do something once so many streams are open."""
    await until(lambda: backend.open_streams >= streams)
    await asyncio.to_thread(act)


def raw(backend: NtfyBackend, message: str, **fields: object) -> Callable[[], object]:
    """A publication by a script."""
    body = json.dumps({"topic": "alerts", "message": message, **fields}).encode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return lambda: opener.open(urllib.request.Request(backend.url, data=body), timeout=10).read()


@pytest.mark.requirement("R-32")
@pytest.mark.parametrize("era", ERAS)
async def test_a_message_ends_the_wait(era: Era, backend: NtfyBackend) -> None:
    await publish(backend, "before")
    backend.clear_requests()
    server = serve(backend, EXTRAS)
    task = asyncio.create_task(soon(backend, raw(backend, "yes, go on", title="T")))
    result = structured(await use(server, "wait_for_message", {"timeout_s": 10}, era=era))
    await task
    assert result["timed_out"] is False
    assert inner(result, "message")["message"] == "yes, go on"
    assert (result["untrusted"], result["source"]) == (True, "ntfy")
    gets = [request for request in backend.requests if request.method == "GET"]
    assert [request.query.get("poll") for request in gets] == [["1"], None]
    await until(lambda: backend.open_streams == 0)
    again = structured(await use(server, "list_messages", {"since": result["next_since"]}, era=era))
    assert again["count"] == 0


async def test_an_answer_that_came_before_the_call_is_not_missed(backend: NtfyBackend) -> None:
    server = serve(backend, EXTRAS)
    sent = structured(await use(server, "publish_message", {"message": "go on?"}))
    question = listed(sent, "results")[0]["id"]
    await publish(backend, "yes")
    backend.clear_requests()
    given = {"since": question, "timeout_s": 10}
    result = structured(await use(server, "wait_for_message", given))
    assert inner(result, "message")["message"] == "yes"
    assert len(backend.requests) == 2


async def test_silence_is_no_error_and_the_next_call_goes_on(backend: NtfyBackend) -> None:
    result = await wait(backend, timeout_s=1)
    assert (result["timed_out"], result["waited_s"]) == (True, 1)
    assert "message" not in result
    await publish(backend, "late")
    again = await wait(backend, since=result["next_since"])
    assert inner(again, "message")["message"] == "late"


@pytest.mark.requirement("R-31")
async def test_own_publications_do_not_end_it_unless_they_may(backend: NtfyBackend) -> None:
    server = serve(backend, EXTRAS)
    start = structured(await use(server, "wait_for_message", {"timeout_s": 1}))["next_since"]
    await use(server, "publish_message", {"message": "mine"})
    given = {"since": start, "timeout_s": 1}
    assert structured(await use(server, "wait_for_message", given))["timed_out"] is True
    given = {"since": start, "timeout_s": 10, "from_others": False}
    result = structured(await use(server, "wait_for_message", given))
    assert inner(result, "message")["own"] is True


async def test_what_does_not_match_and_follow_ups_go_by(backend: NtfyBackend) -> None:
    start = (await wait(backend, timeout_s=1))["next_since"]
    first = await publish(backend, "x", title="other")
    await use(serve(backend, ALLOWLIST), "mark_messages_read", {"sequence_ids": [first]})
    revised = {"sequence_id": first, "message": "y", "title": "wanted", "tags": ["a"]}
    await use(serve(backend, ALLOWLIST), "update_message", revised, person=Person())
    result = await wait(backend, since=start, title="wanted", tags=["a"], priority=["default"])
    assert inner(result, "message")["updates"] == first
    assert (await wait(backend, since=result["next_since"], timeout_s=1))["timed_out"] is True


async def test_a_start_that_is_gone_is_told(backend: NtfyBackend) -> None:
    await publish(backend, "x")
    result = await wait(backend, since="Ab3dE5gH7jK9")
    assert result["since_unknown"] is True
    assert inner(result, "message")["message"] == "x"


async def test_a_broken_stream_is_opened_again_where_it_was(
    backend: NtfyBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_module, "REOPEN_WAITS", (0.0, 0.0, 0.0))
    start = (await wait(backend, timeout_s=1))["next_since"]
    await publish(backend, "one", title="other")
    await publish(backend, "two", title="wanted")
    backend.cut_streams(2, 1)
    backend.clear_requests()
    result = await wait(backend, since=start, title="wanted")
    assert inner(result, "message")["message"] == "two"
    assert len(backend.requests) == 3


@pytest.mark.parametrize("seconds", [1, 10])
async def test_a_stream_that_stays_down_is_an_error(
    seconds: int, backend: NtfyBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = (0.0, 0.0, 0.0) if seconds == 10 else (60.0,)
    monkeypatch.setattr(waiting_module, "REOPEN_WAITS", waits)
    backend.cut_streams(1, 1, 1, 1)
    given = {"timeout_s": seconds, "since": "all"}
    result = await use(serve(backend, EXTRAS), "wait_for_message", given)
    assert result.is_error
    assert "The stream broke and could not be opened again" in text(result)


async def test_too_many_subscriptions_are_not_tried_again(backend: NtfyBackend) -> None:
    backend.fail_next(42903, method="GET")
    given = {"since": "all"}
    result = await use(serve(backend, EXTRAS), "wait_for_message", given)
    assert "code 42903" in text(result)
    assert "Too many open subscriptions" in text(result)
    assert len(backend.requests) == 1


async def test_who_may_not_read_is_told_so(backend: NtfyBackend) -> None:
    backend.add_user("writer", "writer-password")
    backend.grant("writer", "alerts", "write-only")
    server = serve(backend, {**EXTRAS, **login("writer", "writer-password")})
    for since in (None, "all"):
        result = await use(server, "wait_for_message", {"since": since})
        assert "code 40301" in text(result)


async def test_a_line_that_is_too_long_ends_it(backend: NtfyBackend) -> None:
    body = b'{"id":"Ab3dE5gH7jK9","x":"' + b"y" * 70_000
    backend.respond_next(200, body, content_type="application/x-ndjson", method="GET")
    result = await use(serve(backend, EXTRAS), "wait_for_message", {"since": "all"})
    assert result.is_error
    assert "larger than what is taken" in text(result)


async def test_a_page_instead_of_a_stream_is_told(backend: NtfyBackend) -> None:
    backend.respond_next(200, "<html>", content_type="text/html", method="GET")
    result = await use(serve(backend, EXTRAS), "wait_for_message", {"since": "all"})
    assert "did not reach an ntfy API route" in text(result)


async def test_four_may_wait_at_once_and_leaving_closes_the_stream(backend: NtfyBackend) -> None:
    server = serve(backend, EXTRAS)
    async with connect(server, "2025-11-25") as client:

        async def one() -> Result:
            given = {"timeout_s": 50, "since": "none"}
            answer = await client.call_tool("wait_for_message", given)
            assert isinstance(answer, Result)
            return answer

        tasks = [asyncio.create_task(one()) for _ in range(4)]
        await until(lambda: backend.open_streams == 4)
        fifth = await one()
        assert fifth.is_error
        assert "4 calls wait already" in text(fifth)
        tasks[0].cancel()
        await until(lambda: backend.open_streams == 3)
        await asyncio.to_thread(raw(backend, "done"))
        for task in tasks[1:]:
            assert inner(structured(await task), "message")["message"] == "done"
    await until(lambda: backend.open_streams == 0)


async def test_progress_is_told_to_who_asked(
    backend: NtfyBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ntfy_mcp.tools.waiting.PROGRESS_SECONDS", 0.05)
    told: list[tuple[float, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))

    async with connect(serve(backend, EXTRAS), "2025-11-25") as client:
        given = {"timeout_s": 1}
        await client.call_tool("wait_for_message", given, progress_callback=note)
    assert told[:2] == [(1, "waiting for a message"), (2, "waiting for a message")]


@pytest.mark.parametrize(
    "arguments",
    [{"timeout_s": 0}, {"timeout_s": 56}, {"topics": []}, {"since": "soon"}, {"scheduled": True}],
)
async def test_bounds_hold(arguments: dict[str, object], backend: NtfyBackend) -> None:
    result = await use(serve(backend, EXTRAS), "wait_for_message", arguments)
    assert text(result).startswith(next(iter(arguments)))
    assert backend.requests == []


async def test_a_button_that_was_pressed_ends_the_wait(backend: NtfyBackend) -> None:
    answer = {"topic": "alerts", "message": "approved by phone"}
    button = {
        "action": "http",
        "label": "Yes",
        "url": backend.url,
        "headers": {"Content-Type": "application/json"},
        "body": json.dumps(answer),
    }
    server = serve(backend, EXTRAS)
    await use(server, "publish_message", {"message": "go on?", "actions": [button]})
    task = asyncio.create_task(soon(backend, lambda: backend.press("alerts", "Yes")))
    result = structured(await use(server, "wait_for_message", {"timeout_s": 10}))
    await task
    assert inner(result, "message")["message"] == "approved by phone"


async def test_the_allowlist_holds(backend: NtfyBackend) -> None:
    result = await use(serve(backend, EXTRAS), "wait_for_message", {"topics": ["other"]})
    assert "NTFY_TOPICS" in text(result)
    assert backend.requests == []


async def test_it_is_off_unless_it_is_switched_on(backend: NtfyBackend) -> None:
    extras = {"wait_for_message", "ask_person"}
    for environ, offered in (
        ({}, set()),
        ({"NTFY_EXTRAS": "true"}, extras),
        ({"NTFY_EXTRAS": "true", "NTFY_READ_ONLY": "1"}, {"wait_for_message"}),
        ({"NTFY_EXTRAS": "true", "NTFY_ALLOW_TOOLS": "essential"}, extras),
    ):
        async with connect(serve(backend, environ), "2025-11-25") as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
        assert set(names) & extras == offered
    async with connect(serve(backend, EXTRAS), "2025-11-25") as client:
        assert len((await client.list_tools()).tools) == len(ORDER)


@pytest.mark.parametrize("tool", ["wait_for_message", "ask_person"])
@pytest.mark.parametrize("variable", ["NTFY_ALLOW_TOOLS", "NTFY_DENY_TOOLS"])
def test_a_list_that_names_it_needs_the_switch(
    variable: str, tool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "NTFY_EXTRAS" in stderr_of_refusal(capsys, **{variable: tool})


def test_the_extra_tools_are_two() -> None:
    assert NTFY.extras == ("wait_for_message", "ask_person")
