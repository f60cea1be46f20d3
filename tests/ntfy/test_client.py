"""The API client on its own, without MCP."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator

import httpx
import pytest
import respx

from mcp_serverkit.errors import BadArgument, Refused, Unexpected, Unreachable
from mcp_serverkit.http.client import HTTP
from mcp_serverkit.http.connection import Connection
from ntfy_mcp.allowlist import TopicAllowlist
from ntfy_mcp.api.client import NtfyClient
from ntfy_mcp.api.credentials import Credentials
from ntfy_mcp.app import build
from ntfy_mcp.definition import NTFY
from tests.backends.ntfy import NtfyBackend
from tests.ntfy.conftest import ADMIN
from tests.ntfy.support import login
from tests.support.servers import values_of
from tests.support.time import FakeClock

BASE = "https://ntfy.example.org/push"


async def no_wait(_seconds: float) -> None:
    return None


def client_for(
    base: str = BASE, credentials: Credentials | None = None, clock: FakeClock | None = None
) -> NtfyClient:
    """A client with a clock in hand."""
    connection = Connection(base, "ntfy", "NTFY_URL", 5, "ntfy-mcp/tests")
    http = HTTP(connection, environ={}, sleep=no_wait, repeat_429=False)
    return NtfyClient(http, credentials or Credentials(), clock or FakeClock())


@pytest.fixture
async def ntfy() -> AsyncIterator[NtfyClient]:
    client = client_for()
    yield client
    await client.aclose()


@pytest.mark.parametrize(
    ("credentials", "header"),
    [
        (Credentials(token="tk_aaa"), "Bearer tk_aaa"),
        (
            Credentials(username="ops", password="pä:ss"),
            "Basic " + base64.b64encode("ops:pä:ss".encode()).decode(),
        ),
        (Credentials(), None),
    ],
)
@respx.mock
async def test_the_login_goes_into_the_header(credentials: Credentials, header: str | None) -> None:
    route = respx.get(f"{BASE}/v1/account").respond(json={})
    client = client_for(credentials=credentials)
    await client.account()
    await client.aclose()
    assert route.calls.last.request.headers.get("authorization") == header
    assert route.calls.last.request.headers["user-agent"] == "ntfy-mcp/tests"


@respx.mock
async def test_a_path_prefix_is_kept_and_each_call_has_its_route(ntfy: NtfyClient) -> None:
    respx.route(host="ntfy.example.org").respond(json={})
    await ntfy.publish({"topic": "a"})
    await ntfy.mark_read("a", "s")
    await ntfy.delete("a", "s")
    await ntfy.may_read("a", 1.0)
    await ntfy.public("health")
    await ntfy.version()
    await ntfy.create_user("u", "p", None)
    await ntfy.delete_user("u")
    await ntfy.allow("u", "t", "read-only")
    await ntfy.reset_access("u", "t")
    sent = [(call.request.method, call.request.url.raw_path.decode()) for call in respx.calls]
    assert sent == [
        ("POST", "/push/"),
        ("PUT", "/push/a/s/read"),
        ("DELETE", "/push/a/s"),
        ("GET", "/push/a/auth"),
        ("GET", "/push/v1/health"),
        ("GET", "/push/v1/version"),
        ("POST", "/push/v1/users"),
        ("DELETE", "/push/v1/users"),
        ("PUT", "/push/v1/users/access"),
        ("DELETE", "/push/v1/users/access"),
    ]


@pytest.mark.requirement("R-25")
@pytest.mark.parametrize("name", ["", ".", ".."])
async def test_a_name_that_would_climb_is_refused_without_a_request(
    name: str, ntfy: NtfyClient
) -> None:
    with respx.mock() as router:
        for climbing in (
            ntfy.delete("alerts", name),
            ntfy.delete(name, "x"),
            ntfy.mark_read("alerts", name),
            ntfy.may_read(name, 1.0),
            ntfy.poll([name], "all"),
        ):
            with pytest.raises(BadArgument):
                await climbing
        assert router.calls.call_count == 0


@pytest.mark.requirement("R-25")
@pytest.mark.parametrize("name", ["a/b", "a?b", "a#b", "../x", "%2e%2e", "...", "ä b"])
@respx.mock
async def test_any_other_name_stays_one_segment(name: str, ntfy: NtfyClient) -> None:
    respx.route(host="ntfy.example.org").respond(json={})
    await ntfy.delete("alerts", name)
    path = respx.calls.last.request.url.raw_path.decode()
    assert path.startswith("/push/alerts/")
    assert path.count("/") == 3
    assert "?" not in path


@pytest.mark.parametrize("status", [301, 302, 307, 308, 304])
@respx.mock
async def test_a_redirect_is_an_error_that_names_the_variable(
    status: int, ntfy: NtfyClient
) -> None:
    respx.post(f"{BASE}/").respond(status, headers={"location": "https://elsewhere.example/"})
    with pytest.raises(Unexpected) as caught:
        await ntfy.publish({"topic": "a"})
    assert "NTFY_URL" in caught.value.hint
    assert respx.calls.call_count == 1


@respx.mock
async def test_no_answer_to_a_write_means_that_the_outcome_is_unknown(ntfy: NtfyClient) -> None:
    respx.post(f"{BASE}/").mock(side_effect=httpx.ReadError)
    with pytest.raises(Unreachable) as caught:
        await ntfy.publish({"topic": "a"})
    assert caught.value.outcome == "unknown"
    assert respx.calls.call_count == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"code":40301}', 40301),
        (b'{"code":"40301"}', None),
        (b'{"code":true}', None),
        (b"[40301]", None),
        (b"{" * 9, None),
        (b"[" * 60_000, None),
        (b"", None),
        (b"\xff", None),
    ],
)
@respx.mock
async def test_the_code_of_a_refusal_is_read_by_type(
    body: bytes, code: int | None, ntfy: NtfyClient
) -> None:
    respx.get(f"{BASE}/v1/users").respond(403, content=body)
    with pytest.raises(Refused) as caught:
        await ntfy.users()
    assert (caught.value.status, caught.value.error_code) == (403, code)


@respx.mock
async def test_only_refusals_that_concern_the_login_are_remembered() -> None:
    clock = FakeClock()
    client = client_for(credentials=Credentials(token="tk_aaa"), clock=clock)
    respx.route(host="ntfy.example.org").respond(401, json={"code": 40101})
    for reading in (client.version, client.users, lambda: client.delete_user("u")):
        for _ in range(2):
            with pytest.raises(Refused):
                await reading()
    assert respx.calls.call_count == 6
    for _ in range(2):
        with pytest.raises(Refused, match="HTTP 401"):
            await client.may_read("alerts", 1.0)
    assert respx.calls.call_count == 7
    with pytest.raises(Refused, match="possible in 10 s"):
        await client.users()
    assert respx.calls.call_count == 7
    await client.aclose()


@respx.mock
async def test_a_long_answer_is_read_to_its_end(ntfy: NtfyClient) -> None:
    lines = b"".join(b'{"id":"m%07d"}\n' % number for number in range(2_500))
    respx.get(f"{BASE}/alerts/json").respond(content=lines, content_type="application/x-ndjson")
    poll = await ntfy.poll(["alerts"], "all")
    assert len(poll.entries) == 2_500
    assert (poll.unreadable, poll.malformed) == (0, 0)


@pytest.mark.parametrize(
    ("environ", "role"), [(login(*ADMIN), "admin"), ({}, "anonymous")], ids=["admin", "nobody"]
)
async def test_the_check_reports_whom_it_reached(
    environ: dict[str, str], role: str, backend: NtfyBackend
) -> None:
    app = build(values_of(NTFY, {"NTFY_URL": backend.url, **environ}), ())
    assert await app.check() == [f"reached {backend.url}", f"logged in with role: {role}"]
    await app.aclose()


def test_the_allowlist_checks_names_again_before_they_become_a_path() -> None:
    for allowlist in (TopicAllowlist(()), TopicAllowlist(("alerts",))):
        for name in ("a/b", "alerts\n", "", "x" * 65):
            with pytest.raises(BadArgument):
                allowlist.resolve(name)
    assert TopicAllowlist(()).require_allowed_pattern("deploy*") == "deploy*"
    assert TopicAllowlist(("alerts",)).require_allowed_pattern("alerts") == "alerts"


async def test_several_topics_are_joined_by_a_plain_comma(backend: NtfyBackend) -> None:
    app = build(values_of(NTFY, {"NTFY_URL": backend.url}), ())
    await app.client.poll(["alerts", "deploy"], "all")
    await app.aclose()
    assert backend.requests[0].path == "/alerts,deploy/json"
