"""The API client on its own, without MCP."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator

import httpx
import pytest
import respx

from mcp_serverkit.errors import Refused, Unexpected
from mcp_serverkit.http.client import HTTP
from mcp_serverkit.http.connection import Connection
from woodpecker_ci_mcp.api.client import WoodpeckerAPI
from woodpecker_ci_mcp.api.error_hints import hint
from woodpecker_ci_mcp.log_search import find_matches
from woodpecker_ci_mcp.logs import ENTRIES_PER_TURN, decode_line, read_log

ROOT = "https://ci.example.org"


@pytest.fixture
async def api() -> AsyncIterator[WoodpeckerAPI]:
    connection = Connection(ROOT, "Woodpecker", "WOODPECKER_URL", 5, "test")
    client = WoodpeckerAPI(HTTP(connection, environ={}), "a-token")
    yield client
    await client.aclose()


@respx.mock
async def test_requests_carry_the_token_and_no_cookie(api: WoodpeckerAPI) -> None:
    route = respx.get(f"{ROOT}/api/user").mock(httpx.Response(200, json={"login": "root"}))
    assert await api.get("user") == {"login": "root"}
    headers = route.calls.last.request.headers
    assert headers["authorization"] == "Bearer a-token"
    assert "cookie" not in headers
    assert "a-token" not in repr(api)


@respx.mock
async def test_the_version_is_learned_from_any_answer(api: WoodpeckerAPI) -> None:
    assert api.is_before(3, 0) is None
    for version, old in (("2.8.3", True), ("3.0.0", False), ("v2.7.0", True), ("next-1", False)):
        headers = {"X-Woodpecker-Version": version}
        respx.get(f"{ROOT}/api/user").mock(httpx.Response(404, headers=headers))
        with pytest.raises(Refused):
            await api.get("user")
        assert api.version == version
        assert api.is_before(3, 0) is old


@respx.mock
async def test_switches_in_a_query_are_words(api: WoodpeckerAPI) -> None:
    route = respx.delete(f"{ROOT}/api/repos/5").mock(httpx.Response(204))
    await api.delete("repos", 5, query={"remove": True, "other": False, "none": None, "n": 3})
    assert route.calls.last.request.url.query == b"remove=true&other=false&n=3"


@respx.mock
async def test_pages_end_with_the_first_that_is_not_full(api: WoodpeckerAPI) -> None:
    full = httpx.Response(200, json=[{"id": number} for number in range(50)])
    respx.get(f"{ROOT}/api/repos").mock(side_effect=[full, httpx.Response(200, json=None)])
    sizes = [len(page) async for page in api.pages("repos", most=9)]
    assert sizes == [50, 0]


@respx.mock
async def test_a_patch_may_be_answered_with_nothing(api: WoodpeckerAPI) -> None:
    respx.patch(f"{ROOT}/api/repos/5").mock(httpx.Response(200))
    assert await api.patch("repos", 5, body={"timeout": 1}) == {}


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("GET", "/repos/5", 404, "pull or push right"),
        ("GET", "/agents/5", 404, "no such entry"),
        ("GET", "/user", 401, "get_current_user"),
        ("GET", "/queue/info", 403, "instance admin"),
        ("POST", "/repos/5/chown", 500, "chown_repository first"),
        ("DELETE", "/orgs/4/secrets/a", 500, "list_secrets"),
        ("DELETE", "/orgs/4/agents/3", 409, "busy"),
        ("PATCH", "/repos/5", 403, "maximum"),
        ("PATCH", "/repos/5/cron/3", 422, "five fields"),
        ("GET", "/user", 418, ""),
    ],
)
def test_the_route_tells_more_than_the_body(
    method: str, path: str, status: int, words: str
) -> None:
    said = hint(method, path, status)
    assert words in said
    assert bool(said) is bool(words)


async def test_a_large_log_leaves_the_event_loop_its_turns() -> None:
    lines = 20 * ENTRIES_PER_TURN
    data = base64.b64encode(b"x" * 40).decode()
    row = {"id": 1, "step_id": 9, "time": 3, "data": data, "type": 0}
    body = json.dumps([{**row, "line": number} for number in range(lines)])
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    log = await read_log(body)
    decoding = turns
    found = await find_matches(log, "xx", 5)
    counting.cancel()
    assert len(log) == lines
    assert found.total == lines
    assert decoding >= 19
    assert turns - decoding >= 19


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (b"plain", "plain"),
        (b"end\n", "end"),
        (b"a\rb\rc\r\n", "c"),
        (b"\x1b[1;31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07text", "text"),
        (b"caf\xe9", "caf\ufffd"),
        ("zero\u200bwidth \u202e".encode(), "zerowidth "),
        (b"from https://bob:pw@git.example.org/x", "from https://git.example.org/x"),
        (b"", ""),
    ],
)
def test_a_line_is_what_a_terminal_would_show(line: bytes, shown: str) -> None:
    assert decode_line(base64.b64encode(line).decode()) == shown


def test_a_line_that_is_no_base64_is_empty() -> None:
    assert decode_line("abc") == ""


@pytest.mark.parametrize("body", ["", "null", " null ", "[]", " [ ] "])
async def test_an_empty_log_has_no_entries(body: str) -> None:
    assert len(await read_log(body)) == 0


async def test_a_log_that_ends_too_early_is_damaged() -> None:
    with pytest.raises(Unexpected, match="too early"):
        await read_log('[{"line": 0, "data": ""},')
