"""All four servers under the Python SDK 1.9, which asks for 2025-03-26."""

from __future__ import annotations

from tests.interop.clients import PYTHON_1_9
from tests.interop.subjects import Subject


async def test_it_connects_lists_the_tools_and_reads(subject: Subject) -> None:
    seen = await PYTHON_1_9.meet(subject, None, *subject.reads)
    assert (seen.server, seen.version) == (subject.name, "2025-03-26")
    assert len(seen.tools) == len(set(seen.tools)) == subject.tools
    assert [result.text for result in seen.results if result.is_error] == []
    assert all(result.text for result in seen.results)
    assert len(seen.results) == len(subject.reads)
    assert subject.writes() == []


async def test_a_guarded_call_gets_a_token_and_writes_nothing(subject: Subject) -> None:
    seen = await PYTHON_1_9.meet(subject, None, subject.guarded)
    assert [result.is_error for result in seen.results] == [True]
    assert 'confirm_token="' in seen.results[0].text
    assert subject.writes() == []
