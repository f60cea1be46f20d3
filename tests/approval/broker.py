"""The ntfy instance by which a person is asked, and the phone in that person's hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

import httpx

from mcp_approval.reach.ntfy_instance import PhoneSettings
from mcp_approval.reach.phone import Phone
from tests.backends.ntfy import NtfyBackend

ASK, ANSWERS = "ask-anna-8f2k", "answers-anna-8f2k"

CORNERS = (
    ("server", ASK, "read-write", "the server's token can read the questions"),
    ("server", ANSWERS, "read-write", "the server's token can write answers"),
    ("*", ASK, "read-only", "anybody can read the questions"),
    ("*", ANSWERS, "write-only", "anybody can write answers"),
)
"""Who has which right too many on which topic, and how that is told."""

KEY = b"k" * 32
PROCESS = "9f2c1d3e"


class Broker:
    """Three accounts, each with the one right that it needs."""

    def __init__(self, backend: NtfyBackend) -> None:
        self.backend = backend
        for name in ("server", "button", "anna"):
            backend.add_user(name, f"{name}-password")
        backend.grant("server", ASK, "write-only")
        backend.grant("server", ANSWERS, "read-only")
        backend.grant("button", ANSWERS, "write-only")
        backend.grant("anna", ASK, "read-only")
        self.server, self.button, self.anna = (
            backend.add_token(name) for name in ("server", "button", "anna")
        )

    @property
    def settings(self) -> PhoneSettings:
        return PhoneSettings(self.backend.url, ASK, ANSWERS, self.server, self.button)

    def environ(self, wait: int) -> dict[str, str]:
        """What the operator of a server sets to have anna asked, for this many seconds a call."""
        return {
            "APPROVAL_REACH": "phone",
            "APPROVAL_APPROVER": "anna",
            "APPROVAL_WAIT_SECONDS": str(wait),
            "APPROVAL_NTFY_URL": self.backend.url,
            "APPROVAL_NTFY_ASK_TOPIC": ASK,
            "APPROVAL_NTFY_ANSWER_TOPIC": ANSWERS,
            "APPROVAL_NTFY_TOKEN": self.server,
            "APPROVAL_NTFY_BUTTON_TOKEN": self.button,
        }

    def phone(self, log: list[str] | None = None, **options: object) -> Phone:
        lines = [] if log is None else log
        return Phone(self.settings, "ntfy-mcp", PROCESS, KEY, lines.append, **options)  # type: ignore[arg-type]

    def shown(self) -> list[dict[str, object]]:
        """The notifications as the phone draws them now."""
        return list(self.backend.messages(ASK))

    def buttons(self, number: int = -1) -> dict[str, dict[str, object]]:
        actions = cast("list[dict[str, object]]", self.shown()[number].get("actions") or [])
        return {str(action["label"]): action for action in actions}

    async def tap(self, label: str, number: int = -1) -> int:
        button = self.buttons(number)[label]
        async with httpx.AsyncClient(trust_env=False, verify=False) as http:
            reply = await http.request(
                str(button["method"]),
                str(button["url"]),
                headers=cast("dict[str, str]", button["headers"]),
                content=str(button["body"]).encode(),
            )
        return reply.status_code

    async def say(self, answer: str) -> None:
        """Send any text as an answer, with the button's login."""
        async with httpx.AsyncClient(trust_env=False, verify=False) as http:
            await http.post(
                f"{self.backend.url}/{ANSWERS}",
                headers={"authorization": f"Bearer {self.button}"},
                content=answer.encode(),
            )


@contextmanager
def broker(version: str = "2.27.0") -> Iterator[Broker]:
    with NtfyBackend(version, default_access="deny-all", keepalive_seconds=0.05) as backend:
        yield Broker(backend)


async def until(condition: Callable[[], object]) -> None:
    """Wait until something is so; the test's own time limit ends a wait in vain."""
    while not condition():  # noqa: ASYNC110 (nothing tells of it)
        await asyncio.sleep(0.01)
