"""A pretend phone: it knows its login, one topic, and what each notification brings along."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypedDict

import httpx

from demo.stage import Person, say, show_box


class Button(TypedDict):
    """What a tap sends."""

    label: str
    method: str
    url: str
    headers: dict[str, str]
    body: str


class Notification(TypedDict, total=False):
    """What ntfy hands to a phone."""

    event: str
    title: str
    message: str
    actions: list[Button]


class Handset:
    """The phone in somebody's hand.

    Attributes:
        head: The newest head of the record that the phone was told.
    """

    def __init__(self, http: httpx.AsyncClient, lines: AsyncIterator[str], person: Person) -> None:
        self.head = ""
        self._http = http
        self._lines = lines
        self._person = person

    async def notified(self) -> Notification:
        """Wait for the next notification, and draw it."""
        received: Notification = {"event": ""}
        while received["event"] != "message":
            received = json.loads(await anext(self._lines))
        buttons = received.get("actions", [])
        row = "  ".join(f"[{number}] {each['label']}" for number, each in enumerate(buttons, 1))
        say("the phone rings:" if buttons else "on the phone it now says:")
        show_box(
            received["title"], "", *received["message"].splitlines(), *(["", row] * (row > ""))
        )
        self.head = received["message"].partition(" record ")[2] or self.head
        return received

    async def answer(self, question: Notification) -> None:
        """Let the person tap one of the buttons."""
        approves = await self._person.agrees("Tap 1 or 2: ", frozenset("1"))
        wanted = "Approve" if approves else "Decline"
        (button,) = [each for each in question["actions"] if each["label"] == wanted]
        reply = await self._http.request(
            button["method"], button["url"], headers=button["headers"], content=button["body"]
        )
        reply.raise_for_status()


@asynccontextmanager
async def handset(url: str, topic: str, token: str, person: Person) -> AsyncIterator[Handset]:
    """Log in and subscribe, as the phone's app does."""
    # The instance is on this machine, and the stream is quiet while nobody is asked.
    async with (
        httpx.AsyncClient(trust_env=False, timeout=None) as http,
        http.stream(
            "GET", f"{url}/{topic}/json", headers={"Authorization": f"Bearer {token}"}
        ) as stream,
    ):
        stream.raise_for_status()
        yield Handset(http, stream.aiter_lines(), person)
