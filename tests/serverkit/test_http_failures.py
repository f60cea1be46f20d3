"""HTTP that fails: what is said of the cause, and whether a write may have happened."""

from __future__ import annotations

import asyncio
import logging

import httpx
import pytest

from mcp_serverkit.errors import Unreachable
from mcp_serverkit.http.client import Method
from mcp_serverkit.http.connection import failure_reason
from tests.serverkit.service import Behaviour, Waits, answer, client, serving

WRITES: tuple[Method, ...] = ("POST", "PUT", "PATCH", "DELETE")


async def _hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")


async def _say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def _stop_halfway(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")
    await writer.drain()


async def _drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")
    await writer.drain()
    await asyncio.Event().wait()


async def _talk_nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)
    writer.write(b"220 mail.example ESMTP secret-of-the-server\r\n")
    await writer.drain()


async def _failure(
    behaviour: Behaviour, method: Method, limit: float = 5.0
) -> tuple[Unreachable, Waits]:
    waits = Waits()
    async with (
        serving(behaviour=behaviour) as service,
        client(service.url, waits=waits, timeout=limit) as http,
    ):
        with pytest.raises(Unreachable) as caught:
            await http.request(method, "x", json=None if method == "GET" else {})
    return caught.value, waits


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (_hang_up, "the connection broke or it does not speak HTTP"),
        (_stop_halfway, "the connection broke or it does not speak HTTP"),
        (_talk_nonsense, "the connection broke or it does not speak HTTP"),
        (_say_nothing, "no answer within 0.3 s"),
        (_drip, "no answer within 0.3 s"),
    ],
)
@pytest.mark.parametrize("method", WRITES)
async def test_after_a_write_without_an_answer_the_outcome_is_unknown(
    method: Method, behaviour: Behaviour, reason: str
) -> None:
    failure, waits = await _failure(behaviour, method, limit=0.3 if "0.3" in reason else 5.0)
    assert failure.outcome_unknown
    assert failure.code == "outcome_unknown"
    assert failure.text == f"kit did not finish its answer: {reason}."
    assert failure.hint == "Whether it happened is unknown: look before you repeat it."
    assert waits.seconds == []


@pytest.mark.parametrize("behaviour", [_hang_up, _stop_halfway, _talk_nonsense, _drip])
async def test_a_read_without_an_answer_is_not_repeated_and_nothing_is_unknown(
    behaviour: Behaviour,
) -> None:
    failure, waits = await _failure(behaviour, "GET", limit=0.3)
    assert not failure.outcome_unknown
    assert failure.code == ""
    assert failure.hint == "Check KIT_URL and the network."
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
    assert not caught.value.outcome_unknown
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
    error.__cause__.__context__ = OSError(111, "Connection refused")
    assert failure_reason(error) == "connection refused"


async def test_a_limit_of_its_own_goes_before_that_of_the_connection() -> None:
    async with serving(behaviour=_say_nothing) as service, client(service.url) as http:
        with pytest.raises(Unreachable, match=r"no answer within 0\.3 s"):
            await http.request("GET", "x", seconds=0.3)


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
