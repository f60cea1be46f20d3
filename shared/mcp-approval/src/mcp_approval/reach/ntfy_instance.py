"""Requests to the ntfy instance by which a person is asked. Nothing leaves before the first."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

import httpx2

from mcp_approval.environment.proxies import UnusableProxyError, proxy_for
from mcp_approval.reach.channel import NotReached

ANSWER_BYTES = 65_536
"""How much of an answer is read."""

# A phone that is reached by then may still be answered within a short wait.
REQUEST_SECONDS = 10.0

FAILURES = (TimeoutError, httpx2.HTTPError, OSError)
"""What a request that gets no answer raises."""


class PhoneSettings(NamedTuple):
    """Where questions go and answers come from.

    Attributes:
        url: The ntfy instance, as the phone reaches it as well.
        ask_topic: Where questions go.
        answer_topic: Where answers come from.
        token: The server's login.
        button_token: The login inside the buttons.
        ca_file: Further authorities to trust.
    """

    url: str
    ask_topic: str
    answer_topic: str
    token: str
    button_token: str
    ca_file: str | None = None


class NtfyInstance:
    """Sends requests, each within its time, and follows no redirect.

    Args:
        settings: Where.
        seconds: How long one request may take.
    """

    def __init__(self, settings: PhoneSettings, seconds: float = REQUEST_SECONDS) -> None:
        self._settings = settings
        self._seconds = seconds
        self._client: httpx2.AsyncClient | None = None

    async def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, bytes]:
        """Send one request, and read its status and its body.

        Raises:
            NotReached: No answer, or one without an end.
        """
        url = f"{self._settings.url}/{path}" if path else self._settings.url
        try:
            client = await self._http()
            async with (
                asyncio.timeout(self._seconds),
                client.stream(method, url, headers=dict(headers), content=body) as response,
            ):
                content = b""
                async for piece in response.aiter_raw():
                    content += piece
                    if len(content) > ANSWER_BYTES:
                        raise NotReached("ntfy answered too much")
                return response.status_code, content
        except FAILURES:
            raise NotReached("ntfy could not be reached") from None

    @asynccontextmanager
    async def stream(self, path: str, since: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """Open a topic to listen; gives the pieces as they come.

        Raises:
            NotReached: The instance refused.
        """
        client = await self._http()
        url = f"{self._settings.url}/{path}/json"
        async with client.stream(
            "GET", url, params={"since": since}, headers=bearer(self._settings.token)
        ) as response:
            if response.status_code != 200:
                raise NotReached(f"ntfy answered HTTP {response.status_code}")
            yield aiter(response.aiter_raw())

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _http(self) -> httpx2.AsyncClient:
        if self._client is not None:
            return self._client
        verify = await asyncio.to_thread(_authorities, self._settings)
        # Another request may have made it meanwhile.
        if self._client is None:
            self._client = httpx2.AsyncClient(
                trust_env=False,
                proxy=_proxy(self._settings.url),
                verify=verify,
                timeout=None,
                follow_redirects=False,
                headers={"accept-encoding": "identity"},
            )
        return self._client


def bearer(token: str) -> dict[str, str]:
    """The header of a login; nothing for nobody."""
    return {"authorization": f"Bearer {token}"} if token else {}


def _proxy(url: str) -> str | None:
    try:
        return proxy_for(url, os.environ)
    except UnusableProxyError as error:
        raise NotReached(str(error)) from None


def _authorities(settings: PhoneSettings) -> ssl.SSLContext | bool:
    if settings.url.startswith("http://"):
        return False
    context = ssl.create_default_context()
    if settings.ca_file is not None:
        context.load_verify_locations(settings.ca_file)
    return context
