"""Requests to the Hetzner Cloud API: repeats, rate limit, and errors by their code.

Knows no MCP. Source of routes and shapes: the API's published description.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable

from hetzner_dns_mcp.api.error_hints import hint
from hetzner_dns_mcp.api.types import APIAnswer, Query, RateLimit
from mcp_serverkit.errors import Refused, UpstreamFailure
from mcp_serverkit.http.client import HTTP, LONGEST_WAIT, Method
from mcp_serverkit.http.connection import Connection, ConnectionSettings
from mcp_serverkit.http.json_fields import Document, object_of, objects_of, text_of
from mcp_serverkit.http.response import Response, expect_json
from mcp_serverkit.outcome import Known, known_outcome
from mcp_serverkit.text.times import iso_time

SUCCESS_BYTES = 16 * 1024 * 1024
"""How much of a success answer is read: the zone file of a very large zone."""

CONFLICT_WAIT = 1.0
"""Seconds before a write that was refused as conflicting is sent once more."""

# A reading may be repeated freely; two more tries span a short outage.
READ_REPEATS = 2
# Only what the API says it did not take is sent again, and once is enough to tell.
WRITE_REPEATS = 1

KNOWN: tuple[Known, ...] = ()
"""Errors whose code says more about a write than their status does."""

_LOOK = "get_rrset, get_zone and list_zone_actions show whether it was carried out."

_CODE = re.compile(r"[a-z][a-z_]{0,63}")
_CORRELATION = re.compile(r"[A-Za-z0-9_-]{1,64}")


class HetznerAPI:
    """Sends requests to the API of one project.

    Args:
        http: Transport; it leaves the repeats after a 429 to this class.
        token: The project's token.
        sleep: Waits between repeats.
        now: Unix time, for the reset of the rate limit.
    """

    def __init__(
        self,
        http: HTTP,
        token: str,
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._http = http
        self._headers = {"authorization": f"Bearer {token}"}
        self._sleep = sleep
        self._now = now
        self.rate_limit: RateLimit | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(
        self, method: Method, *segments: str, query: Query = (), json: object = None
    ) -> APIAnswer:
        """Send one request, and again where the answer itself says it was not executed.

        Raises:
            Refused: An error answer; `error_code` is the API's code.
            Unreachable: No answer; says when a write may have happened.
            Unexpected: An answer that is not the API's.
        """
        repeats = READ_REPEATS if method == "GET" else WRITE_REPEATS
        while True:
            reply = await self._request(method, segments, query, json)
            self._note_rate_limit(reply)
            if reply.ok:
                return APIAnswer(reply.status, _parsed(reply, method, _path(segments)))
            wait = self._wait(method, reply) if repeats else None
            if wait is None:
                raise self._refused(reply, method, _path(segments))
            repeats -= 1
            await self._sleep(wait)

    async def _request(
        self, method: Method, segments: tuple[str, ...], query: Query, json: object
    ) -> Response:
        try:
            return await self._http.request(
                method,
                *segments,
                query=query or None,
                json=json,
                headers=self._headers,
                max_bytes=SUCCESS_BYTES,
            )
        except UpstreamFailure as failure:
            if failure.outcome == "unknown":
                failure.hint = f"{_LOOK} {failure.hint}".strip()
            raise

    def _wait(self, method: Method, reply: Response) -> float | None:
        """Say how long to wait before the same request may go again, if it may."""
        if reply.status == 429:
            seconds = self._seconds_to_reset(reply)
            return seconds if seconds is not None and seconds <= LONGEST_WAIT else None
        if method != "GET" and _error_code(_error(reply)) == "conflict":
            return CONFLICT_WAIT
        return None

    def _seconds_to_reset(self, reply: Response) -> float | None:
        after = reply.headers.get("retry-after", "")
        if re.fullmatch(r"[0-9]{1,9}", after):
            return float(after)
        reset = _number(reply, "ratelimit-reset")
        return None if reset is None else max(1.0, reset - self._now())

    def _note_rate_limit(self, reply: Response) -> None:
        remaining = _number(reply, "ratelimit-remaining")
        if remaining is not None:
            self.rate_limit = RateLimit(
                _number(reply, "ratelimit-limit"), remaining, _number(reply, "ratelimit-reset")
            )

    def _refused(self, reply: Response, method: Method, path: str) -> Refused:
        error = _error(reply)
        code = _error_code(error)
        text = f"Hetzner Cloud API {method} {path} failed with HTTP {reply.status}."
        if reply.is_page:
            text += " The answer is a web page and is not repeated."
        correlation = reply.headers.get("x-correlation-id", "")
        if _CORRELATION.fullmatch(correlation):
            text += f" Correlation id for Hetzner's support: {correlation}."
        outcome = known_outcome(
            KNOWN, reply.outcome, method=method, path=path, status=reply.status, code=code
        )
        advice = _LOOK if outcome == "unknown" else hint(code, reply.status, _words(error))
        if reply.status == 429 and (reset := _number(reply, "ratelimit-reset")) is not None:
            advice += f" It resets at {iso_time(reset) or 'an unreadable time'}."
        refusal = Refused(
            text,
            status=reply.status,
            error_code=code,
            body=_words(error) if error else "" if reply.is_page else reply.text,
            hint=advice,
            outcome=outcome,
        )
        refusal.code = code or ""
        return refusal


def says_duplicate(refusal: Refused) -> bool:
    """Tell whether a write was refused because a value is there already.

    The API has no code of its own for it, so the one fixed phrase decides.
    """
    return refusal.error_code == "invalid_input" and "duplicate value" in refusal.body.lower()


def _path(segments: tuple[str, ...]) -> str:
    return "/" + "/".join(segments)


def _parsed(reply: Response, method: Method, path: str) -> object:
    if reply.is_blank:
        return None
    return expect_json(reply, "Hetzner Cloud API", "HETZNER_API_BASE_URL", f"{method} {path}")


def _error(reply: Response) -> Document:
    error = reply.error_field("error")
    return error if isinstance(error, dict) else {}


def _error_code(error: Document) -> str | None:
    code = text_of(error, "code")
    return code if code is not None and _CODE.fullmatch(code) else None


def _words(error: Document) -> str:
    """Put message and details of an error into lines; the kit marks and cuts them."""
    details = object_of(error, "details")
    said = [text_of(error, "message") or ""]
    for field in objects_of(details, "fields"):
        messages = field.get("messages")
        texts = [str(text) for text in messages] if isinstance(messages, list) else []
        said.append(f"{text_of(field, 'name') or 'a field'}: {'; '.join(texts)}".rstrip(": "))
    said += [f"limit: {text_of(limit, 'name')}" for limit in objects_of(details, "limits")]
    said.append(text_of(details, "announcement") or "")
    return "\n".join(filter(None, said))


def _number(reply: Response, header: str) -> int | None:
    value = reply.headers.get(header, "")
    return int(value) if re.fullmatch(r"[0-9]{1,15}", value) else None


def connect(
    settings: ConnectionSettings,
    url: str,
    token: str,
    agent: str,
    *,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    now: Callable[[], float] = time.time,
) -> HetznerAPI:
    """Make the way to the API of one project."""
    connection = Connection.of(
        settings, url, service="Hetzner Cloud API", variable="HETZNER_API_BASE_URL", agent=agent
    )
    # The API's own header tells when its limit resets, so repeats after a 429 are ours.
    http = HTTP(connection, sleep=sleep, repeat_429=False, path_safe="@*")
    return HetznerAPI(http, token, sleep=sleep, now=now)
