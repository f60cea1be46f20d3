"""The example as a process of its own, over stdio."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.session import ElicitationFnT
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.library.servers import FRAMEWORKS, SDK, example_text
from tests.library.test_guard import yes
from tests.support.clients import ERAS, Era, call, text, token_in


@asynccontextmanager
async def process(
    folder: Path, framework: str, era: Era, answer: ElicitationFnT | None, **variables: str
) -> AsyncIterator[Client]:
    """Start the example and connect to it."""
    script = folder / "shop.py"
    script.write_text(example_text(framework), encoding="utf-8")
    environ = {"PYTHONPATH": os.environ.get("PYTHONPATH", ""), **variables}
    started = StdioServerParameters(command=sys.executable, args=[str(script)], env=environ)
    mode = "legacy" if era == "2025-11-25" else era
    client = Client(stdio_client(started), mode=mode, elicitation_callback=answer)
    async with client:
        yield client


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


def test_a_wrong_variable_ends_it_with_an_empty_stdout(tmp_path: Path) -> None:
    script = tmp_path / "shop.py"
    script.write_text(example_text(SDK), encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "ELICITATION": "perhaps", "APPROVAL_REACH": "pigeon"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.splitlines() == [
        "shop: ELICITATION: must be true or false, not a value of 7 characters",
        "shop: APPROVAL_REACH: entry 1 is none of phone, window",
    ]
