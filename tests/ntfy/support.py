"""What the tests of this server share: a server with its clocks in hand, and a person."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping

import pytest
from mcp.server import Server

from mcp_serverkit.config.settings import Reading
from mcp_serverkit.config.typed_settings import secret
from mcp_serverkit.http.client import HTTP
from mcp_serverkit.http.connection import Connection
from mcp_serverkit.runtime.cli import main, read
from ntfy_mcp.allowlist import TopicAllowlist
from ntfy_mcp.api.client import NtfyClient
from ntfy_mcp.api.credentials import Credentials
from ntfy_mcp.app import Ntfy, NtfySettings
from ntfy_mcp.definition import NTFY
from tests.backends.ntfy import NtfyBackend, RecordedRequest
from tests.ntfy.conftest import ADMIN
from tests.support import servers
from tests.support.clients import Arguments, Era, Result, call, connect, structured, text, token_in
from tests.support.person import Person
from tests.support.servers import values_of

MODERN: Era = "2026-07-28"
NOBODY = {"NTFY_USERNAME": "", "NTFY_PASSWORD": ""}
ALLOWLIST = {"NTFY_TOPICS": "alerts"}
NOW = 1_797_990_000
LINES = "application/x-ndjson"

Clock = Callable[[], float]


def login(username: str, password: str) -> dict[str, str]:
    """Settings that log in with a name and a password."""
    return {"NTFY_USERNAME": username, "NTFY_PASSWORD": password}


def token_login(token: str) -> dict[str, str]:
    """Settings that log in with an access token."""
    return {**NOBODY, "NTFY_TOKEN": token}


def serve(
    backend: NtfyBackend,
    environ: Mapping[str, str] | None = None,
    *,
    clock: Clock = time.monotonic,
    now: Clock | None = None,
    timeout: float = 15.0,
    log: Callable[[str], None] | None = None,
    wait: float = 30.0,
) -> Server[object]:
    """Build a server whose clocks a test holds; an admin unless the environment says otherwise.

    Args:
        backend: The stand-in behind it; its time is the server's too.
        environ: Further settings.
        clock: Monotonic seconds of server, client and approver.
        now: The server's own Unix time, if other than the stand-in's.
        timeout: Seconds for one request.
        log: Receives the lines about decisions.
        wait: Seconds that a pushed question waits.
    """
    values = values_of(NTFY, {"NTFY_URL": backend.url, **login(*ADMIN), **(environ or {})})
    typed = NtfySettings.from_values(values)
    connection = Connection(str(typed.url), "ntfy", "NTFY_URL", timeout, "tests")
    credentials = Credentials(secret(typed.token), typed.username, secret(typed.password))
    client = NtfyClient(
        HTTP(connection, sleep=_at_once, repeat_429=False, path_safe=","),
        credentials,
        clock,
        now or (lambda: backend.time),
    )
    replies = typed.replies
    allowlist = TopicAllowlist(typed.topics, replies=replies.topic if replies else "")
    app = Ntfy(typed, client, allowlist, replies=replies, clock=clock)
    return servers.serve(NTFY, values, app=app, clock=clock, wait_seconds=wait, log=log)


async def _at_once(_seconds: float) -> None:
    return None


async def use(
    server: Server[object],
    tool: str,
    arguments: Arguments | None = None,
    *,
    era: Era = MODERN,
    person: Person | None = None,
) -> Result:
    """Make one call over a connection of its own; without a person, nobody can be asked."""
    async with connect(server, era, person) as client:
        return await call(client, tool, arguments)


def writes(backend: NtfyBackend) -> list[RecordedRequest]:
    """The requests that change something."""
    return [request for request in backend.requests if request.method != "GET"]


def bodies(backend: NtfyBackend) -> list[dict[str, object]]:
    """The JSON bodies of the requests that change something."""
    parsed = [request.json() for request in writes(backend)]
    assert all(isinstance(body, dict) for body in parsed)
    return [body for body in parsed if isinstance(body, dict)]


async def first_token(
    backend: NtfyBackend, server: Server[object], tool: str, arguments: Arguments
) -> str:
    """Make the first of two calls and return the token that it handed out."""
    before = len(writes(backend))
    token = token_in(await use(server, tool, arguments))
    assert len(writes(backend)) == before
    return token


async def publish_refused(backend: NtfyBackend, arguments: Arguments) -> str:
    """Publish what must be refused without a request; return the words."""
    result = await use(serve(backend, ALLOWLIST), "publish_message", arguments)
    assert result.is_error
    assert backend.requests == []
    return text(result)


async def published_body(backend: NtfyBackend, arguments: Arguments) -> dict[str, object]:
    """Publish to one topic and return the body that arrived."""
    structured(await use(serve(backend, ALLOWLIST), "publish_message", arguments))
    (body,) = bodies(backend)
    return body


def line(message_id: str, time: int = NOW - 60, **fields: object) -> dict[str, object]:
    """One line of a poll."""
    return {"id": message_id, "time": time, "event": "message", "topic": "alerts", **fields}


def answer_with(backend: NtfyBackend, *lines: object, times: int = 1) -> None:
    """Script the next polls, and stop the instance's clock at `NOW`."""
    backend.now = lambda: float(NOW)
    body = "".join(f"{json.dumps(entry, ensure_ascii=False)}\n" for entry in lines)
    backend.respond_next(200, body, content_type=LINES, method="GET", times=times)


def listed(document: Mapping[str, object], key: str) -> list[dict[str, object]]:
    """A list of objects in a result."""
    entries = document[key]
    assert isinstance(entries, list)
    assert all(isinstance(entry, dict) for entry in entries)
    return entries


def inner(document: Mapping[str, object], key: str) -> dict[str, object]:
    """An object in a result."""
    value = document[key]
    assert isinstance(value, dict)
    return value


def stderr_of_refusal(capsys: pytest.CaptureFixture[str], **environ: str) -> str:
    """Start with settings that must not start; return what stood on stderr."""
    assert main(NTFY, [], environ) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err != ""
    assert all(line.startswith("ntfy-mcp: ") for line in err.splitlines())
    assert "Traceback" not in err
    return err


def started(**environ: str) -> Reading:
    """Read settings that must start."""
    reading = read(NTFY, environ)
    assert reading.problems == []
    return reading
