"""All four servers under clients of other projects: what a person says is what happens."""

from __future__ import annotations

import sys

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.interop.clients import CLIENTS, Answer, Client, environment
from tests.interop.subjects import Subject

by_client = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)


@by_client
async def test_a_client_lists_every_tool_and_reads_without_a_question(
    client: Client, subject: Subject
) -> None:
    seen = await client.meet(subject, "decline", *subject.reads)
    assert (seen.server, seen.version) == (subject.name, client.version)
    assert len(seen.tools) == len(set(seen.tools)) == subject.tools
    assert [result.error for result in seen.results] == [None] * len(subject.reads)
    assert [result.text for result in seen.results if result.is_error] == []
    assert all(result.structured for result in seen.results)
    assert seen.validated in {None, len(subject.reads)}
    assert seen.asked == []
    assert subject.writes() == []


@by_client
async def test_an_accepted_dialog_leads_to_one_write(client: Client, subject: Subject) -> None:
    seen = await client.meet(subject, "accept", subject.guarded)
    assert len(seen.asked) == 1
    assert subject.asks in seen.asked[0]
    assert [result.is_error for result in seen.results] == [False], seen.results
    assert seen.results[0].structured
    assert seen.validated in {None, 1}
    assert len(subject.writes()) == 1


@by_client
@pytest.mark.parametrize("answer", ["decline", "cancel"])
async def test_a_dialog_that_is_turned_down_leads_to_none(
    client: Client, subject: Subject, answer: Answer
) -> None:
    seen = await client.meet(subject, answer, subject.guarded)
    assert len(seen.asked) == 1
    assert [result.is_error for result in seen.results] == [True]
    assert f'Not approved: the client answered "{answer}"' in seen.results[0].text
    assert subject.writes() == []


@by_client
async def test_a_call_that_is_cancelled_under_its_dialog_does_nothing_whatever_is_ticked(
    client: Client, subject: Subject
) -> None:
    seen = await client.meet(subject, "leave", subject.guarded, *subject.reads)
    assert len(seen.asked) == 1
    cancelled, *reads = seen.results
    assert cancelled.error is not None
    assert cancelled.structured is None
    assert [result.is_error for result in reads] == [False] * len(reads), "the server went on"
    assert subject.writes() == []


@by_client
async def test_a_client_without_dialogs_writes_only_with_the_token_of_its_first_call(
    client: Client, subject: Subject
) -> None:
    first_only = await client.meet(subject, None, subject.guarded)
    assert first_only.asked == []
    assert [result.is_error for result in first_only.results] == [True]
    assert 'confirm_token="' in first_only.results[0].text
    assert subject.writes() == []
    seen = await client.meet(subject, None, subject.guarded, repeat=True)
    assert seen.asked == []
    assert [result.is_error for result in seen.results] == [True, False], seen.results
    assert len(subject.writes()) == 1


@by_client
async def test_an_error_that_carries_the_tools_object_reaches_the_model_whole(
    client: Client,
) -> None:
    with NtfyBackend(default_access="deny-all") as backend:
        environ = environment({"NTFY_URL": backend.url, "NTFY_TOPICS": "alerts"})
        server = [sys.executable, "-m", "ntfy_mcp"]
        publish = ("publish_message", {"message": "Backup finished"})
        seen = await client.play(server, environ, "decline", [publish])
        assert backend.messages("alerts") == []
    (refused,) = seen.results
    assert (refused.is_error, refused.error) == (True, None)
    assert "Nothing was published." in refused.text
    assert refused.structured is not None
    assert "results" in refused.structured
