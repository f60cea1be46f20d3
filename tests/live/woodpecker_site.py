"""A real instance as fixtures, and repositories whose pipelines do what a test needs."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import cast

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Json
from tests.live.fake_forge import ForgeRepo
from tests.live.woodpecker_server import (
    ADMIN,
    RealWoodpecker,
    patiently,
    real_woodpecker,
)
from tests.support.clients import Result, text
from tests.woodpecker.conftest import server_of
from tests.woodpecker.support import answered, result

__all__ = ["real", "repo", "repo_id", "server"]

STEP = """
skip_clone: true
steps:
  - name: {name}
    image: sh
    commands:
{commands}
"""
COUNTING = ("seq 1 5000 | sed 's/^/line /'", "exit 3")
_OUTPUT = base64.b64encode(b"10%\r50%\r100% done\n\x1b[32mgreen\x1b[0m\n").decode()
BAR = (f"echo {_OUTPUT} | base64 -d",)
"""A progress bar and a colour; the server itself would act on a backslash or a dollar sign."""


def pipeline(name: str, *commands: str, when: str = "") -> dict[str, str]:
    """The files of a repository whose pipeline runs some commands."""
    lines = "\n".join(f"      - {command!r}" for command in commands)
    return {".woodpecker.yaml": when + STEP.format(name=name, commands=lines)}


FILES: dict[str, dict[str, str]] = {
    "main": pipeline("hello", *BAR),
    "failing": pipeline("count", *COUNTING),
    "slow": pipeline("sleep", "sleep 60"),
    "filtered": pipeline("never", "true", when="when:\n  - event: tag\n"),
    "broken": {".woodpecker.yaml": "steps: [\n"},
    "empty": {"README.md": "nothing here"},
}


@pytest.fixture(scope="module")
def real() -> Iterator[RealWoodpecker]:
    with real_woodpecker() as running:
        yield running


@pytest.fixture
def repo(real: RealWoodpecker, request: pytest.FixtureRequest) -> ForgeRepo:
    """A repository of this test's own, with a branch for each kind of pipeline."""
    made = real.forge.add_repo(ADMIN, f"repo-{len(real.forge.repos)}")
    for branch, files in FILES.items():
        made.push(branch, files)
    return made


@pytest.fixture
def repo_id(real: RealWoodpecker, repo: ForgeRepo) -> int:
    return real.activate(repo)


@pytest.fixture
def server(real: RealWoodpecker) -> Server[object]:
    return server_of({"WOODPECKER_URL": real.url, "WOODPECKER_TOKEN": real.tokens[ADMIN]})


async def started(server: Server[object], repo_id: int, branch: str) -> int:
    made = await result(server, "trigger_pipeline", repo_id=repo_id, branch=branch)
    assert made["started"] is True, made
    return int(cast("Json", made["pipeline"])["number"])  # type: ignore[call-overload,no-any-return]


async def log_when_it_arrived(
    server: Server[object], real: RealWoodpecker, repo_id: int, number: int, lines: int
) -> int:
    """Wait for a step's log, which may come after the step has ended; returns the step."""
    document = real.request("GET", f"/repos/{repo_id}/pipelines/{number}").json()
    step = int(document["workflows"][0]["children"][0]["id"])

    def arrived() -> Json | None:
        found = real.request("GET", f"/repos/{repo_id}/logs/{number}/{step}").json()
        return {"lines": len(found)} if found and len(found) >= lines else None

    patiently(arrived, "the log")
    return step


async def failed(server: Server[object], tool: str, arguments: Json) -> str:
    called: Result
    called, _ = await answered(server, tool, arguments)
    assert called.is_error
    return text(called)
