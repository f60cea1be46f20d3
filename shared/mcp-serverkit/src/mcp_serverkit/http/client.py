"""HTTP for the API clients: one connection pool, bounded bodies, honest failures.

Knows no MCP and no product. Exceptions of httpx can quote a header, so none of its texts
is repeated. No file is opened and no TLS context is built on the event loop.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal, TypeAlias
from urllib.parse import urlencode

import httpx

from mcp_serverkit.errors import NotConfigured, Unexpected, Unreachable, UpstreamFailure
from mcp_serverkit.http.addresses import Query, url_of
from mcp_serverkit.http.connection import Connection, failure_reason, open_client
from mcp_serverkit.http.progress import Progress
from mcp_serverkit.http.reading import read_answer
from mcp_serverkit.http.response import Response
from mcp_serverkit.http.streaming import StreamedResponse, open_stream
from mcp_serverkit.outcome import note_outcome
from mcp_serverkit.tools.results import compact

_log = logging.getLogger(__name__)

Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

Deadline: TypeAlias = Callable[[float], AbstractAsyncContextManager[object]]
"""Makes a block that raises `TimeoutError` once that many seconds are over."""

REPEATABLE_STATUSES = frozenset({502, 503, 504})

REPEAT_WAITS = (0.3, 1.0)
"""Seconds before the first and the second repeat of a GET."""

LONGEST_WAIT = 5.0
"""A service that asks for a longer wait gets no repeat; the caller is told."""

_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


class HTTP:
    """Sends requests to one service.

    Args:
        connection: Where and how.
        environ: Source of the proxy variables.
        sleep: Waits between repeats; tests put their own.
        repeat_429: Whether a GET may be repeated after a short `Retry-After`.
        path_safe: Characters that the service wants raw in a path segment.
        announced: Media types that the service answers a success with.
        deadline: Limits the time of a whole request; tests put their own.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        environ: Mapping[str, str] | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        repeat_429: bool = True,
        path_safe: str = "",
        announced: Collection[str] = ("application/json",),
        deadline: Deadline = asyncio.timeout,
    ) -> None:
        self._connection = connection
        self._environ = os.environ if environ is None else environ
        self._sleep = sleep
        self._repeat_429 = repeat_429
        self._path_safe = path_safe
        self._announced = announced
        self._deadline = deadline
        self._client: httpx.AsyncClient | None = None
        self._opening = asyncio.Lock()

    async def aclose(self) -> None:
        """Close the connections, if any were opened."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def request(
        self,
        method: Method,
        *segments: str,
        query: Query | None = None,
        json: object = None,
        form: Mapping[str, str] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 2_000_000,
        seconds: float | None = None,
        effect: bool = True,
    ) -> Response:
        """Send one request; a GET is repeated at most twice where that is harmless.

        Args:
            method: HTTP method.
            segments: Path segments; each is percent-encoded on its own.
            query: Query parameters.
            json: Body, sent as UTF-8 JSON.
            form: Body, sent as a form; excludes `json`.
            content: Body, sent as it is; `headers` name its type.
            headers: Further header fields.
            max_bytes: Bound of a success body.
            seconds: Time limit, if other than the connection's.
            effect: Whether the request is what the caller asked for; if not, as with the
                fetching of a token, its failure has no outcome.

        Returns:
            The answer, whatever its status, redirects aside.

        Raises:
            Unreachable: No whole answer; `outcome` says what became of a write.
            Unexpected: A redirect, compressed, over the bound, or somebody else's page.
            DoneUnreadable: A write was done, and its answer cannot be used.
            BadArgument: A segment that would climb out of its place.
        """
        url = url_of(self._connection, segments, query, self._path_safe)
        body, kind = self._encoded(json, form, effect=effect) if content is None else (content, {})
        sent = {"accept": "application/json", **(headers or {}), **kind}
        self._refuse_bad_headers(sent)
        client = await self._ready()
        for wait in (*REPEAT_WAITS, None):
            progress = Progress(method if effect else "GET", self._announced)
            request = client.build_request(
                method, url, content=body, headers=sent, extensions={"trace": progress.trace}
            )
            try:
                reply = await self._once(client, request, progress, max_bytes, seconds)
            except Unreachable as failure:
                if wait is None or method != "GET" or failure.code != "not_sent":
                    raise
            else:
                wait = self._wait_before_repeat(method, reply, wait)
                if wait is None:
                    return reply
            await self._sleep(wait)
        raise AssertionError("the last round returns or raises")

    def _encoded(
        self, json: object, form: Mapping[str, str] | None, *, effect: bool
    ) -> tuple[bytes | None, Mapping[str, str]]:
        try:
            return _body(json, form)
        except ValueError:
            # Only a document of the service that is sent back can hold such a value.
            raise Unexpected(
                f"{self._connection.service} reports a value that cannot be sent back to it.",
                outcome="not_done" if effect else None,
            ) from None

    @asynccontextmanager
    async def stream(
        self,
        *segments: str,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Open a GET whose answer goes on until the block is left; it is not repeated.

        The time limit bounds the start of the answer. An answer with an error status is read.

        Raises:
            Unreachable: No answer, or one that broke off; also while it is read.
            Unexpected: A redirect, or a compressed answer.
        """
        url = url_of(self._connection, segments, query, self._path_safe)
        sent = {"accept": "application/json", **(headers or {})}
        self._refuse_bad_headers(sent)
        client = await self._ready()
        progress = Progress("GET", self._announced)
        request = client.build_request(
            "GET", url, headers=sent, extensions={"trace": progress.trace}
        )
        limit = self._connection.timeout
        try:
            async with self._deadline(limit):
                response = await client.send(request, stream=True)
        except TimeoutError:
            raise self._unreachable(f"no answer within {limit:g} s", progress) from None
        except httpx.HTTPError as error:
            progress.sent = progress.sent or not isinstance(error, _NOT_SENT)
            raise self._unreachable(failure_reason(error), progress) from None
        try:
            yield await open_stream(self._connection, response, progress, limit)
        finally:
            await response.aclose()

    async def _once(
        self,
        client: httpx.AsyncClient,
        request: httpx.Request,
        progress: Progress,
        max_bytes: int,
        seconds: float | None,
    ) -> Response:
        limit = seconds or self._connection.timeout
        try:
            async with self._deadline(limit):
                response = await client.send(request, stream=True)
                try:
                    return await read_answer(self._connection, response, progress, max_bytes)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise self._unreachable(f"no answer within {limit:g} s", progress) from None
        except httpx.HTTPError as error:
            progress.sent = progress.sent or not isinstance(error, _NOT_SENT)
            raise self._unreachable(failure_reason(error), progress) from None
        except asyncio.CancelledError:
            if progress.outcome in {"unknown", "done"}:
                _log.warning(
                    "a %s request was cut short: its outcome is %s",
                    request.method,
                    progress.outcome,
                )
            raise
        finally:
            note_outcome(progress.outcome)

    async def _ready(self) -> httpx.AsyncClient:
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(open_client, self._connection, self._environ)
            return self._client

    def _wait_before_repeat(
        self, method: Method, reply: Response, wait: float | None
    ) -> float | None:
        if wait is None or method != "GET":
            return None
        if reply.status in REPEATABLE_STATUSES:
            return wait
        if reply.status == 429 and self._repeat_429:
            asked = reply.headers.get("retry-after")
            if asked is None:
                return wait
            # A date, or what is no number, may mean any length: then the caller is told.
            seconds = float(asked) if re.fullmatch(r"[0-9]{1,3}", asked) else LONGEST_WAIT + 1
            return seconds if seconds <= LONGEST_WAIT else None
        return None

    def _unreachable(self, reason: str, progress: Progress) -> UpstreamFailure:
        service = self._connection.service
        if not progress.sent:
            return Unreachable(
                f"{service} could not be reached: {reason}.",
                code="not_sent",
                hint=f"Check {self._connection.variable} and the network.",
                outcome=progress.outcome,
            )
        hint = "" if progress.outcome else f"Check {self._connection.variable} and the network."
        return progress.failure(
            Unreachable, f"{service} did not finish its answer: {reason}.", hint
        )

    def _refuse_bad_headers(self, headers: Mapping[str, str]) -> None:
        for name, value in headers.items():
            if not value.isascii() or not value.isprintable():
                raise NotConfigured(
                    f"the value meant for the {name} header holds a character that cannot stand "
                    "there; nothing was sent"
                )


def _body(json: object, form: Mapping[str, str] | None) -> tuple[bytes | None, Mapping[str, str]]:
    """Encode the one body that is given, and name its type."""
    if form is not None:
        if json is not None:
            raise TypeError("a request has one body: json or form")
        kind = "application/x-www-form-urlencoded"
        return urlencode(form).encode("ascii"), {"content-type": kind}
    if json is None:
        return None, {}
    return compact(json).encode("utf-8"), {"content-type": "application/json"}
