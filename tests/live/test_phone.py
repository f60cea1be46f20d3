"""A person is asked through a real ntfy server: shown whole, answered, told the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import cast

import httpx
import pytest

from mcp_approval.reach.channel import NotReached, Said, Shown, Unsafe
from mcp_approval.reach.notification import MESSAGE_BYTES
from mcp_approval.reach.ntfy_instance import PhoneSettings
from mcp_approval.reach.phone import Phone
from tests.approval.broker import KEY, PROCESS, until
from tests.backends.ntfy import JsonObject
from tests.live.ntfy_sites import Auth, Site, new_topic, real

pytestmark = pytest.mark.live("ntfy")

MESSAGE = "This will delete 1 notification.\n\n  *title*: `naïve` 漢字 \u2014 <b>"


@dataclass
class Stand:
    """A server on which nobody may do anything, and the three accounts."""

    site: Site
    ask: str
    answers: str
    server: Auth
    button: Auth
    anna: Auth
    server_name: str
    lines: list[str] = field(default_factory=list)

    @property
    def settings(self) -> PhoneSettings:
        url = str(self.site.client.base_url).rstrip("/")
        return PhoneSettings(url, self.ask, self.answers, self.server[1], self.button[1])

    def shown(self) -> list[JsonObject]:
        """What the person's phone was sent, oldest first."""
        return [one for one in self.site.poll(self.ask, self.anna) if one["event"] == "message"]

    async def tap(self, label: str) -> None:
        actions = cast("list[JsonObject]", self.shown()[-1]["actions"])
        [button] = [action for action in actions if action["label"] == label]
        async with httpx.AsyncClient(trust_env=False) as http:
            reply = await http.request(
                str(button["method"]),
                str(button["url"]),
                headers=cast("dict[str, str]", button["headers"]),
                content=str(button["body"]).encode(),
            )
        assert reply.status_code == 200, reply.text


def token_of(site: Site, login: Auth) -> Auth:
    reply = site.client.post("/v1/account/token", json={}, auth=login)
    return "", str(reply.json()["token"])


@pytest.fixture(scope="module")
def closed() -> Iterator[Site]:
    with real(options={"auth-default-access": "deny-all"}) as found:
        yield found


@pytest.fixture
def at(closed: Site) -> Stand:
    ask, answers = new_topic(), new_topic()
    users = [closed.new_user() for _ in range(3)]
    for (name, _), topic, right in (
        (users[0], ask, "write-only"),
        (users[0], answers, "read-only"),
        (users[1], answers, "write-only"),
        (users[2], ask, "read-only"),
    ):
        closed.grant(name, topic, right)
    server, button, anna = (token_of(closed, login) for login in users)
    return Stand(closed, ask, answers, server, button, anna, users[0][0])


@pytest.fixture
async def phone(at: Stand) -> AsyncIterator[Phone]:
    made = Phone(at.settings, "ntfy-mcp", PROCESS, KEY, at.lines.append)
    yield made
    await made.aclose()


def shown(message: str = MESSAGE, name: str = "q1") -> Shown:
    return Shown(name, "ntfy-mcp at ntfy.example: Delete it?", message, "ntfy-mcp", "anna", 0.0)


@pytest.mark.parametrize("verb", ["approve", "decline"])
async def test_the_question_arrives_whole_and_a_tap_is_heard(
    at: Stand, phone: Phone, verb: str
) -> None:
    heard: list[Said] = []
    await phone.put(shown(), heard.append)
    [notification] = at.shown()
    assert notification["message"] == MESSAGE
    assert notification["priority"] == 4
    await at.tap(verb.title())
    await until(lambda: heard)
    assert heard == [Said(verb, "capability")]  # type: ignore[arg-type]
    await phone.end("q1", "Declined. Nothing was changed.", final=True)
    last = at.shown()[-1]
    assert last["title"] == "ntfy-mcp: Declined. Nothing was changed."
    assert not last.get("actions")
    if at.site.version >= (2, 16):
        assert last["sequence_id"] == notification["sequence_id"] == "q1"


async def test_a_message_of_the_largest_size_arrives_whole(at: Stand, phone: Phone) -> None:
    message = "é" + "x" * (MESSAGE_BYTES - 2)
    await phone.put(shown(message), lambda _: None)
    assert at.shown()[0]["message"] == message


async def test_blanks_at_the_ends_are_noticed(at: Stand, phone: Phone) -> None:
    with pytest.raises(NotReached, match="did not arrive whole"):
        await phone.put(shown("  blanks around  "), lambda _: None)
    assert not at.shown()[-1].get("actions")


async def test_a_forged_answer_is_none(at: Stand, phone: Phone) -> None:
    heard: list[Said] = []
    await phone.put(shown(), heard.append)
    forged = f"v1.{PROCESS}.q1.approve." + "A" * 32
    async with httpx.AsyncClient(trust_env=False) as http:
        await http.post(
            f"{at.settings.url}/{at.answers}",
            headers={"authorization": f"Bearer {at.settings.button_token}"},
            content=forged.encode(),
        )
    await until(lambda: at.lines)
    assert at.lines[0].endswith("reason=forged")
    assert heard == []


@pytest.mark.parametrize(
    ("who", "what", "right", "told"),
    [
        ("server", "ask", "read-write", "the server's token can read the questions"),
        ("server", "answers", "read-write", "the server's token can write answers"),
        ("*", "ask", "read-only", "anybody can read the questions"),
        ("*", "answers", "write-only", "anybody can write answers"),
    ],
)
async def test_an_open_corner_takes_the_phone_out(
    at: Stand, phone: Phone, who: str, what: str, right: str, told: str
) -> None:
    name = at.server_name if who == "server" else who
    at.site.grant(name, getattr(at, what), right)
    with pytest.raises(Unsafe, match=f"the topics are not closed: {told}"):
        await phone.check()
    with pytest.raises(NotReached, match="the topics are not closed; see --check"):
        await phone.put(shown(), lambda _: None)
    assert told in at.lines[0]
    assert at.shown() == []


async def test_the_circle_closes(at: Stand, phone: Phone) -> None:
    assert await phone.check() == [
        "phone: the topics are closed, answers are heard, a test was sent"
    ]
    assert at.shown()[0]["message"] == "Nothing is asked."


async def test_what_was_said_while_the_line_was_down_is_heard(at: Stand, phone: Phone) -> None:
    heard: list[Said] = []
    await phone.put(shown(), heard.append)
    task = phone._listening._task
    assert task is not None
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await at.tap("Approve")
    phone._listening._task = asyncio.create_task(phone._listening._keep_listening())
    await until(lambda: heard)
    assert heard[0].verb == "approve"
