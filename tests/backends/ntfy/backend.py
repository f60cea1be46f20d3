"""The stand-in as tests and the demo use it."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, tzinfo
from email.utils import formatdate
from typing import TYPE_CHECKING, Self

from .accounts import EVERYONE, Permission, Role, Tier, User
from .core import Core
from .durations import Since
from .errors import NotModelledError, NtfyError
from .exchange import Exchange, Reply, Stream
from .phone import press
from .routes import answer
from .script import Script, Scripted
from .settings import DefaultAccess, JsonObject, Limits, Settings
from .wire import HangUp, Outcome, Request, Rough, WireServer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CORS = {"Access-Control-Allow-Origin": "*"}


class NtfyBackend:
    """A server that answers like ntfy, on a free port of 127.0.0.1.

    Assign `now` to use another clock, and `tells_time` to leave the `Date` header out. With
    `delivery_seconds`, what is due becomes readable only at the next multiple of it, as on a real
    server, which looks every 10 seconds. `time_zone` is that of words such as "tomorrow 10am".
    Everything may be called from any thread.
    """

    def __init__(
        self,
        version: str = "2.28.0",
        users: bool = True,
        *,
        default_access: DefaultAccess = "read-write",
        limits: Limits | None = None,
        message_size_limit: int = 4096,
        attachments: bool = False,
        cache_seconds: int = 12 * 3600,
        keepalive_seconds: float = 45.0,
        web_app: bool = True,
        extra_reserved_topics: tuple[str, ...] = (),
        tells_time: bool = True,
        delivery_seconds: int = 0,
        time_zone: tzinfo = UTC,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.now = now
        self.requests: list[Request] = []
        settings = Settings(
            version=version,
            users=users,
            default_access=default_access,
            limits=limits or Limits(),
            message_size_limit=message_size_limit,
            attachments=attachments,
            cache_seconds=cache_seconds,
            keepalive_seconds=keepalive_seconds,
            web_app=web_app,
            delivery_seconds=delivery_seconds,
            time_zone=time_zone,
            reserved_topics=Settings().reserved_topics + extra_reserved_topics,
        )
        self._offset = 0.0
        self._core = Core(settings, lambda: self.now() + self._offset)
        self._script = Script()
        self.tells_time = tells_time
        self._server = WireServer(self._handle, self._date)

    def start(self) -> Self:
        """Listen."""
        self._server.start()
        self._core.base_url = self.url
        return self

    def stop(self) -> None:
        """Close the port and all connections."""
        self._server.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._server.port}"

    def clear_requests(self) -> None:
        """Forget the requests recorded so far."""
        self.requests.clear()

    @property
    def time(self) -> float:
        """What the clock says."""
        return self._core.now()

    def advance(self, seconds: float) -> None:
        """Move the clock on, and deliver or expire what became due."""
        with self._core.lock:
            self._offset += seconds
            self._core.catch_up()

    # Seeding

    def add_tier(
        self, code: str, name: str = "", *, messages_per_day: int = 5000, expiry: int = 12 * 3600
    ) -> None:
        """Create a tier."""
        with self._core.lock:
            self._core.accounts.tiers[code] = Tier(code, name or code, messages_per_day, expiry)

    def add_user(
        self,
        username: str,
        password: str,
        role: Role = "user",
        tier: str = "",
        *,
        provisioned: bool = False,
    ) -> None:
        """Create an account, and its tier when that does not exist."""
        with self._core.lock:
            if tier and tier not in self._core.accounts.tiers:
                self.add_tier(tier)
            self._core.accounts.add(username, password, role, tier).provisioned = provisioned

    def add_token(self, username: str, label: str = "", expires: int = 0) -> str:
        """Create an access token that, unless told otherwise, never expires."""
        with self._core.lock:
            now = int(self._core.now())
            return self._core.accounts.add_token(self._user(username), label, expires, now).value

    def grant(self, username: str, pattern: str, permission: str) -> None:
        """Set a rule; the username `*` means everyone."""
        with self._core.lock:
            self._core.accounts.grant(self._user(username), pattern, Permission.parse(permission))

    def set_account_extras(self, username: str, extras: Mapping[str, object]) -> None:
        """Add fields to the account document, such as `phone_numbers`, `billing`, `emails`."""
        with self._core.lock:
            self._user(username).extras = dict(extras)

    def set_limits(self, limits: Limits) -> None:
        """Use other limits from now on and forget what was counted."""
        with self._core.lock:
            self._core.set_limits(limits)

    # Looking

    @property
    def usernames(self) -> list[str]:
        """The accounts, without the one that stands for everyone."""
        with self._core.lock:
            return [u.name for u in self._core.accounts.listed() if u.name != EVERYONE]

    def grants(self, username: str = EVERYONE) -> dict[str, str]:
        """The rules of an account, or of everyone."""
        with self._core.lock:
            return {p: str(permission) for p, permission in self._user(username).grants.items()}

    def can_log_in(self, username: str, password: str) -> bool:
        """Whether the account exists and has this password."""
        with self._core.lock:
            user = self._core.accounts.find(username)
            return user is not None and user.password == password

    def cached(self, topic: str) -> list[JsonObject]:
        """Everything cached for a topic, scheduled messages and follow-up events included."""
        with self._core.lock:
            self._core.catch_up()
            rows = self._core.cache.read(topic, Since("time"), scheduled=True)
            return [message.as_json() for message in rows]

    def messages(self, topic: str) -> list[JsonObject]:
        """What a subscriber sees now: the newest revision of all that was not deleted."""
        with self._core.lock:
            self._core.catch_up()
            shown: dict[str, JsonObject] = {}
            for message in self._core.cache.read(topic, Since("time"), scheduled=False):
                sequence_id = message.sequence_id or message.id
                if message.event == "message":
                    shown[sequence_id] = message.as_json()
                elif message.event == "message_delete":
                    shown.pop(sequence_id, None)
            return list(shown.values())

    @property
    def open_streams(self) -> int:
        """How many streams are open."""
        with self._core.lock:
            return len(self._core.subscriptions)

    def press(self, topic: str, label: str) -> int:
        """Press a button of the newest message that has it, as a phone does; return the status."""
        return press(self.messages(topic), label)

    # Faults

    def cut_streams(self, *after_lines: int) -> None:
        """End each of the next streams after so many of its first lines."""
        with self._core.lock:
            self._core.cuts = list(after_lines)

    def break_streams(self) -> None:
        """Break every open stream off, as a network does."""
        with self._core.lock:
            for subscription in self._core.subscriptions:
                subscription.cut = True

    def respond_next(
        self,
        status: int = 200,
        body: bytes | str | JsonObject | list[object] = b"",
        *,
        headers: Mapping[str, str] | None = None,
        content_type: str = "application/json",
        method: str | None = None,
        path: str | None = None,
        times: int = 1,
        delay: float = 0.0,
        body_delay: float = 0.0,
        cut_after: int | None = None,
    ) -> None:
        """Give this answer to the next matching requests; `cut_after` bytes it breaks off."""
        if isinstance(body, str):
            body = body.encode()
        elif not isinstance(body, bytes):
            body = json.dumps(body).encode()
        reply = Reply(body, status, content_type, dict(headers or {}))
        self._script.add(Scripted(method, path, times, reply, delay, body_delay, cut_after))

    def fail_next(
        self, code: int, *, method: str | None = None, path: str | None = None, times: int = 1
    ) -> None:
        """Answer the next matching requests with one of ntfy's error codes."""
        error = NtfyError(code)
        self.respond_next(error.status, error.body(), method=method, path=path, times=times)

    def delay_next(
        self, seconds: float, *, method: str | None = None, path: str | None = None, times: int = 1
    ) -> None:
        """Answer the next matching requests honestly, but late."""
        self._script.add(Scripted(method, path, times, delay=seconds))

    def drop_next(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        times: int = 1,
        after_effect: bool = False,
    ) -> None:
        """Hang up instead of answering; with `after_effect` once the request was carried out."""
        drop = Scripted(method, path, times, drop="done" if after_effect else "unread")
        self._script.add(drop)

    def clear_script(self) -> None:
        """Forget the answers nobody fetched."""
        self._script.clear()

    @property
    def unused_script(self) -> int:
        """How many scripted answers nobody fetched."""
        return self._script.waiting

    def _date(self) -> str | None:
        return formatdate(self._core.now(), usegmt=True) if self.tells_time else None

    async def _handle(self, request: Request) -> Outcome:
        self.requests.append(request)
        scripted = self._script.take(request)
        if scripted is None:
            return self._answer(request)
        if scripted.delay:
            await asyncio.sleep(scripted.delay)
        if scripted.drop == "unread":
            return HangUp()
        if scripted.reply is not None:
            return Rough(scripted.reply, scripted.body_delay, scripted.cut_after)
        outcome = self._answer(request)
        return HangUp() if scripted.drop == "done" else outcome

    def _answer(self, request: Request) -> Reply | Stream:
        with self._core.lock:
            try:
                outcome = answer(self._core, Exchange(request))
            except NtfyError as error:
                outcome = Reply(error.body(), error.status)
            except NotModelledError:
                text = b"the stand-in does not model this route or option\n"
                outcome = Reply(text, 501, "text/plain; charset=utf-8")
        if isinstance(outcome, Reply):
            outcome.headers |= _CORS
        return outcome

    def _user(self, username: str) -> User:
        user = self._core.accounts.find(username)
        if user is None:
            raise KeyError(username)
        return user
