"""HTTP that fails: what is said of the cause, and whether a write may have happened."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx
import pytest

from mcp_serverkit.errors import Unreachable, UpstreamFailure
from mcp_serverkit.http.client import HTTP, Method
from mcp_serverkit.http.connection import failure_reason
from mcp_serverkit.tools.results import failure_text
from tests.serverkit.service import Waits, answer, client, connection, serving

WRITES: tuple[Method, ...] = ("POST", "PUT", "PATCH", "DELETE")


Fault = Callable[[asyncio.StreamReader, asyncio.StreamWriter, asyncio.Event], Awaitable[None]]
"""What a service does to a request; the event says that nothing more will come."""


class Deadline:
    """A limit that is over once nothing more will come, however long that takes."""

    def __init__(self) -> None:
        self.over = asyncio.Event()

    @asynccontextmanager
    async def __call__(self, seconds: float) -> AsyncIterator[None]:
        async with asyncio.timeout(None) as limit:
            watcher = asyncio.create_task(self._watch(limit))
            try:
                yield
            finally:
                watcher.cancel()

    async def _watch(self, limit: asyncio.Timeout) -> None:
        await self.over.wait()
        limit.reschedule(asyncio.get_running_loop().time())


async def _hang_up(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, over: asyncio.Event
) -> None:
    await reader.readuntil(b"\r\n\r\n")


async def _say_nothing(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, over: asyncio.Event
) -> None:
    await reader.readuntil(b"\r\n\r\n")
    over.set()
    await asyncio.Event().wait()


async def _stop_halfway(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, over: asyncio.Event
) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")
    await writer.drain()


async def _drip(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, over: asyncio.Event
) -> None:
    await _stop_halfway(reader, writer, over)
    over.set()
    await asyncio.Event().wait()


async def _talk_nonsense(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, over: asyncio.Event
) -> None:
    await reader.read(1)
    writer.write(b"220 mail.example ESMTP secret-of-the-server\r\n")
    await writer.drain()


async def _failure(fault: Fault, method: Method) -> tuple[UpstreamFailure, Waits]:
    waits, deadline = Waits(), Deadline()

    async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await fault(reader, writer, deadline.over)

    async with serving(behaviour=behaviour) as service:
        http = HTTP(
            connection(service.url, timeout=0.3), environ={}, sleep=waits, deadline=deadline
        )
        with pytest.raises(UpstreamFailure) as caught:
            await http.request(method, "x", json=None if method == "GET" else {})
        await http.aclose()
    return caught.value, waits


BROKEN = "kit did not finish its answer: the connection broke or it does not speak HTTP."
LATE = "kit did not finish its answer: no answer within 0.3 s."


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (_hang_up, BROKEN),
        (_stop_halfway, BROKEN),
        (_talk_nonsense, BROKEN),
        (_say_nothing, LATE),
        (_drip, LATE),
    ],
)
@pytest.mark.parametrize("method", WRITES)
async def test_after_a_write_without_an_answer_the_outcome_is_unknown(
    method: Method, fault: Fault, text: str
) -> None:
    failure, waits = await _failure(fault, method)
    assert type(failure) is Unreachable
    assert failure.outcome == "unknown"
    assert failure.text == text
    assert failure.hint == ""
    assert failure_text(failure, "Nothing was changed.").split("\n") == [
        "code: outcome_unknown",
        "Whether it happened is unknown: look before you repeat it.",
        text,
    ]
    assert waits.seconds == []


@pytest.mark.parametrize("fault", [_hang_up, _stop_halfway, _talk_nonsense, _say_nothing, _drip])
async def test_a_read_without_an_answer_is_not_repeated_and_nothing_is_unknown(
    fault: Fault,
) -> None:
    failure, waits = await _failure(fault, "GET")
    assert failure.outcome is None
    assert failure.code == ""
    assert failure.hint == "Check KIT_URL and the network."
    assert failure_text(failure, "Nothing was changed.").split("\n") == [
        failure.text,
        failure.hint,
    ]
    assert waits.seconds == []
    assert "secret" not in failure.text


@pytest.mark.parametrize("method", ["GET", *WRITES])
async def test_where_nobody_listens_nothing_was_sent(method: Method) -> None:
    async with serving() as service:
        url = service.url
    waits = Waits()
    async with client(url, waits=waits) as http:
        with pytest.raises(Unreachable) as caught:
            await http.request(method, "x", json={"password": "hunter2"})
    assert caught.value.code == "not_sent"
    assert caught.value.outcome == (None if method == "GET" else "not_done")
    assert caught.value.text.startswith("kit could not be reached: ")
    assert waits.seconds == ([0.3, 1.0] if method == "GET" else [])
    assert "hunter2" not in caught.value.text


async def test_a_get_is_repeated_until_somebody_listens() -> None:
    async with serving() as gone:
        port = gone.port

    class Opening(Waits):
        server: asyncio.Server | None = None

        async def __call__(self, seconds: float) -> None:
            await super().__call__(seconds)
            if self.server is None:

                async def serve(r: asyncio.StreamReader, w: asyncio.StreamWriter) -> None:
                    await r.readuntil(b"\r\n\r\n")
                    w.write(answer("200 OK", b"{}"))
                    w.close()

                self.server = await asyncio.start_server(serve, "127.0.0.1", port)

    waits = Opening()
    async with client(f"http://127.0.0.1:{port}", waits=waits) as http:
        assert (await http.request("GET", "x")).ok
    assert waits.seconds == [0.3]
    assert waits.server is not None
    waits.server.close()
    await waits.server.wait_closed()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (httpx.ReadError("tk_secret"), "the connection broke"),
        (httpx.WriteError("tk_secret"), "the connection broke"),
        (httpx.LocalProtocolError("tk_secret"), "the request could not be written"),
        (httpx.RemoteProtocolError("tk_secret"), "the connection broke or it does not speak HTTP"),
        (httpx.ConnectError("tk_secret"), "no connection"),
        (httpx.ProxyError("tk_secret"), "the proxy refused"),
    ],
)
def test_the_text_of_a_library_is_never_repeated(error: httpx.HTTPError, reason: str) -> None:
    assert failure_reason(error) == reason


def test_the_cause_that_the_system_names_is_told_wherever_it_lies() -> None:
    error = httpx.ConnectError("tk_secret")
    error.__cause__ = OSError("All attempts failed")
    error.__cause__.__context__ = OSError(111, "Connect call failed ('127.0.0.1', 9)")
    assert failure_reason(error) == "connection refused"


async def test_a_limit_of_its_own_goes_before_that_of_the_connection() -> None:
    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with serving(behaviour=hold) as service, client(service.url) as http:
        with pytest.raises(Unreachable, match=r"no answer within 0\.1 s"):
            await http.request("GET", "x", seconds=0.1)


@pytest.mark.parametrize(("method", "warned"), [("POST", True), ("GET", False)])
async def test_a_write_that_is_cut_short_leaves_a_line_in_the_log(
    method: Method, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    arrived = asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        arrived.set()
        await asyncio.Event().wait()

    with caplog.at_level(logging.WARNING, "mcp_serverkit"):
        async with serving(behaviour=hold) as service, client(service.url) as http:
            sending = asyncio.create_task(http.request(method, "x"))
            await arrived.wait()
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
    lines = [record.getMessage() for record in caplog.records]
    assert lines == (["a POST request was cut short: its outcome is unknown"] if warned else [])
