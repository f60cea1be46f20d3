"""All four servers under the MCP Inspector's command line, and what `make inspect` shows."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.interop.clients import Done
from tests.interop.inspector import ERAS, HUNG, METHODS, TOOL_ERROR, inspect, judged, main
from tests.interop.subjects import SUBJECTS, Subject, ntfy


@pytest.mark.requirement("F-19")
@pytest.mark.parametrize("name", sorted(SUBJECTS))
def test_all_that_it_printed_is_shown_and_each_run_went_as_it_must(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([name])
    shown, _, verdicts = capsys.readouterr().out.rpartition("\n\n")
    assert code == 0, (shown[-2000:], verdicts)
    for printed in ('"instructions": ', '"inputSchema": ', "tool_is_error"):
        assert printed in shown
    assert shown.count("This client cannot show a dialog") == len(ERAS)
    assert [line.split()[:3] for line in verdicts.splitlines()] == [
        ["ok", era, method] for era in ERAS for method in METHODS
    ]


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_gets_the_same_where_the_operator_switched_dialogs_off(
    subject: Subject, era: str
) -> None:
    done = await inspect(subject, "tools/call", era, ELICITATION="false")
    good, found = judged(subject, "tools/call", done)
    assert good, (found, done)
    assert "ELICITATION=false" in done.stdout


@pytest.mark.requirement("F-19")
@pytest.mark.parametrize(
    ("method", "done", "found"),
    [
        ("initialize", HUNG, "it ended with code -1, not 0"),
        ("tools/list", Done(6, "", ""), "it ended with code 6, not 0"),
        ("tools/list", Done(0, '{"tools": []}', ""), "0 tools, not 13"),
        ("tools/call", Done(0, "", ""), "it ended with code 0, not 5"),
        ("tools/call", Done(TOOL_ERROR, "Declined.", ""), "no token was given"),
    ],
)
async def test_a_run_of_ntfy_that_went_wrong_is_told(method: str, done: Done, found: str) -> None:
    async with ntfy() as subject:
        assert judged(subject, method, done) == (False, found)


@pytest.mark.requirement("F-19")
async def test_what_is_not_ntfy_and_a_call_that_acted_unasked_are_told() -> None:
    other = {"serverInfo": {"name": "other", "version": "1"}, "protocolVersion": "2025-11-25"}
    async with ntfy() as subject:
        good, _ = judged(subject, "initialize", Done(0, json.dumps(other), ""))
        assert not good
        acted = replace(subject, writes=lambda: ["DELETE /x"])
    good, found = judged(acted, "tools/call", Done(TOOL_ERROR, "confirm_token=", ""))
    assert (good, found) == (False, "nobody agreed, and this happened: DELETE /x")


@pytest.mark.requirement("F-19")
def test_an_unknown_server_is_exit_2_and_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ntfy-reach"]) == 2
    assert capsys.readouterr().err.startswith("SERVER=ntfy-reach is no server; there are ntfy")
