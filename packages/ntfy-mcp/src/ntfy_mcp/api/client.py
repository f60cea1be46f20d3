"""ntfy's HTTP API. Knows no MCP; source of routes and shapes: ntfy's documentation and server."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from mcp_serverkit.errors import Refused, Unexpected, UpstreamFailure
from mcp_serverkit.http.client import HTTP, Method
from mcp_serverkit.http.connection import Connection, ConnectionSettings
from mcp_serverkit.http.json_fields import Document
from mcp_serverkit.http.response import Response, expect_json, expect_object
from mcp_serverkit.outcome import Known, known_outcome
from mcp_serverkit.text.times import iso_time
from ntfy_mcp.api.credentials import Credentials
from ntfy_mcp.api.error_hints import hint_after, past_delay, where_to_look
from ntfy_mcp.api.message_headers import message_headers
from ntfy_mcp.api.polls import Listening, Poll, read_lines, read_poll, sent_at
from ntfy_mcp.api.rates import LoginMemory, RequestBucket
from ntfy_mcp.api.release import release_of

KNOWN: tuple[Known, ...] = ()
"""Errors whose code says more about a write than their status does."""

TOO_MANY_REQUESTS = 42901
"""The one of ntfy's refusals with 429 that speaks of the number of requests."""

ACCOUNT_SECONDS = 60.0
"""How long the own account is remembered."""

