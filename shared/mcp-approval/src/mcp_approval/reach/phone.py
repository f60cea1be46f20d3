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
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from mcp_approval.keys import canonical
from mcp_approval.reach.channel import NotReached, Said, Shown, Unsafe, Verb
from mcp_approval.reach.corners import CHECK, try_corners
from mcp_approval.reach.ignored import Ignored
from mcp_approval.reach.listening import Listening
from mcp_approval.reach.notification import notification
from mcp_approval.reach.ntfy_instance import REQUEST_SECONDS, NtfyInstance, PhoneSettings, bearer
from mcp_approval.reach.setting import Setting

CLOSED_SECONDS = 600.0
"""How long the corners are believed to be closed."""

# One request; a start check must not hang.
CHECK_SECONDS = 5.0

_DOMAIN = b"mcp-approval/answer\x00"
# 128 bits in hexadecimal.
_CAPABILITY_CHARS = 32


@dataclass(slots=True)
class _Pending:
    """A question on the phone, or on its way there.

    Attributes:
        first_line: What it is about.
        answers: What each button sends, and what that means.
        heard: Takes an answer.
        sequence: By what the notification can be replaced.
        sending: The request with it.
    """

    first_line: str
    answers: Mapping[str, Verb]
    heard: Callable[[Said], None]
    sequence: str
    sending: asyncio.Task[Mapping[str, object]]


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
        self._instance = NtfyInstance(self.settings, self.request_seconds)
        self._listening = Listening(
            self._instance, self.settings.answer_topic, self._hear, self.request_seconds
        )
        self._ignored = Ignored(self.log, self.clock)
        self._closed_until = float("-inf")
        self._echo = asyncio.Event()

    async def put(self, shown: Shown, heard: Callable[[Said], None]) -> None:
        """Send a question as a notification.

        Raises:
            NotReached: It is on no phone.
        """
        verbs: tuple[Verb, ...] = ("approve", "decline")
        answers: dict[str, Verb] = {self._answer(shown, verb): verb for verb in verbs}
        body = notification(self.settings, shown, list(answers))
        if self.clock() >= self._closed_until:
            await self._require_closed()
        await self._start_listening()
        first_line = shown.message.partition("\n")[0]
        sending = asyncio.create_task(self._publish(body))
        pending = _Pending(first_line, answers, heard, shown.question, sending)
        self._pending[shown.question] = pending
        try:
            # Not broken off when the call is: its end must come behind it, or dead buttons stay.
            told = await asyncio.shield(sending)
            pending.sequence = str(told.get("sequence_id") or told.get("id") or "")
            if told.get("message") != shown.message:
                await self._replace(pending, "Not asked: the question did not arrive whole.")
                raise NotReached("did not arrive whole")
        except NotReached:
            self._forget(shown.question)
            raise

    async def end(self, question: str, words: str, *, final: bool) -> None:
        """Replace the notification by what became of it."""
        pending = self._pending.get(question)
        if pending is None:
            return
        try:
            await asyncio.gather(pending.sending, return_exceptions=True)
            await self._replace(pending, words)
        except NotReached as reason:
            self.log(f"decision=ending_failed way=phone reason={json.dumps(str(reason))}")
        finally:
            if final:
                self._forget(question)

    async def check(self) -> list[str]:
        """Try the corners and the circle; nothing is asked.

        Raises:
            NotReached: The instance does not take a notification.
            Unsafe: The topics are open, or nothing comes back.
        """
        if (corners := await try_corners(self._instance.request, self.settings)).reason:
            raise Unsafe(corners.said)
        self._echo.clear()
        try:
            await self._start_listening()
            await self._answer_as_the_button(CHECK)
            async with asyncio.timeout(self.check_seconds):
                await self._echo.wait()
        except Unsafe:
            raise
        except (TimeoutError, NotReached):
            raise Unsafe("answers cannot be heard") from None
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
        sending = [pending.sending for pending in self._pending.values()]
        for task in sending:
            task.cancel()
        await asyncio.gather(*sending, return_exceptions=True)
        self._pending.clear()
        self._listening.stop()
        await self._instance.aclose()

    async def _answer_as_the_button(self, answer: bytes) -> None:
        headers = bearer(self.settings.button_token)
        topic = self.settings.answer_topic
        status, _ = await self._instance.request("POST", topic, headers, answer)
        if status != 200:
            raise Unsafe(f"the buttons' token cannot write answers: ntfy answered HTTP {status}")

    def _answer(self, shown: Shown, verb: str) -> str:
        content = canonical([shown.question, verb, shown.approver]).encode()
        digest = hmac.new(self.key, _DOMAIN + content, hashlib.sha256).digest()[:24]
        capability = _base64url(digest)
        return f"v1.{self.process}.{shown.question}.{verb}.{capability}"

    async def _require_closed(self) -> None:
        corners = await try_corners(self._instance.request, self.settings)
        for corner in corners.found:
            self.log(f"decision=unreached way=phone reason={json.dumps(corner)}")
        if corners.reason:
            raise NotReached(corners.reason)
        self._closed_until = self.clock() + CLOSED_SECONDS

    async def _replace(self, pending: _Pending, words: str) -> None:
        head = self.head()
        said = f"{words} record {head}" if head else words
        body = {
            "topic": self.settings.ask_topic,
            "title": f"{self.server}: {words}",
            "message": f"{pending.first_line}\n\n{said}",
            "priority": 2,
            "sequence_id": pending.sequence,
        }
        await self._publish(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))

    async def _publish(self, body: bytes) -> Mapping[str, object]:
        status, content = await self._instance.request(
            "POST", "", bearer(self.settings.token), body
        )
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

    async def _start_listening(self) -> None:
        try:
            await self._listening.start()
        except NotReached:
            # It may have been refused, so nothing is believed of the topics any more.
            self._closed_until = float("-inf")
            self._rest()
            raise

    def _rest(self) -> None:
        if not self._pending:
            self._listening.stop()

    def _hear(self, said: object) -> None:
        if said == CHECK.decode():
            self._echo.set()
            return
        reason = self._heard(said if isinstance(said, str) else "")
        if reason:
            self._ignored(self.word, reason)

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
            self._listening.stop()


def _base64url(raw: bytes) -> str:
    import base64

    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


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
