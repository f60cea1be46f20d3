"""The demo of a person who is asked by phone, from a client that shows no dialog."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import mcp_types as types
from mcp import Client

from demo.handset import Handset, Notification, handset
from demo.stage import Person, client, heading, say, show_result
from tests.approval.broker import ANSWERS, ASK, Broker, broker

LONG_SECONDS = 600
"""As long as a call may wait: somebody at a terminal takes their time."""

TOOL, TOPIC = "delete_messages", "alerts"
NOTIFICATIONS = ("nightly", "weekly", "monthly", "yearly")


class Play(NamedTuple):
    """Who takes part.

    Attributes:
        at: The instance, with the accounts of those who ask, answer and are asked.
        login: What the server itself uses ntfy with.
        phone: The phone of who is asked.
        person: Who holds it.
        record: Where decisions are recorded.
    """

    at: Broker
    login: str
    phone: Handset
    person: Person
    record: Path

    def client(self, era: str, wait: int) -> AbstractAsyncContextManager[Client]:
        """Start ntfy-mcp, whose calls wait so many seconds for a person."""
        environ: Mapping[str, str] = {
            "NTFY_URL": self.at.backend.url,
            "NTFY_TOKEN": self.login,
            "APPROVAL_RECORD": str(self.record),
            **self.at.environ(wait),
        }
        return client("ntfy_mcp", environ, era, None)

    async def settle(
        self,
        calling: asyncio.Task[types.CallToolResult],
        question: Notification,
        *,
        declines: bool = False,
    ) -> None:
        """Let the person answer while the call waits, and show what came of it."""
        self.person.decline_next = declines
        await self.phone.answer(question)
        show_result(await calling)
        await self.phone.notified()


async def demo() -> None:
    person = Person()
    with broker() as at, tempfile.TemporaryDirectory() as folder:
        at.backend.add_user("ops", "ops-password", "admin")
        login, record = at.backend.add_token("ops"), Path(folder) / "approvals.jsonl"
        _fill(at.backend.url, login)
        async with handset(at.backend.url, ASK, at.anna, person) as phone:
            play = Play(at, login, phone, person, record)
            await _while_the_call_waits(play, "2025-11-25")
            await _after_the_call(play, "2026-07-28")
            await _without_the_person(play, "2026-07-28")
        _show_record(record, phone.head)


def _fill(url: str, login: str) -> None:
    for name in NOTIFICATIONS:
        document = {"topic": TOPIC, "sequence_id": name, "message": f"The {name} backup is done."}
        headers = {"Authorization": f"Bearer {login}"}
        httpx.post(url, json=document, headers=headers, trust_env=False).raise_for_status()


async def _while_the_call_waits(play: Play, era: str) -> None:
    heading(f"A client without dialogs ({era})")
    async with play.client(era, LONG_SECONDS) as connected:
        for name, declines in (("nightly", False), ("weekly", True)):
            say(f"\n{TOOL}: the call waits while anna is asked by phone")
            async with under_way(connected, name) as calling:
                question = await play.phone.notified()
                await play.settle(calling, question, declines=declines)


async def _after_the_call(play: Play, era: str) -> None:
    heading(f"A call that waits for nobody ({era})")
    async with play.client(era, 0) as connected:
        show_result(await connected.call_tool(TOOL, deletion("monthly")))
        question = await play.phone.notified()
        say("\nlater, when the call is long over, anna looks at it")
        await play.phone.answer(question)
        await play.phone.notified()
        say("\nthe same call again")
        repeated = await connected.call_tool(TOOL, deletion("monthly"))
        show_result(repeated)
        if not repeated.is_error:
            await play.phone.notified()


async def _without_the_person(play: Play, era: str) -> None:
    heading("A client that takes its call back")
    async with play.client(era, LONG_SECONDS) as connected:
        async with under_way(connected, "yearly"):
            await play.phone.notified()
            say("the client cancels the call")
        await play.phone.notified()
        heading("A model that tries to approve its own call")
        say(
            "The login of this server is an administrator's, so ntfy would let it read and write "
            "every topic: only the server stands between."
        )
        async with under_way(connected, "yearly") as calling:
            question = await play.phone.notified()
            say("\nlist_messages, to read what Approve sends")
            show_result(await connected.call_tool("list_messages", {"topics": [ASK]}))
            say("\npublish_message of what Approve sends, as if it had been read")
            stolen = {"topics": [ANSWERS], "message": question["actions"][0]["body"]}
            show_result(await connected.call_tool("publish_message", stolen))
            say("\nthe question still waits for anna")
            await play.settle(calling, question)


def _show_record(record: Path, head: str) -> None:
    heading("The record, and the head that the phone was told")
    for command in (["show", record.name], ["verify", record.name, "--head", head]):
        say(f"\nmcp-approval {' '.join(command)}")
        done = subprocess.run(
            [sys.executable, "-m", "mcp_approval", *command],
            cwd=record.parent,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
        say(done.stdout, indent="     ")


def deletion(name: str) -> dict[str, object]:
    """The arguments by which one notification is deleted."""
    return {"topic": TOPIC, "sequence_ids": [name]}


@asynccontextmanager
async def under_way(
    connected: Client, name: str
) -> AsyncIterator[asyncio.Task[types.CallToolResult]]:
    """Make a call that lasts no longer than the scene."""
    calling = asyncio.create_task(connected.call_tool(TOOL, deletion(name)))
    try:
        yield calling
    finally:
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
