"""All four servers under the MCP Inspector's command line.

It declares no elicitation, so a guarded call must end with the token prompt, whatever era
it speaks; a server that asked it all the same would leave it hanging, which the bound of
each run turns into a failure.
"""

from __future__ import annotations

import json
import sys

import pytest

from tests.interop.clients import Done, run
from tests.interop.subjects import Subject
from tests.interop.tools import INSPECTOR, NODE

DONE, TOOL_ERROR = 0, 5
"""Exit codes of the Inspector."""

by_era = pytest.mark.parametrize("era", ["legacy", "auto", "modern"])


async def inspect(subject: Subject, era: str, *arguments: str, **environ: str) -> Done:
    settings = [f"{name}={value}" for name, value in {**subject.environ, **environ}.items()]
    return await run(
        [
            *(str(NODE), str(INSPECTOR), "--cli", sys.executable, "-m", subject.module),
            *(word for setting in settings for word in ("-e", setting)),
            *arguments,
            *("--protocol-era", era),
        ]
    )


async def call(subject: Subject, era: str, **environ: str) -> Done:
    tool, arguments = subject.guarded
    name = ("--method", "tools/call", "--tool-name", tool)
    return await inspect(subject, era, *name, "--tool-args-json", json.dumps(arguments), **environ)


@by_era
async def test_the_inspector_finds_no_fault_in_a_servers_schemas(
    subject: Subject, era: str
) -> None:
    listed = await inspect(subject, era, "--method", "tools/list", "--strict")
    assert listed.code == DONE, listed.stdout[-2000:] + listed.stderr[-2000:]
    assert len(json.loads(listed.stdout)["tools"]) == subject.tools


@by_era
async def test_the_inspector_gets_a_token_and_nothing_happens(subject: Subject, era: str) -> None:
    called = await call(subject, era)
    assert called.code == TOOL_ERROR, called.stdout[-2000:] + called.stderr[-2000:]
    assert "confirm_token=" in called.stdout
    assert "This client cannot show a dialog" in called.stdout
    assert subject.writes() == []


@by_era
async def test_it_gets_the_same_where_the_operator_switched_dialogs_off(
    subject: Subject, era: str
) -> None:
    called = await call(subject, era, ELICITATION="false")
    assert called.code == TOOL_ERROR, called.stdout[-2000:] + called.stderr[-2000:]
    assert "confirm_token=" in called.stdout
    assert "ELICITATION=false" in called.stdout
    assert subject.writes() == []
