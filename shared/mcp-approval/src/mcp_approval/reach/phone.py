"""A person is asked by a notification with two buttons, through an ntfy instance.

Two topics: questions go out on one, answers come back on the other. Whoever can read the
questions holds what answers them, so nobody but the person's own login may (see
`corners`), and the server's login can neither read its questions nor write an answer.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, cast

import httpx2

from mcp_approval.environment.proxies import UnusableProxyError, proxy_for
from mcp_approval.keys import canonical
from mcp_approval.reach.channel import NotReached, Said, Shown, Verb
from mcp_approval.reach.corners import open_corners
from mcp_approval.reach.setting import Setting

MESSAGE_BYTES = 4_095
"""ntfy takes 4,096 bytes as a file or refuses them."""

BODY_BYTES = 8_191
"""ntfy refuses a larger JSON document long before it looks at the message."""

LINE_BYTES = 8_192
ANSWER_BYTES = 65_536
REQUEST_SECONDS = 10.0

SILENCE_SECONDS = 150.0
"""ntfy says that it is there every 45 seconds; after three of those the line is dead."""

CLOSED_SECONDS = 600.0
"""How long the corners are believed to be closed."""

BACKOFF_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0)
CHECK_SECONDS = 5.0

CHECK = "v1.check"
"""What a check sends in place of an answer."""

_DOMAIN = b"mcp-approval/answer\x00"
_CAPABILITY_CHARS = 32


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


@dataclass(slots=True)
class _Pending:
    """A question on the phone."""

    first_line: str
    answers: Mapping[str, Verb]
    heard: Callable[[Said], None]
    sequence: str = ""


@dataclass
class Phone:
    """Asks by notification.

    Attributes:
        settings: Where.
        server: Which server asks, for titles.
        process: This process among others that share the topics.
        key: What answers are derived from.
        log: Takes a line about what was not taken.
        head: The newest head of a record; empty without one.
        clock: Monotonic seconds.
        request_seconds: How long one request may take.
        check_seconds: How long a check waits to hear itself.
    """

    settings: PhoneSettings = field(repr=False)
    server: str
    process: str
    key: bytes = field(repr=False)
    log: Callable[[str], None]
    head: Callable[[], str] = lambda: ""
    clock: Callable[[], float] = time.monotonic
    request_seconds: float = REQUEST_SECONDS
    check_seconds: float = CHECK_SECONDS

    word = "phone"
    how = "by phone"

    def __post_init__(self) -> None:
        self._pending: dict[str, _Pending] = {}
        self._client: httpx2.AsyncClient | None = None
        self._listening: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._since = "none"
        self._closed_until = float("-inf")
        self._echo = asyncio.Event()

    async def put(self, shown: Shown, heard: Callable[[Said], None]) -> None:
        """Send a question as a notification.

        Raises:
            NotReached: It is on no phone.
        """
        answers = {self._answer(shown, verb): verb for verb in ("approve", "decline")}
        body = self._notification(shown, list(answers))
        if self.clock() >= self._closed_until:
            await self._require_closed()
        await self._listen()
        pending = _Pending(shown.message.partition("\n")[0], answers, heard)  # type: ignore[arg-type]
        self._pending[shown.question] = pending
        try:
            told = await self._publish(body)
            pending.sequence = str(told.get("sequence_id") or told.get("id") or "")
            if told.get("message") != shown.message:
                await self._replace(pending, "Not asked: the question did not arrive whole.")
                raise NotReached("did not arrive whole")
        except BaseException:
            self._forget(shown.question)
            raise

    async def end(self, question: str, words: str, *, final: bool) -> None:
        """Replace the notification by what became of it."""
        pending = self._pending.get(question)
        if pending is None:
            return
        try:
            await self._replace(pending, words)
        except NotReached as reason:
            self.log(f"decision=ending_failed way=phone reason={json.dumps(str(reason))}")
        if final:
            self._forget(question)

    async def check(self) -> list[str]:
        """Try the corners and the circle; nothing is asked.

        Raises:
            NotReached: The topics are open, or nothing comes back.
        """
        await self._require_closed()
        self._echo.clear()
        await self._listen()
        try:
            headers = _bearer(self.settings.button_token)
            await self._request("POST", self.settings.answer_topic, headers, CHECK.encode())
            async with asyncio.timeout(self.check_seconds):
                await self._echo.wait()
        except TimeoutError:
            raise NotReached("answers cannot be heard") from None
        finally:
            self._rest()
        await self._publish(
            json.dumps(
                {
                    "topic": self.settings.ask_topic,
                    "title": f"{self.server}: test",
                    "message": "Nothing is asked.",
                    "priority": 1,
                }
            ).encode()
        )
        return ["phone: the topics are closed, answers are heard, a test was sent"]

    async def aclose(self) -> None:
        """Hang up."""
        self._pending.clear()
        self._rest()
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _answer(self, shown: Shown, verb: str) -> str:
        content = canonical([shown.question, verb, shown.approver]).encode()
        digest = hmac.new(self.key, _DOMAIN + content, hashlib.sha256).digest()[:24]
        capability = _base64url(digest)
        return f"v1.{self.process}.{shown.question}.{verb}.{capability}"

    def _notification(self, shown: Shown, answers: list[str]) -> bytes:
        size = len(shown.message.encode("utf-8", "replace"))
        if size > MESSAGE_BYTES:
            raise NotReached(
                f"the question has {size} bytes and a notification holds {MESSAGE_BYTES}"
            )
        body = json.dumps(
            {
                "topic": self.settings.ask_topic,
                "title": shown.title,
                "message": shown.message,
                "priority": 4,
                "tags": ["raised_hand"],
                "actions": [
                    {
                        "action": "http",
                        "label": label,
                        "url": f"{self.settings.url}/{self.settings.answer_topic}",
                        "method": "POST",
                        "headers": {"Authorization": f"Bearer {self.settings.button_token}"},
                        "body": answer,
                        "clear": True,
                    }
                    for label, answer in zip(("Approve", "Decline"), answers, strict=True)
                ],
            },
            ensure_ascii=False,
        ).encode("utf-8", "replace")
        if len(body) > BODY_BYTES:
            raise NotReached(
                f"the question has {len(body)} bytes with its buttons and a notification "
                f"holds {BODY_BYTES}"
            )
        return body

    async def _require_closed(self) -> None:
        corners = await open_corners(self._request, self.settings)
        if corners:
            for corner in corners:
                self.log(f"decision=unreached way=phone reason={json.dumps(corner)}")
            raise NotReached("the topics are not closed; see --check")
        self._closed_until = self.clock() + CLOSED_SECONDS

    async def _replace(self, pending: _Pending, words: str) -> None:
        head = self.head()
        said = f"{words} record {head}" if head else words
        body = {
            "topic": self.settings.ask_topic,
            "title": f"{self.server}: {words}",
            "message": f"{pending.first_line}\n\n{said}",
            "priority": 2,
            **({"sequence_id": pending.sequence} if pending.sequence else {}),
        }
        await self._publish(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))

    async def _publish(self, body: bytes) -> Mapping[str, object]:
        status, content = await self._request("POST", "", _bearer(self.settings.token), body)
        if status in {401, 403}:
            self._closed_until = float("-inf")
        if status != 200:
            raise NotReached(f"ntfy answered HTTP {status}")
        try:
            told = json.loads(content)
        except ValueError:
            told = None
        if not isinstance(told, dict):
            raise NotReached("did not arrive whole")
        return told

    async def _request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, bytes]:
        client = await self._http()
        url = f"{self.settings.url}/{path}" if path else self.settings.url
        try:
            async with (
                asyncio.timeout(self.request_seconds),
                client.stream(method, url, headers=dict(headers), content=body) as response,
            ):
                content = b""
                async for piece in response.aiter_raw():
                    content += piece
                    if len(content) > ANSWER_BYTES:
                        raise NotReached("ntfy answered too much")
                return response.status_code, content
        except (TimeoutError, httpx2.HTTPError, OSError):
            raise NotReached("ntfy could not be reached") from None

    async def _http(self) -> httpx2.AsyncClient:
        if self._client is None:
            verify = await asyncio.to_thread(_authorities, self.settings)
            self._client = httpx2.AsyncClient(
                trust_env=False,
                proxy=_proxy(self.settings.url),
                verify=verify,
                timeout=None,
                follow_redirects=False,
                headers={"accept-encoding": "identity"},
            )
        return self._client

    async def _listen(self) -> None:
        """Hear answers before the first question is out."""
        if self._listening is None or self._listening.done():
            self._since = "none"
            self._ready.clear()
            self._listening = asyncio.create_task(self._keep_listening())
        try:
            async with asyncio.timeout(self.request_seconds):
                await self._ready.wait()
        except TimeoutError:
            if not self._pending:
                self._rest()
            raise NotReached("answers cannot be heard") from None

    async def _keep_listening(self) -> None:
        tries = 0
        while True:
            with suppress(TimeoutError, httpx2.HTTPError, OSError, NotReached):
                async for line in self._lines():
                    tries = 0
                    self._take(line)
            await asyncio.sleep(BACKOFF_SECONDS[min(tries, len(BACKOFF_SECONDS) - 1)])
            tries += 1

    async def _lines(self) -> AsyncIterator[bytes]:
        client = await self._http()
        url = f"{self.settings.url}/{self.settings.answer_topic}/json"
        headers = _bearer(self.settings.token)
        async with client.stream(
            "GET", url, params={"since": self._since}, headers=headers
        ) as response:
            if response.status_code != 200:
                raise NotReached(f"ntfy answered HTTP {response.status_code}")
            pieces = aiter(response.aiter_raw())
            rest, dropping = b"", False
            while True:
                async with asyncio.timeout(SILENCE_SECONDS):
                    piece = await anext(pieces, None)
                if piece is None:
                    return
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    if not dropping and len(line) <= LINE_BYTES:
                        yield line
                    dropping = False
                if len(rest) > LINE_BYTES:
                    rest, dropping = b"", True

    def _take(self, line: bytes) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            return
        if not isinstance(event, dict):
            return
        match event.get("event"):
            case "open":
                if self._since == "none":
                    self._since = str(event.get("time", "none"))
                self._ready.set()
            case "message":
                self._since = str(event.get("id", self._since))
                self._hear(event.get("message"))

    def _hear(self, said: object) -> None:
        if said == CHECK:
            self._echo.set()
            return
        reason = self._heard(said if isinstance(said, str) else "")
        if reason:
            self.log(f"decision=answer_ignored way=phone reason={reason}")

    def _heard(self, said: str) -> str:
        """Hand on a good answer, or say why it is none; another process's is no matter."""
        parts = said.split(".")
        if len(parts) != 5 or parts[0] != "v1" or len(parts[4]) != _CAPABILITY_CHARS:
            return "malformed"
        _, process, question, verb, _ = parts
        if process != self.process:
            return ""
        pending = self._pending.get(question)
        if pending is None:
            return "unknown"
        for answer, meant in pending.answers.items():
            if meant == verb and hmac.compare_digest(answer.encode(), said.encode()):
                pending.heard(Said(meant, "capability"))
                return ""
        return "forged"

    def _forget(self, question: str) -> None:
        self._pending.pop(question, None)
        if not self._pending:
            self._rest()

    def _rest(self) -> None:
        if self._listening is not None and not self._pending:
            self._listening.cancel()
            self._listening = None
            self._ready.clear()


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


def _base64url(raw: bytes) -> str:
    import base64

    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


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


def open_phone(setting: Setting) -> Phone:
    """Open the phone that the operator named."""
    values = setting.values
    url = str(values["approval_ntfy_url"])
    return Phone(
        PhoneSettings(
            url=url,
            ask_topic=str(values["approval_ntfy_ask_topic"]),
            answer_topic=str(values["approval_ntfy_answer_topic"]),
            token=str(values["approval_ntfy_token"]),
            button_token=str(values["approval_ntfy_button_token"]),
            ca_file=cast("str | None", values["approval_ntfy_ca_file"]),
        ),
        setting.server,
        setting.process,
        setting.key,
        setting.log,
        setting.head,
        setting.clock,
    )
