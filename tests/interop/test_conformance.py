"""The official conformance suite against a fixture on the approval package and the kit."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.interop.clients import PATIENCE_SECONDS, environment, run
from tests.interop.tools import CONFORMANCE, HERE, NODE

SCENARIO_MILLISECONDS = 30_000


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """The address of the fixture, as a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.interop.conformance_server"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment(),
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            line = await process.stdout.readline()
        assert line.startswith(b"http://127.0.0.1:"), line
        yield line.decode().strip()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_the_conformance_suite_finds_what_is_expected_and_nothing_else(
    url: str, revision: str, tmp_path: Path
) -> None:
    done = await run(
        [
            *(str(NODE), str(CONFORMANCE), "server", "--url", url),
            *("--requirements", revision, "--timeout", str(SCENARIO_MILLISECONDS)),
            *("--expected-failures", str(HERE / f"expected-{revision}.yml")),
            *("--output-dir", str(tmp_path)),
        ]
    )
    summary = done.stdout.partition("=== SUMMARY ===")[2]
    assert done.code == 0, summary + done.stderr
    assert "✓ tools-list" in summary
