"""The topics are closed to all who must not use them, or nobody is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

import pytest

from mcp_approval.reach.channel import NotReached, Unsafe
from mcp_approval.reach.ntfy_instance import PhoneSettings
from mcp_approval.reach.phone import Phone
from tests.approval.broker import ANSWERS, ASK, CORNERS, KEY, Broker, broker
from tests.approval.test_reach_phone import shown

Headers = Mapping[str, str]


@pytest.fixture
def at() -> Iterator[Broker]:
    with broker() as found:
        yield found


@pytest.fixture
def log() -> list[str]:
    return []


@pytest.fixture
async def phone(at: Broker, log: list[str]) -> AsyncIterator[Phone]:
    made = at.phone(log)
    yield made
    await made.aclose()


@pytest.mark.requirement("A-12")
@pytest.mark.parametrize(
    ("who", "topic", "right", "told"),
    CORNERS,
)
async def test_an_open_corner_takes_the_channel_out(
    at: Broker, phone: Phone, log: list[str], who: str, topic: str, right: str, told: str
) -> None:
    before = at.backend.grants(who).get(topic)
    at.backend.grant(who, topic, right)
    with pytest.raises(NotReached, match="the topics are not closed"):
        await phone.put(shown(), lambda _: None)
    assert told in log[0]
    with pytest.raises(Unsafe, match=f"the topics are not closed: {told}"):
        await phone.check()
    assert at.shown() == []
    at.backend.grant(who, topic, before or "deny")
    await phone.put(shown(), lambda _: None)
    assert len(at.shown()) == 1


@pytest.mark.requirement("A-12")
async def test_a_corner_that_is_open_is_said_though_the_next_cannot_be_tried(
    at: Broker, phone: Phone, log: list[str]
) -> None:
    at.backend.grant("server", ASK, "read-write")
    at.backend.drop_next(path=f"/{ANSWERS}", method="POST")
    with pytest.raises(NotReached, match="the topics are not closed"):
        await phone.put(shown(), lambda _: None)
    assert log == [
        'decision=unreached way=phone reason="the server\'s token can read the questions"'
    ]


@pytest.mark.requirement("A-12")
async def test_corners_are_tried_again_after_ten_minutes_and_after_a_refusal(at: Broker) -> None:
    now = [0.0]
    phone = at.phone(clock=lambda: now[0])

    def tried() -> int:
        return sum(request.path == f"/{ASK}/auth" for request in at.backend.requests)

    await phone.put(shown(), lambda _: None)
    await phone.put(shown(name="q2"), lambda _: None)
    assert tried() == 2
    now[0] = 600.0
    await phone.put(shown(name="q3"), lambda _: None)
    assert tried() == 4
    at.backend.respond_next(403, {"code": 40301}, path="/", method="POST")
    with pytest.raises(NotReached, match="HTTP 403"):
        await phone.put(shown(name="q4"), lambda _: None)
    await phone.put(shown(name="q5"), lambda _: None)
    assert tried() == 6
    await phone.aclose()


async def test_a_check_hears_itself_and_asks_nothing(at: Broker, phone: Phone) -> None:
    assert await phone.check() == [
        "phone: the topics are closed, answers are heard, a test was sent"
    ]
    [test] = at.shown()
    assert (test["title"], test["message"], test["priority"]) == (
        "ntfy-mcp: test",
        "Nothing is asked.",
        1,
    )
    assert not test.get("actions")


async def test_a_check_says_when_the_buttons_cannot_answer(at: Broker, phone: Phone) -> None:
    at.backend.grant("button", ANSWERS, "deny")
    with pytest.raises(Unsafe, match="the buttons' token cannot write answers"):
        await phone.check()
    assert at.shown() == []


async def test_a_check_says_when_nothing_comes_back(at: Broker, phone: Phone) -> None:
    phone.check_seconds = 0.0
    send = phone._instance.request

    async def swallow(method: str, path: str, headers: Headers, body: bytes) -> tuple[int, bytes]:
        by_button = at.button in headers.get("authorization", "")
        return (200, b"") if by_button else await send(method, path, headers, body)

    phone._instance.request = swallow  # type: ignore[method-assign, assignment]
    with pytest.raises(Unsafe, match="answers cannot be heard"):
        await phone.check()
    assert at.shown() == []


async def test_a_file_that_holds_no_authority_reaches_nobody(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    path.write_text("no certificate", encoding="utf-8")
    settings = PhoneSettings("https://ntfy.example", ASK, ANSWERS, "t1", "t2", str(path))
    log: list[str] = []
    phone = Phone(settings, "ntfy-mcp", "9f2c1d3e", KEY, log.append)
    with pytest.raises(NotReached, match="ntfy could not be reached"):
        await phone.put(shown(), lambda _: None)
    assert "ntfy could not be reached" in log[0]


async def test_a_proxy_that_cannot_be_used_reaches_nobody(
    monkeypatch: pytest.MonkeyPatch, log: list[str]
) -> None:
    for name in ("NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "socks5://user:secret@proxy.example")
    settings = PhoneSettings("https://ntfy.example", ASK, ANSWERS, "tk_server", "tk_button")
    phone = Phone(settings, "ntfy-mcp", "9f2c1d3e", KEY, log.append)
    with pytest.raises(NotReached, match="HTTPS_PROXY holds no"):
        await phone.put(shown(), lambda _: None)
    assert "HTTPS_PROXY holds no http:// or https:// proxy" in log[0]
    assert "secret" not in " ".join(log)
