"""HTTP for the API clients: one connection pool, bounded bodies, honest failures.

Knows no MCP and no product. httpx removes dot segments from a path even after
percent-encoding, and its exceptions can quote a header; both are dealt with here.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal, TypeAlias
from urllib.parse import quote, urlencode, urlsplit

import httpx

from mcp_serverkit.errors import BadArgument, NotConfigured, Unexpected, Unreachable
from mcp_serverkit.http.connection import Connection, failure_reason, verification
from mcp_serverkit.http.proxies import proxy_for
from mcp_serverkit.http.response import Response
from mcp_serverkit.tools.results import compact

_log = logging.getLogger(__name__)

Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

Query: TypeAlias = Mapping[str, str] | Sequence[tuple[str, str]]
"""Query parameters; pairs where a name comes more than once."""

ERROR_BODY_BYTES = 16_384
"""How much of an error answer is read."""

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
    """

    def __init__(
        self,
        connection: Connection,
        *,
        environ: Mapping[str, str] | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        repeat_429: bool = True,
        path_safe: str = "",
    ) -> None:
        self._connection = connection
        self._environ = os.environ if environ is None else environ
        self._sleep = sleep
        self._repeat_429 = repeat_429
        self._path_safe = path_safe
        self._client: httpx.AsyncClient | None = None

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
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 2_000_000,
        seconds: float | None = None,
    ) -> Response:
        """Send one request; a GET is repeated at most twice where that is harmless.

        Args:
            method: HTTP method.
            segments: Path segments; each is percent-encoded on its own.
            query: Query parameters.
            json: Body, sent as UTF-8 JSON.
            headers: Further header fields.
            max_bytes: Bound of a success body.
            seconds: Time limit, if other than the connection's.

        Returns:
            The answer, whatever its status, redirects aside.

        Raises:
            Unreachable: No answer; says when a write may have happened.
            Unexpected: A redirect, or a body over the bound.
            BadArgument: A segment that would climb out of its place.
        """
        url = self.url(*segments, query=query)
        body = None if json is None else compact(json).encode("utf-8")
        sent = {"accept": "application/json", **(headers or {})}
        if body is not None:
            sent["content-type"] = "application/json"
        self._refuse_bad_headers(sent)
        for wait in (*REPEAT_WAITS, None):
            try:
                reply = await self._once(method, url, body, sent, max_bytes, seconds)
            except Unreachable as failure:
                if wait is None or method != "GET" or failure.code != "not_sent":
                    raise
            else:
                wait = self._wait_before_repeat(method, reply, wait)
                if wait is None:
                    return reply
            await self._sleep(wait)
        raise AssertionError("the last round returns or raises")

    def url(self, *segments: str, query: Query | None = None) -> httpx.URL:
        """Build a URL whose raw path is exactly the encoded segments."""
        parts = urlsplit(self._connection.base_url)
        path = parts.path + "".join(
            f"/{encode_segment(segment, self._path_safe)}" for segment in segments
        )
        # Without segments the root is meant: behind a prefix it needs its slash.
        raw = (path if segments else f"{path}/") + (f"?{urlencode(query)}" if query else "")
        try:
            return httpx.URL(
                scheme=parts.scheme,
                host=parts.hostname or "",
                port=parts.port,
                raw_path=raw.encode("ascii"),
            )
        except httpx.InvalidURL:
            raise NotConfigured(
                f"{self._connection.variable} holds no address that can be used"
            ) from None

    async def _once(
        self,
        method: Method,
        url: httpx.URL,
        body: bytes | None,
        headers: Mapping[str, str],
        max_bytes: int,
        seconds: float | None,
    ) -> Response:
        client = self._ready()
        limit = seconds or self._connection.timeout
        progress = _Progress()
        request = client.build_request(
            method, url, content=body, headers=dict(headers), extensions={"trace": progress.trace}
        )
        try:
            async with asyncio.timeout(limit):
                response = await client.send(request, stream=True)
                try:
                    progress.sent = True
                    return await self._read(method, response, max_bytes)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise self._unreachable(method, f"no answer within {limit:g} s", progress) from None
        except httpx.HTTPError as error:
            progress.sent = progress.sent or not isinstance(error, _NOT_SENT)
            raise self._unreachable(method, failure_reason(error), progress) from None
        except asyncio.CancelledError:
            if method != "GET" and progress.sent:
                _log.warning("a %s request was cut short: its outcome is unknown", method)
            raise

    def _ready(self) -> httpx.AsyncClient:
        if self._client is None:
            connection = self._connection
            self._client = httpx.AsyncClient(
                trust_env=False,
                proxy=proxy_for(connection.base_url, self._environ),
                verify=verification(connection),
                timeout=None,  # noqa: S113 (one deadline over the whole request, see _once)
                follow_redirects=False,
                headers={"user-agent": connection.user_agent, "accept-encoding": "identity"},
            )
        return self._client

    async def _read(self, method: Method, response: httpx.Response, max_bytes: int) -> Response:
        status = response.status_code
        if 300 <= status < 400:
            raise Unexpected(
                f"{self._connection.service} answered {method} with a redirect (HTTP {status}).",
                hint=f"Set {self._connection.variable} to the final address.",
            )
        bound = max_bytes if response.is_success else ERROR_BODY_BYTES
        # Identity was asked for. Decoding would let a small chunk grow past every bound.
        if response.headers.get("content-encoding", "identity") != "identity":
            raise Unexpected(f"{self._connection.service} compressed its answer (HTTP {status}).")
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > bound:
                break
        if response.is_success and len(body) > bound:
            raise Unexpected(
                f"The answer of {self._connection.service} is larger than {bound} bytes.",
                hint="Narrow the request.",
            )
        fields = {name.lower(): value for name, value in response.headers.items()}
        del body[bound:]
        return Response(status, fields, bytes(body))

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

    def _unreachable(self, method: Method, reason: str, progress: _Progress) -> Unreachable:
        service = self._connection.service
        unknown = method != "GET" and progress.sent
        failure = Unreachable(
            f"{service} could not be reached: {reason}."
            if not progress.sent
            else f"{service} did not finish its answer: {reason}.",
            hint=(
                "Whether it happened is unknown: look before you repeat it."
                if unknown
                else f"Check {self._connection.variable} and the network."
            ),
            outcome_unknown=unknown,
        )
        failure.code = "outcome_unknown" if unknown else "" if progress.sent else "not_sent"
        return failure

    def _refuse_bad_headers(self, headers: Mapping[str, str]) -> None:
        for name, value in headers.items():
            if not value.isascii() or not value.isprintable():
                raise NotConfigured(
                    f"the value meant for the {name} header holds a character that cannot stand "
                    "there; nothing was sent"
                )


def encode_segment(segment: str, safe: str = "") -> str:
    """Percent-encode one path segment, but for the characters in `safe`.

    Raises:
        BadArgument: Empty, `.` or `..`: no encoding keeps those in their place.
    """
    if segment in {"", ".", ".."}:
        raise BadArgument("name", 'must not be empty, "." or ".."')
    try:
        return quote(segment, safe=safe)
    except UnicodeEncodeError:
        raise BadArgument("name", "holds half of a surrogate pair, which is no text") from None


class _Progress:
    """Learns from httpcore whether a request began to leave."""

    def __init__(self) -> None:
        self.sent = False

    async def trace(self, event: str, info: Mapping[str, object]) -> None:
        # A proxy is asked for a tunnel first; that request is not ours.
        tunnel = getattr(info.get("request"), "method", b"") == b"CONNECT"
        if event.endswith("send_request_headers.started") and not tunnel:
            self.sent = True
