"""A person answers a question with a button, on an instance where nobody may do anything else."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import httpx
import pytest

from mcp_serverkit.runtime.cli import main
from mcp_serverkit.server import build_server
from ntfy_mcp.definition import NTFY
from tests.backends.ntfy import JsonObject, NtfyBackend
from tests.live.ntfy_sites import GENEROUS, KINDS, Auth, Site, code, new_topic, real, stand_in
from tests.support.clients import ERAS, Era, call, connect, structured
from tests.support.servers import values_of


@dataclass
class Stand:
    """The three accounts and the two topics."""

    site: Site
    question: str
    replies: str
    server: Auth
    person: Auth
    button: str

    @property
    def environ(self) -> dict[str, str]:
        """The settings of the server."""
        return {
            "NTFY_URL": str(self.site.client.base_url).rstrip("/"),
            "NTFY_USERNAME": self.server[0],
            "NTFY_PASSWORD": self.server[1],
            "NTFY_TOPICS": f"{self.question},{self.replies}",
            "NTFY_EXTRAS": "true",
            "NTFY_REPLY_TOPIC": self.replies,
            "NTFY_REPLY_TOKEN": self.button,
        }

    def wait_for_question(self, number: int) -> None:
        """Wait until so many questions were put, beside the loop that the server runs in."""
        while len(self.site.poll(self.question, self.person)) < number:
            time.sleep(0.1)

    def press(self, label: str) -> int:
        """What the person's phone does with the button of the newest question."""
        actions = cast(
            "list[JsonObject]", self.site.poll(self.question, self.person)[-1]["actions"]
        )
        [action] = [action for action in actions if action["label"] == label]
        return httpx.request(
            str(action["method"]),
            str(action["url"]),
            headers=cast("dict[str, str]", action["headers"]),
            content=str(action["body"]).encode(),
            trust_env=False,
        ).status_code


@pytest.fixture(scope="module", params=["stand-in", KINDS[-1]])
def closed(request: pytest.FixtureRequest) -> Iterator[Site]:
    """An instance on which nobody may do anything that is not granted."""
    with contextlib.ExitStack() as stack:
        if request.param == "real":
            yield stack.enter_context(real(options={"auth-default-access": "deny-all"}))
        else:
            backend = NtfyBackend(default_access="deny-all", limits=GENEROUS)
            yield stack.enter_context(stand_in(backend))


@pytest.fixture
def at(closed: Site) -> Stand:
    question, replies = new_topic(), new_topic()
    server, button, person = (closed.new_user() for _ in range(3))
    closed.grant(server[0], question, "read-write")
    closed.grant(server[0], replies, "read-only")
    closed.grant(button[0], replies, "write-only")
    closed.grant(person[0], question, "read-only")
    token = closed.request("POST", "/v1/account/token", button, {"expires": 0}).json()["token"]
    return Stand(closed, question, replies, server, person, str(token))


@pytest.mark.parametrize("era", ERAS)
async def test_a_pressed_button_is_the_answer(at: Stand, era: Era) -> None:
    given: dict[str, object] = {"question": "Größer?", "answers": ["Ja 🙂", "Nein"]}
    async with connect(build_server(NTFY, values_of(NTFY, at.environ)), era) as client:
        silence = structured(await call(client, "ask_person", {**given, "timeout_s": 1}))
        assert silence["timed_out"] is True
        assert await asyncio.to_thread(at.press, "Nein") == 200
        result = structured(await call(client, "ask_person", given))
        assert (result["answer"], result["joined"]) == ("Nein", True)
        shown = await call(client, "list_messages", {"since": "all"})
        assert at.button not in str(shown)
        assert "re-" not in str(shown)
        waiting = asyncio.create_task(call(client, "ask_person", given))
        await asyncio.to_thread(at.wait_for_question, 2)
        assert await asyncio.to_thread(at.press, "Ja 🙂") == 200
        assert structured(await waiting)["answer"] == "Ja 🙂"


def test_each_account_may_do_its_part_and_no_more(
    at: Stand, capsys: pytest.CaptureFixture[str]
) -> None:
    bearer = {"Authorization": f"Bearer {at.button}"}
    nobody = httpx.Auth()

    def refusal(topic: str, auth: httpx.Auth, headers: dict[str, str] | None = None) -> int:
        body = {"topic": topic, "message": "Yes"}
        answer = at.site.client.post("/", json=body, headers=headers, auth=auth)
        return 0 if answer.is_success else code(answer)

    assert refusal(at.replies, httpx.BasicAuth(*at.server)) == 40301
    assert refusal(at.replies, httpx.BasicAuth(*at.person)) == 40301
    assert refusal(at.replies, nobody) == 40301
    assert refusal(at.question, nobody, bearer) == 40301
    assert refusal(at.replies, nobody, bearer) == 0
    assert code(at.site.client.get(f"/{at.replies}/auth", headers=bearer)) == 40301
    assert main(NTFY, ["--check"], at.environ) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-3:] == [
        "topic 1 may be read",
        "topic 2 may be read",
        "answers of people can be heard",
    ]
    assert at.question not in out
    assert at.replies not in out
