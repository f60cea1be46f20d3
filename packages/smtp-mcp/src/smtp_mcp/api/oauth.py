"""Access tokens: from a file that another program keeps fresh, or by a refresh token."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self

from mcp_serverkit.errors import Refused, ToolFailure, Unexpected, UpstreamFailure
from mcp_serverkit.http.client import HTTP
from mcp_serverkit.http.connection import Connection, ConnectionSettings
from mcp_serverkit.http.json_fields import Document, text_of, without_none
from mcp_serverkit.http.response import Response, expect_object

TOKEN_BYTES = 16 * 1024
"""Bound of a token file; tokens of the large providers stay below 4 KiB."""

ANSWER_BYTES = 64 * 1024
"""Bound of an answer of the token service: a few tokens."""

EARLY_SECONDS = 60.0
"""A token counts as expired that long before it does."""

_SERVICE = "The OAuth token service"
_VARIABLE = "SMTP_OAUTH_TOKEN_URL"
_TOKEN = re.compile(r"[\x21-\x7e]{1,16000}")
_SECONDS = re.compile(r"[0-9]{1,9}")


class TokenFile:
    """An access token in a file; read anew for each login."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def token(self) -> str:
        """Return the content of the file."""
        try:
            content = await asyncio.to_thread(self._read)
        except OSError as error:
            reason = (error.strerror or "error").lower()
            raise _failure(f"SMTP_OAUTH_TOKEN_FILE cannot be read: {reason}") from None
        return _checked(content.decode("utf-8", "replace").strip(), "SMTP_OAUTH_TOKEN_FILE")

    def refused(self) -> bool:
        """Another attempt would read the same file."""
        return False

    def _read(self) -> bytes:
        with open(self._path, "rb") as file:
            return file.read(TOKEN_BYTES + 1)


@dataclass(frozen=True, slots=True)
class Client:
    """What the token service knows this program as."""

    url: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    refresh_token: str = field(default="", repr=False)
    scope: str | None = None


class RefreshedToken:
    """An access token that is fetched with a refresh token and kept until it expires.

    Args:
        client: Whose tokens.
        http: The way to the token service.
        clock: Monotonic seconds.
    """

    def __init__(self, client: Client, http: HTTP, *, clock: Callable[[], float]) -> None:
        self._client = client
        self._http = http
        self._clock = clock
        self._refresh_token = client.refresh_token
        self._token = ""
        self._until = 0.0
        self._from_cache = False
        self._lock = asyncio.Lock()

    @classmethod
    def of(
        cls,
        client: Client,
        settings: ConnectionSettings,
        *,
        clock: Callable[[], float],
        agent: str,
    ) -> Self:
        """Make it from what the operator set."""
        connection = Connection.of(
            settings, client.url, service=_SERVICE, variable=_VARIABLE, agent=agent
        )
        return cls(client, HTTP(replace(connection, whole=True)), clock=clock)

    async def token(self) -> str:
        """Return the kept token, or fetch one.

        Raises:
            ToolFailure: The service gave none.
        """
        async with self._lock:
            self._from_cache = bool(self._token) and self._clock() < self._until
            if not self._from_cache:
                await self._refresh()
            return self._token

    def refused(self) -> bool:
        """Forget a refused token; a fresh one is worth a try only if it came from the cache."""
        self._token = ""
        return self._from_cache

    async def _refresh(self) -> None:
        answer = await self._ask()
        self._token = _checked(answer.get("access_token"), _SERVICE)
        self._until = self._clock() + _lifetime(answer.get("expires_in")) - EARLY_SECONDS
        self._refresh_token = text_of(answer, "refresh_token") or self._refresh_token

    async def _ask(self) -> Document:
        form = without_none(
            grant_type="refresh_token",
            client_id=self._client.client_id,
            refresh_token=self._refresh_token,
            client_secret=self._client.client_secret or None,
            scope=self._client.scope or None,
        )
        try:
            reply = await self._http.request(
                "POST",
                form={name: str(value) for name, value in form.items()},
                max_bytes=ANSWER_BYTES,
                effect=False,
            )
            if reply.ok:
                return expect_object(reply, _SERVICE, _VARIABLE, "POST")
        except UpstreamFailure as failure:
            raise _no_token(failure) from None
        finally:
            # One request an hour needs no pool.
            await self._http.aclose()
        raise _refused(reply)


def _lifetime(seconds: object) -> float:
    """Read the seconds that a token lives; some services write them as text."""
    if isinstance(seconds, str) and _SECONDS.fullmatch(seconds):
        return float(seconds)
    if isinstance(seconds, int | float) and not isinstance(seconds, bool):
        return min(float(seconds), 1e9)
    return 0.0


def _no_token(failure: UpstreamFailure) -> UpstreamFailure:
    """Say of a failed request for a token what it means for the mail."""
    failure.text = f"{failure.text} Nothing was sent."
    if _VARIABLE not in failure.hint:
        failure.hint = f"Check {_VARIABLE}."
    failure.code = "auth_failed" if isinstance(failure, Unexpected) else failure.code
    return failure


def _refused(reply: Response) -> Refused:
    return Refused(
        f"{_SERVICE} answered HTTP {reply.status}. Nothing was sent.",
        status=reply.status,
        body=_error_word(reply),
        hint=f"invalid_grant means that the refresh token must be renewed. Else check {_VARIABLE}.",
    )


def _checked(token: object, source: str) -> str:
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        where = f" Check {_VARIABLE}." if source == _SERVICE else ""
        raise _failure(f"{source} holds no usable access token", where)
    return token


def _failure(text: str, where: str = "") -> ToolFailure:
    return ToolFailure(f"{text}. Nothing was sent.{where}", code="auth_failed")


def _error_word(reply: Response) -> str:
    """Take the standard's short error code; descriptions may repeat what was sent."""
    error = reply.error_field("error")
    return error if isinstance(error, str) and re.fullmatch(r"[a-z_]{1,40}", error) else ""