ADMIN_PATHS = ("/v1/version", "/v1/users")
"""Paths where ntfy answers 401 to a good login without role admin."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """What ntfy answered to a publication.

    Attributes:
        document: The message as ntfy took it.
        time: Unix time of the answer, by the instance's clock.
    """

    document: Document
    time: float


class NtfyClient:
    """Calls one ntfy instance.

    Args:
        http: Transport to the instance.
        credentials: The login.
        clock: Monotonic seconds.
        now: Unix time, for answers that do not tell theirs.
    """

    def __init__(
        self,
        http: HTTP,
        credentials: Credentials,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._http = http
        self._credentials = credentials
        self._clock = clock
        self._now = now
        self._login = LoginMemory(clock)
        self.bucket = RequestBucket(clock)
        self._account: tuple[float, Document] | None = None
        self._release: tuple[int, int] | None = None

    def now(self) -> float:
        """Return our own Unix time, for want of the instance's."""
        return self._now()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def publish(self, message: Mapping[str, object], file: bytes | None = None) -> Accepted:
        """Publish one message; `topic` is among its fields, which are headers beside a file."""
        topic = str(message["topic"])
        try:
            if file is None:
                reply = await self._send("POST", json=dict(message))
            else:
                headers = message_headers(message)
                reply = await self._send("PUT", topic, content=file, headers=headers)
        except Refused as refusal:
            delay = message.get("delay")
            if refusal.error_code == 40004 and isinstance(delay, str) and delay.isdigit():
                refusal.hint = past_delay(iso_time(int(delay)) or delay)
            raise
        where = "POST /" if file is None else f"PUT /{topic}"
        return Accepted(_object(reply, where), self._time_of(reply))

    async def poll(
        self,
        topics: Sequence[str],
        since: str,
        *,
        filters: Mapping[str, str] | None = None,
        scheduled: bool = False,
    ) -> Poll:
        """Read cached messages of some topics."""
        query = {"poll": "1", "since": since, **(filters or {})}
        if scheduled:
            query["scheduled"] = "1"
        reply = await self._send(
            "GET", ",".join(topics), "json", query=query, accept="application/x-ndjson"
        )
        return await read_poll(reply, time=self._time_of(reply), scheduled=scheduled)

    @asynccontextmanager
    async def listen(self, topics: Sequence[str], since: str) -> AsyncIterator[Listening]:
        """Open a stream of messages, the cached ones first."""
        path = f"/{','.join(topics)}/json"
        login = self._credentials.header()
        if login:
            self._login.check()
        self.bucket.spend()
        async with self._http.stream(
            ",".join(topics),
            "json",
            query={"since": since},
            headers={"accept": "application/x-ndjson", **login},
        ) as opened:
            if not opened.head.ok:
                raise self._refused(opened.head, "GET", path, with_login=bool(login))
            _refuse_page(opened.head, "GET", path)
            yield Listening(self._time_of(opened.head), read_lines(opened.lines))

    async def mark_read(self, topic: str, sequence_id: str) -> None:
        """Announce to subscribers that a notification was read."""
        await self._send("PUT", topic, sequence_id, "read")

    async def delete(self, topic: str, sequence_id: str) -> None:
        """Announce a deletion; a notification that is still scheduled is dropped."""
        await self._send("DELETE", topic, sequence_id)

    async def may_read(self, topic: str, seconds: float) -> None:
        """Ask whether the login may read a topic; a refusal says that it may not."""
        await self._send("GET", topic, "auth", seconds=seconds)

    async def public(self, name: str) -> Document:
        """Read `health`, `config` or `stats`, without the login unless a proxy wants it."""
        try:
            return _object(await self._send("GET", "v1", name, anonymous=True), f"GET /v1/{name}")
        except Refused as refusal:
            if refusal.status not in {401, 403} or not self._credentials.given:
                raise
        return _object(await self._send("GET", "v1", name), f"GET /v1/{name}")

    async def version(self) -> Document:
        """Read version, commit and date; for admins, from 2.17."""
        return _object(await self._send("GET", "v1", "version"), "GET /v1/version")

    async def release(self) -> tuple[int, int] | None:
        """Read the release, once for the process; for admins, from 2.17."""
        if self._release is None:
            self._release = release_of(await self.version())
        return self._release

    async def account(self) -> Document:
        """Read the own account, from memory for a minute."""
        now = self._clock()
        if self._account is not None and now - self._account[0] < ACCOUNT_SECONDS:
            return self._account[1]
        parsed = _parsed(await self._send("GET", "v1", "account"), "GET /v1/account")
        document: Document = parsed if isinstance(parsed, dict) else {}
        self._account = (now, document)
        return document

    async def users(self) -> list[object]:
        """Read all accounts with their grants; for admins."""
        users = _parsed(await self._send("GET", "v1", "users"), "GET /v1/users")
        if not isinstance(users, list):
            raise Unexpected("ntfy answered the list of accounts with something else.")
        return users

    async def create_user(self, username: str, password: str, tier: str | None) -> None:
        """Create a regular account; for admins."""
        body = {"username": username, "password": password}
        await self._send("POST", "v1", "users", json=body | ({"tier": tier} if tier else {}))

    async def delete_user(self, username: str) -> None:
        """Remove a regular account and its grants; for admins."""
        await self._send("DELETE", "v1", "users", json={"username": username})

    async def allow(self, username: str, topic: str, permission: str) -> None:
        """Write an access rule; for admins."""
        body = {"username": username, "topic": topic, "permission": permission}
        await self._send("PUT", "v1", "users", "access", json=body)

    async def reset_access(self, username: str, topic: str) -> None:
        """Remove an access rule; for admins."""
        body = {"username": username, "topic": topic}
        await self._send("DELETE", "v1", "users", "access", json=body)

    def _time_of(self, reply: Response) -> float:
        sent = sent_at(reply)
        return self._now() if sent is None else sent

    async def _send(
        self,
        method: Method,
        *segments: str,
        query: Mapping[str, str] | None = None,
        json: object = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        accept: str = "application/json",
        anonymous: bool = False,
        seconds: float | None = None,
    ) -> Response:
        login = {} if anonymous else self._credentials.header()
        if login:
            self._login.check()
        self.bucket.spend()
        path = "/" + "/".join(segments)
        try:
            reply = await self._http.request(
                method,
                *segments,
                query=query,
                json=json,
                content=content,
                headers={"accept": accept, **(headers or {}), **login},
                seconds=seconds,
            )
        except UpstreamFailure as failure:
            if failure.outcome == "unknown":
                failure.hint = f"{where_to_look(path)} {failure.hint}".strip()
            raise
        if not reply.ok:
            raise self._refused(reply, method, path, with_login=bool(login))
        _refuse_page(reply, method, path)
        return reply

    def _refused(self, reply: Response, method: str, path: str, *, with_login: bool) -> Refused:
        code = _error_code(reply)
        if code == TOO_MANY_REQUESTS:
            self.bucket.exhausted()
        outcome = known_outcome(
            KNOWN, reply.outcome, method=method, path=path, status=reply.status, code=code
        )
        said = f"HTTP {reply.status}" + (f", code {code}" if code else "")
        refusal = Refused(
            f"ntfy refused {method} {path}: {said}.",
            status=reply.status,
            error_code=code,
            body="" if reply.is_page else reply.text,
            hint=hint_after(method, path, reply.status, code, outcome),
            outcome=outcome,
        )
        if reply.status == 401 and with_login and not path.startswith(ADMIN_PATHS):
            self._login.remember(refusal)
        return refusal


def _refuse_page(reply: Response, method: str, path: str) -> None:
    if reply.content_type in {"text/html", "application/xhtml+xml"}:
        raise Unexpected(
            f"{method} {path} did not reach an ntfy API route: the answer has the content type "
            f"{reply.content_type}.",
            hint="Check NTFY_URL, and whether a proxy or login page stands in between.",
        )


def _parsed(reply: Response, where: str) -> object:
    return expect_json(reply, "ntfy", "NTFY_URL", where)


def _object(reply: Response, where: str) -> Document:
    return expect_object(reply, "ntfy", "NTFY_URL", where)


def _error_code(reply: Response) -> int | None:
    code = reply.error_field("code")
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def connect(
    settings: ConnectionSettings, url: str | None, credentials: Credentials, agent: str
) -> NtfyClient:
    """Make a client of one instance."""
    connection = Connection.of(settings, url, service="ntfy", variable="NTFY_URL", agent=agent)
    # ntfy sends no Retry-After, and repeating into its 429 leads to an address ban. A comma
    # separates topics in its paths and is part of no name.
    return NtfyClient(HTTP(connection, repeat_429=False, path_safe=","), credentials)
