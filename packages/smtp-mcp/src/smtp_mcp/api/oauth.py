"""Access tokens: from a file that another program keeps fresh, or by a refresh token."""

from __future__ import annotations

import asyncio
import os
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import certifi
import httpx

from mcp_serverkit.errors import Refused, ToolFailure, Unreachable
from mcp_serverkit.http.proxies import proxy_for

TOKEN_BYTES = 16 * 1024
EARLY_SECONDS = 60.0
"""A token counts as expired that long before it does."""

_TOKEN = re.compile(r"[\x21-\x7e]{1,16000}")


class TokenFile:
    """An access token in a file; read anew for each login."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def token(self) -> str:
        """Return the content of the file."""
        try:
            with open(self._path, "rb") as file:  # noqa: ASYNC230 (a local file of a few bytes)
                content = file.read(TOKEN_BYTES + 1)
        except OSError as error:
            reason = (error.strerror or "error").lower()
            raise _failure(f"SMTP_OAUTH_TOKEN_FILE cannot be read: {reason}") from None
        return _checked(content.decode("utf-8", "replace").strip(), "SMTP_OAUTH_TOKEN_FILE")

    def refused(self) -> bool:
        """Another attempt would read the same file."""
        return False


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
        client: Whose tokens, and where.
        clock: Monotonic seconds.
        timeout: Seconds for one request.
        environ: Source of the proxy variables.
    """

    def __init__(
        self,
        client: Client,
        *,
        clock: Callable[[], float],
        timeout: float,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._client = client
        self._clock = clock
        self._timeout = timeout
        self._environ = os.environ if environ is None else environ
        self._refresh_token = client.refresh_token
        self._token = ""
        self._until = 0.0
        self._from_cache = False
        self._lock = asyncio.Lock()

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
        self._token = _checked(answer.get("access_token"), "The OAuth token service")
        seconds = answer.get("expires_in")
        lifetime = float(seconds) if isinstance(seconds, int | float) else 0.0
        self._until = self._clock() + lifetime - EARLY_SECONDS
        renewed = answer.get("refresh_token")
        if isinstance(renewed, str) and renewed:
            self._refresh_token = renewed

    async def _ask(self) -> Mapping[str, object]:
        form = {
            "grant_type": "refresh_token",
            "client_id": self._client.client_id,
            "refresh_token": self._refresh_token,
            **({"client_secret": self._client.client_secret} if self._client.client_secret else {}),
            **({"scope": self._client.scope} if self._client.scope else {}),
        }
        try:
            async with asyncio.timeout(self._timeout), self._http() as http:
                response = await http.post(self._client.url, data=form)
        except (TimeoutError, httpx.HTTPError, OSError):
            raise Unreachable(
                "The OAuth token service could not be reached. Nothing was sent.",
                hint="Check SMTP_OAUTH_TOKEN_URL and the network.",
            ) from None
        if response.status_code != 200:
            raise Refused(
                f"The OAuth token service answered HTTP {response.status_code}. Nothing was sent.",
                status=response.status_code,
                body=_error_word(response),
                hint="invalid_grant means that the refresh token must be renewed.",
            )
        return _json_object(response)

    def _http(self) -> httpx.AsyncClient:
        verify: ssl.SSLContext | bool = False
        if self._client.url.startswith("https:"):
            verify = ssl.create_default_context()
            verify.load_verify_locations(certifi.where())
        return httpx.AsyncClient(
            trust_env=False,
            proxy=proxy_for(self._client.url, self._environ),
            verify=verify,
            timeout=self._timeout,
        )


def _checked(token: object, source: str) -> str:
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise _failure(f"{source} holds no usable access token")
    return token


def _failure(text: str) -> ToolFailure:
    return ToolFailure(f"{text}. Nothing was sent.", code="auth_failed")


def _json_object(response: httpx.Response) -> Mapping[str, object]:
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise _failure("The OAuth token service answered without a JSON object")
    return answer


def _error_word(response: httpx.Response) -> str:
    """Take the standard's short error code; descriptions may repeat what was sent."""
    try:
        error = response.json().get("error")
    except (ValueError, AttributeError):
        return ""
    return error if isinstance(error, str) and re.fullmatch(r"[a-z_]{1,40}", error) else ""
