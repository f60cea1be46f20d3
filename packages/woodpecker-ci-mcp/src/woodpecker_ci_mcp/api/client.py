"""Woodpecker's HTTP API. Knows no MCP; source of routes and shapes: Woodpecker's own code.

An answer is trusted only as far as it goes: lists arrive as null when they are empty,
unrouted paths as a web page with status 200, and errors mostly as a bare status.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from urllib.parse import quote

from mcp_serverkit.errors import Refused, Unexpected, UpstreamFailure
from mcp_serverkit.http.client import HTTP, Method
from mcp_serverkit.http.client import Deadline as Deadline
from mcp_serverkit.http.connection import Connection, ConnectionSettings
from mcp_serverkit.http.json_fields import Document, number_of, objects
from mcp_serverkit.http.response import Response, expect_json, expect_object
from mcp_serverkit.outcome import Known, known_outcome
from woodpecker_ci_mcp.api.error_hints import MISSING_FOR_ADMIN, hint
from woodpecker_ci_mcp.api.limits import BODY_BYTES, KNOWN_SECONDS, PAGE
from woodpecker_ci_mcp.logs import Log, read_log

KNOWN: tuple[Known, ...] = ()
"""Routes whose error status says more about a write than its number does."""

Part = str | int
Query = Mapping[str, str | int | bool | None]


class WoodpeckerAPI:
    """Calls one Woodpecker server.

    Args:
        http: Transport to the server's root.
        token: Personal access token.
        clock: Seconds that only grow.
    """

    def __init__(
        self, http: HTTP, token: str | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._http = http
        self._token = token
        self._clock = clock
        self._ids: dict[str, tuple[int, float]] = {}
        self._admin_until = 0.0
        self.version = ""
        """Version that the last answer named; empty before the first one."""

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def is_before(self, major: int, minor: int) -> bool | None:
        """Tell whether the server is older than a version; nothing before it answered.

        A version that is no number is a build of the newest source.
        """
        if not self.version:
            return None
        found = re.match(r"v?([0-9]{1,4})\.([0-9]{1,4})", self.version)
        return found is not None and (int(found[1]), int(found[2])) < (major, minor)

    async def get(self, *path: Part, query: Query | None = None) -> Document:
        """Read one object."""
        return _object(await self.reply("GET", *path, query=query), f"GET {_shown(path)}")

    async def entries(self, *path: Part, query: Query | None = None) -> list[Document]:
        """Read a list of objects; null is an empty one."""
        return objects(await self.values(*path, query=query))

    async def values(self, *path: Part, query: Query | None = None) -> list[object]:
        """Read a list whose entries need not be objects."""
        parsed = _parsed(await self.reply("GET", *path, query=query), f"GET {_shown(path)}")
        if parsed is None:
            return []
        if not isinstance(parsed, list):
            raise Unexpected(f"Woodpecker answered {_shown(path)} with something else than a list.")
        return parsed

    async def pages(
        self, *path: Part, most: int, query: Query | None = None
    ) -> AsyncIterator[list[Document]]:
        """Read a long list page by page; Woodpecker tells no total.

        Args:
            path: Path below `/api`.
            most: Pages at most.
            query: Further query parameters.
        """
        for page in range(1, most + 1):
            paging = {"page": page, "perPage": PAGE}
            entries = await self.entries(*path, query={**(query or {}), **paging})
            yield entries
            if len(entries) < PAGE:
                return

    async def post(
        self, *path: Part, query: Query | None = None, body: Document | None = None
    ) -> Document:
        """Send something that is answered with an object."""
        reply = await self.reply("POST", *path, query=query, body=body)
        return _object(reply, f"POST {_shown(path)}")

    async def patch(self, *path: Part, body: Document) -> Document:
        """Change something; the answer is an object, or nothing on older servers."""
        parsed = _parsed(await self.reply("PATCH", *path, body=body), f"PATCH {_shown(path)}")
        return parsed if isinstance(parsed, dict) else {}

    async def begin(
        self, *path: Part, query: Query | None = None, body: Document | None = None
    ) -> tuple[Document | None, bool]:
        """Start a build.

        Returns:
            The pipeline, if one was made, and whether everything in it was filtered out.
        """
        reply = await self.reply("POST", *path, query=query, body=body)
        parsed = _parsed(reply, f"POST {_shown(path)}")
        filtered = reply.headers.get("pipeline-filtered", "").lower() == "true"
        return parsed if isinstance(parsed, dict) else None, filtered

    async def act(
        self, *path: Part, query: Query | None = None, seconds: float | None = None
    ) -> None:
        """Send a command without a body, whose answer holds nothing of interest."""
        await self.reply("POST", *path, query=query, seconds=seconds)

    async def delete(self, *path: Part, query: Query | None = None) -> None:
        """Remove something."""
        await self.reply("DELETE", *path, query=query)

    async def repository_id(self, full_name: str, *, known: bool = False) -> int:
        """Return the id behind an owner and a name.

        Args:
            full_name: `owner/name`, or a deeper path.
            known: Whether an id of the last minute will do; for reads only, since a name
                may come to mean another repository at any time.
        """
        key = full_name.lower()
        number, until = self._ids.get(key, (0, 0.0))
        if known and number and self._clock() < until:
            return number
        found = await self.get("repos", "lookup", *full_name.split("/"))
        number = number_of(found, "id") or 0
        if number < 1:
            raise Unexpected(
                f"{full_name} has no id: it was never activated.",
                hint="activate_repository activates it, by its id on the forge.",
            )
        self._ids[key] = (number, self._clock() + KNOWN_SECONDS)
        return number

    def forget_names(self) -> None:
        """Forget which id a name has: one was removed, moved, or may have another."""
        self._ids.clear()

    async def log(self, repo_id: int, number: int, step_id: int) -> Log:
        """Read the log of a step, decoded piece by piece."""
        # Only the text is kept while it is decoded: a log may fill the whole bound.
        text = (await self.reply("GET", "repos", repo_id, "logs", number, step_id)).text
        return await read_log(text)

    async def public(self, *path: Part) -> Response:
        """Read a page outside the API, without the token; a bad status is an answer too."""
        return await self._http.request("GET", *map(str, path), max_bytes=BODY_BYTES)

    async def reply(
        self,
        method: Method,
        *path: Part,
        query: Query | None = None,
        body: Document | None = None,
        seconds: float | None = None,
    ) -> Response:
        """Send one request; `seconds` is its time limit, if other than usual.

        Raises:
            Refused: The answer is an error; its hint says what to do.
            Unreachable: No answer.
            Unexpected: A redirect, a web page, or too much.
        """
        try:
            reply = await self._http.request(
                method,
                "api",
                *map(str, path),
                query=_query(query),
                json=body,
                headers={"authorization": f"Bearer {self._token}"} if self._token else {},
                max_bytes=BODY_BYTES,
                seconds=seconds,
            )
        finally:
            if method != "GET" and _may_rename(path):
                self.forget_names()
        self.version = reply.headers.get("x-woodpecker-version", self.version)[:100]
        if not reply.ok:
            refused = self._refused(reply, method, path)
            if reply.status == 404 and path[0] == "repos" and await self._is_admin():
                refused.hint = MISSING_FOR_ADMIN
            raise refused
        if not reply.is_blank and not _is_json(reply):
            expect_json(reply, "Woodpecker", "WOODPECKER_URL", f"{method} {_shown(path)}")
        return reply

    async def _is_admin(self) -> bool:
        """Tell whether the account is known to be an admin of the instance."""
        if self._clock() < self._admin_until:
            return True
        try:
            admin = (await self.get("user")).get("admin") is True
        except UpstreamFailure:
            return False
        if admin:
            self._admin_until = self._clock() + KNOWN_SECONDS
        return admin

    def _refused(self, reply: Response, method: str, path: tuple[Part, ...]) -> Refused:
        shown = _shown(path)
        if reply.status == 404 and path[0] == "repos":
            self.forget_names()
        route = shown.removeprefix("/api")
        return Refused(
            f"Woodpecker refused {method} {shown}: HTTP {reply.status}.",
            status=reply.status,
            body="" if reply.is_page else reply.text.strip(),
            hint=hint(method, route, reply.status),
            outcome=known_outcome(
                KNOWN, reply.outcome, method=method, path=route, status=reply.status
            ),
        )


def _shown(path: tuple[Part, ...]) -> str:
    return "/api" + "".join(f"/{quote(str(part), safe='')}" for part in path)


def _may_rename(path: tuple[Part, ...]) -> bool:
    """Tell whether a write may change which repository a name means."""
    if path[0] != "repos":
        return False
    return len(path) < 3 or path[2] in {"move", "chown", "repair"}


def _query(query: Query | None) -> dict[str, str]:
    """Write a query; what is None is left out."""
    return {
        name: ("true" if value else "false") if isinstance(value, bool) else str(value)
        for name, value in (query or {}).items()
        if value is not None
    }


def _parsed(reply: Response, where: str) -> object:
    """Read JSON; an empty body is null, as with status 204."""
    return None if reply.is_blank else expect_json(reply, "Woodpecker", "WOODPECKER_URL", where)


def _object(reply: Response, where: str) -> Document:
    return expect_object(reply, "Woodpecker", "WOODPECKER_URL", where)


def _is_json(reply: Response) -> bool:
    return "json" in reply.content_type or reply.body[:1_000].lstrip()[:1] in {b"{", b"[", b"n"}


def connect(
    settings: ConnectionSettings,
    url: str | None,
    token: str | None,
    agent: str,
    *,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    deadline: Deadline = asyncio.timeout,
) -> WoodpeckerAPI:
    """Make a client of one server."""
    connection = Connection.of(
        settings, url, service="Woodpecker", variable="WOODPECKER_URL", agent=agent
    )
    return WoodpeckerAPI(HTTP(connection, sleep=sleep, deadline=deadline), token)
