"""A server whose operator named a channel, and a person at its other end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from mcp import Client
from mcp.server import Server

from mcp_approval.approver import Approver
from mcp_approval.environment.settings import read_settings
from mcp_approval.reach import loading
from mcp_approval.reach.channel import NotReached, Said, Shown, Verb
from mcp_approval.reach.setting import Setting
from mcp_serverkit.server import build_server
from tests.approval.fixture_server import SHOP, Shop
from tests.support.clients import Era, connect
from tests.support.time import FakeClock


@dataclass
class Scripted:
    """A channel in this process.

    Attributes:
        word: Its word among the settings.
        refuses: Why it shows nothing, if it does not.
        reply: What is answered at once.
        shown: What it was given, in order.
        ended: What it was told of each end: question, words, whether final.
    """

    word: str = "window"
    refuses: str = ""
    reply: Verb | None = None
    shown: list[Shown] = field(default_factory=list)
    ended: list[tuple[str, str, bool]] = field(default_factory=list)
    heard: dict[str, Callable[[Said], None]] = field(default_factory=dict)
    closed: bool = False

    @property
    def how(self) -> str:
        return {"window": "in a window", "phone": "by phone"}[self.word]

    async def put(self, shown: Shown, heard: Callable[[Said], None]) -> None:
        if self.refuses:
            raise NotReached(self.refuses)
        self.shown.append(shown)
        self.heard[shown.question] = heard
        if self.reply is not None:
            self.say(self.reply)

    def say(self, verb: Verb, number: int = -1) -> None:
        self.heard[self.shown[number].question](Said(verb, self.word))

    async def end(self, question: str, words: str, *, final: bool) -> None:
        self.ended.append((question, words, final))

    async def check(self) -> list[str]:
        if self.refuses:
            raise NotReached(self.refuses)
        return [f"{self.word}: works"]

    async def aclose(self) -> None:
        self.closed = True

    @property
    def words(self) -> list[str]:
        return [words for _, words, _ in self.ended]


@dataclass
class Stand:
    """A server, its upstream, its clocks, its log, and its channels."""

    shop: Shop
    approver: Approver
    clock: FakeClock
    lines: list[str]
    channels: dict[str, Scripted]

    @property
    def window(self) -> Scripted:
        return self.channels["window"]

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)

    def server(self) -> Server[object]:
        values = read_settings(SHOP.variables, SHOP.prefix, {}).values
        return build_server(SHOP, values, app=self.shop, approver=self.approver)

    @asynccontextmanager
    async def client(self, era: Era, **options: object) -> AsyncIterator[Client]:
        async with connect(self.server(), era, **options) as client:  # type: ignore[arg-type]
            yield client


def stand(monkeypatch: pytest.MonkeyPatch, **environ: str) -> Stand:
    """Make a stand whose operator set these variables."""
    given = {"APPROVAL_REACH": "window", "APPROVAL_WAIT_SECONDS": "0", **environ}
    reading = read_settings(SHOP.variables, SHOP.prefix, dict(given))
    assert reading.problems == []
    channels = {word: Scripted(word) for word in ("window", "phone")}

    def open_scripted(setting: Setting) -> Scripted:
        assert setting.key
        return next(waiting)

    words = reading.values["approval_reach"]
    assert isinstance(words, tuple)
    waiting = iter([channels[word] for word in words])
    monkeypatch.setattr("tests.approval.outside.opened", open_scripted)
    monkeypatch.setattr(
        loading, "CHANNELS", dict.fromkeys(channels, "tests.approval.outside:opened")
    )
    lines: list[str] = []
    clock = FakeClock()
    approver = Approver(
        SHOP.name,
        instance="shop.example.org",
        clock=clock,
        wall=lambda: 1_796_000_000.0 + clock(),
        log=lines.append,
        settings={k: v for k, v in reading.values.items() if k.startswith("approval_")},
    )
    return Stand(Shop(), approver, clock, lines, channels)


def opened(_setting: Setting) -> Scripted:
    raise AssertionError("replaced by each stand")


async def settle() -> None:
    """Let what was started in the background run."""
    for _ in range(20):
        await asyncio.sleep(0)


class Slow(Scripted):
    """A channel that shows nothing, and tells its first end not, before it may."""

    def __init__(self) -> None:
        super().__init__("window")
        self.may_show, self.may_end = asyncio.Event(), asyncio.Event()
        self.putting = self.ending = 0

    async def put(self, shown: Shown, heard: Callable[[Said], None]) -> None:
        self.putting += 1
        await self.may_show.wait()
        await super().put(shown, heard)

    async def end(self, question: str, words: str, *, final: bool) -> None:
        self.ending += 1
        if self.ending == 1:
            await self.may_end.wait()
        await super().end(question, words, final=final)


def slowly(monkeypatch: pytest.MonkeyPatch, **environ: str) -> tuple[Stand, Slow]:
    at, slow = stand(monkeypatch, **environ), Slow()
    monkeypatch.setattr("tests.approval.outside.opened", lambda _: slow)
    at.channels["window"] = slow
    return at, slow
