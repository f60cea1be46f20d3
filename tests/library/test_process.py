"""The example as a process of its own, over stdio."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from mcp import Client
from mcp.client.session import ElicitationFnT
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server import Server

from tests.library.servers import FRAMEWORKS, SDK, example_text
from tests.library.test_guard import yes
from tests.support import clients
from tests.support.clients import ERAS, Era, call, text, token_in
from tests.support.personas import PERSONAS, Persona, play
from tests.support.recorded import environ


def command(folder: Path, framework: str, **variables: str) -> StdioServerParameters:
    """How the example is started."""
    script = folder / "shop.py"
    script.write_text(example_text(framework), encoding="utf-8")
    environ = {"PYTHONPATH": os.environ.get("PYTHONPATH", ""), **variables}
    return StdioServerParameters(command=sys.executable, args=[str(script)], env=environ)


@asynccontextmanager
async def process(
    folder: Path, framework: str, era: Era, answer: ElicitationFnT | None, **variables: str
) -> AsyncIterator[Client]:
    """Start the example and connect to it."""
    started = command(folder, framework, **variables)
    mode = "legacy" if era == "2025-11-25" else era
    client = Client(stdio_client(started), mode=mode, elicitation_callback=answer)
    async with client:
        yield client


ANSWERING = [
    persona
    for persona in PERSONAS
    if persona.name in {"accepts", "declines", 'accepts with "true"', "declares nothing"}
]
"""One of each kind; the rest play in this process, where many reach into the server."""


@pytest.mark.requirement("L-12")
@pytest.mark.parametrize("persona", ANSWERING, ids=lambda persona: persona.name)
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_only_a_yes_deletes_over_stdio_too(
    framework: str, era: Era, persona: Persona, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "record.jsonl"
    started = command(tmp_path, framework, **environ(record))
    monkeypatch.setattr(clients, "reached", lambda _: stdio_client(started))
    nobody = cast("Server[object]", None)
    arguments = {"branch": "a-branch-of-nobody-else"}
    results = await play(persona, nobody, era, "delete_branch", arguments, record)
    done = [text(result) for result in results if not result.is_error]
    assert done == ["deleted a-branch-of-nobody-else"] * persona.approves


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_it_lists_asks_and_acts(framework: str, era: Era, tmp_path: Path) -> None:
    async with process(tmp_path, framework, era, yes) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["delete_branch"]
        assert text(await call(client, "delete_branch", {"branch": "main"})) == "deleted main"
    async with process(tmp_path, framework, era, None) as client:
        token = token_in(await call(client, "delete_branch", {"branch": "main"}))
        arguments = {"branch": "main", "confirm_token": token}
        assert text(await call(client, "delete_branch", arguments)) == "deleted main"


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_record_needs_no_line_of_the_author(framework: str, tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with process(
        tmp_path, framework, "2026-07-28", yes, APPROVAL_RECORD=str(record)
    ) as client:
        await call(client, "delete_branch", {"branch": "main"})
    kept = record.read_text(encoding="utf-8")
    assert [word for word in ("asked", "approved", "done") if f'"{word}"' in kept] == [
        "asked",
        "approved",
        "done",
    ]


WRONG = {
    "ELICITATION": "perhaps",
    "APPROVAL_REACH": "phone",
    "APPROVAL_REACH_WHEN": "never",
    "APPROVAL_APPROVER": "anna\u202e",
    "APPROVAL_WAIT_SECONDS": "601",
    "APPROVAL_EXPIRES_SECONDS": "59",
    "APPROVAL_NTFY_URL": "no url",
    "APPROVAL_NTFY_ASK_TOPIC": "ask here",
    "APPROVAL_NTFY_ANSWER_TOPIC": "answer/here",
    "APPROVAL_NTFY_TOKEN": "tk_of_nobody\u202e",
    "APPROVAL_NTFY_BUTTON_TOKEN": "tk_either\n2",
    "APPROVAL_NTFY_CA_FILE": "/no-such-file-8f2k",
    "APPROVAL_RECORD": "record.jsonl",
}
"""A value of each kind that nobody may mean, all at once."""


def started_with(folder: Path, framework: str, variables: Mapping[str, str]) -> tuple[int, str]:
    """Code and stderr of an example that ends at once; its stdout is empty."""
    ended = subprocess.run(
        [sys.executable, *command(folder, framework).args],
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stdout == ""
    return ended.returncode, ended.stderr


@pytest.mark.requirement("L-2")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_each_wrong_variable_ends_it_and_all_are_told_at_once(
    framework: str, tmp_path: Path
) -> None:
    code, said = started_with(tmp_path, framework, WRONG)
    assert code == 1
    lines = said.splitlines()
    told = [line.removeprefix("shop: ").partition(":")[0] for line in lines]
    assert sorted(told) == sorted(WRONG.keys() - {"APPROVAL_REACH"}), said
    for value in WRONG.values():
        assert len(value) < 7 or value not in said


@pytest.mark.parametrize("name", ["APPROVAL_RECORDD", "APPROVAL_REACHH", "approval_record"])
def test_a_mistyped_name_that_somebody_relies_on_ends_it(name: str, tmp_path: Path) -> None:
    code, said = started_with(tmp_path, SDK, {name: str(tmp_path / "record.jsonl")})
    assert code == 1
    assert said.startswith(f"shop: {name}: is no variable of this server; did you mean APPROVAL_")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_is_wrong_together_ends_it_too(framework: str, tmp_path: Path) -> None:
    together = {
        "ELICITATION": "false",
        "APPROVAL_REACH": "phone",
        "APPROVAL_WAIT_SECONDS": "100",
        "APPROVAL_EXPIRES_SECONDS": "60",
        "APPROVAL_RECORD": str(tmp_path / "no" / "record.jsonl"),
    }
    code, said = started_with(tmp_path, framework, together)
    assert code == 1
    needed = ("URL", "ASK_TOPIC", "ANSWER_TOPIC", "TOKEN", "BUTTON_TOKEN")
    assert sorted(said.splitlines()) == sorted(
        [
            *(f"shop: APPROVAL_NTFY_{name}: is needed to ask by phone" for name in needed),
            "shop: APPROVAL_WAIT_SECONDS: is above APPROVAL_EXPIRES_SECONDS",
            "shop: APPROVAL_RECORD: lies in a folder that is not there",
            "shop: ELICITATION: false asks nobody, and APPROVAL_REACH asks outside the client; "
            "unset one of them",
        ]
    )
