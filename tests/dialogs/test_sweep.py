"""Hostile texts in every text argument of every call that asks.

The judges in `tests.support.dialog_guard` look at each question. Here it is compared with
that of a twin, a text that a person sees as the same: all that stands above the caller's
values is the same for both.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import cycle, islice

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcp_approval.limits import Limits
from mcp_approval.question import Detail, Joined, Marked, Question, TooMuchToShowError, joined
from mcp_approval.quoting import DETAILS_HEADING, FINDINGS_HEADING
from mcp_approval.sanitize import clean_line
from mcp_serverkit.tools.schema import input_schema
from scripts.definitions import DEFINITIONS
from tests.dialogs.calls import ASKING, Asking, asking_client, served
from tests.support.clients import Arguments
from tests.support.dialog_guard import HOSTILE, look, looking

WHOLE = "FUZZ_EXAMPLES" in os.environ
SAMPLE = len(HOSTILE) if WHOLE else 2
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "150"))

Place = tuple[str | int, ...]

SCHEMAS = {
    (definition.name, tool.name): input_schema(tool)
    for definition in DEFINITIONS
    for tool in definition.registry()
    if tool.asks
}


def _places(schema: object, place: Place = ()) -> Iterator[Place]:
    """Where a schema takes a text of the caller's own."""
    assert isinstance(schema, dict)
    for kind in schema.get("anyOf", ()):
        yield from _places(kind, place)
    if schema.get("type") == "string" and "enum" not in schema:
        yield place
    for name, inner in schema.get("properties", {}).items():
        if name != "confirm_token":
            yield from _places(inner, (*place, name))
    if "items" in schema:
        yield from _places(schema["items"], (*place, 0))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _places(schema["additionalProperties"], (*place, "key"))


def _put(value: object, place: Place, text: str) -> object:
    if not place:
        return text
    first, *rest = place
    if first == 0:
        items = list(value) if isinstance(value, list) and value else [{}]
        return [_put(items[0], tuple(rest), text), *items[1:]]
    made = dict(value) if isinstance(value, dict) else {}
    made[str(first)] = _put(made.get(str(first)), tuple(rest), text)
    return made


def _twin(text: str) -> str:
    """A text that shows the same."""
    middle = len(text) // 2
    return f"{text[:middle]}\u200b{text[middle:]}\u200b"


def _above(question: str) -> str:
    """What stands above the caller's values, without digests and what is not shown."""
    above = question.partition(f"\n\n{DETAILS_HEADING}\n")[0]
    kept = [line for line in above.split("\n") if not line.startswith("  Not shown below: ")]
    made = re.sub(r"\b(?:[0-9a-f]{12,}|[0-9]+ bytes)\b", "digest", "\n".join(kept))
    return made.removesuffix(f"\n\n{FINDINGS_HEADING}")


MEASURES = re.compile(
    r"[0-9]+(?: (?:characters?|bytes|entr(?:y|ies)))?|on|off|\(empty\)|a new one, not shown"
)
ADDED = frozenset({"Re", "Fwd", "opens"})
"""Words that a value gets from the server: how a subject begins, and between a link's halves."""

QUOTING = frozenset({"reason", "warning"})
"""Labels of what a parser says of the caller's text in words of its own."""


@pytest.mark.requirement("R-73", "C-16")
@pytest.mark.parametrize("asking", ASKING, ids=str)
async def test_a_hostile_text_stands_among_the_callers_values_and_moves_nothing_above(
    asking: Asking,
) -> None:
    schema = SCHEMAS[asking.server, asking.tool]
    for number, place in enumerate(_places(schema), ASKING.index(asking)):
        async with served(asking.server) as (server, _), asking_client(server) as made:
            with looking() as seen:
                await made(asking.tool, asking.arguments)
                usual = set(seen.pop()[0].details)
                for text in islice((*HOSTILE, *HOSTILE)[number % len(HOSTILE) :], SAMPLE):
                    arguments = _arguments(asking, place, text)
                    asked, _ = await made(asking.tool, arguments)
                    _below({*seen.pop()[0].details} - usual if asked else set(), arguments)
                    again, _ = await made(asking.tool, _arguments(asking, place, _twin(text)))
                    seen.clear()
                    if asked and again and clean_line(_twin(text)).text == clean_line(text).text:
                        assert _above(asked[0]) == _above(again[0]), f"{place}: {text!r}"


def _below(details: set[Detail], arguments: Arguments) -> None:
    """Hold that a value is made of what the caller said, or is its measure."""
    given = _words(*_texts(arguments)) | ADDED
    for detail in details:
        if detail.label not in QUOTING and not MEASURES.fullmatch(detail.value):
            assert _words(detail.value) <= given, f"{detail}: {arguments}"


def _words(*texts: str) -> set[str]:
    return {word for text in texts for word in re.findall(r"\w+", clean_line(text).text)}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    else:
        yield str(value)


def _arguments(asking: Asking, place: Place, text: str) -> Arguments:
    made = _put(dict(asking.arguments), place, text)
    assert isinstance(made, dict)
    return made


PIECES = st.lists(st.sampled_from([*HOSTILE, "a", ": ", " ", "\n", "«", "»"]), max_size=4)


@cache
def forms() -> list[tuple[Question, Limits]]:
    """The question of each call, as it is without hostility."""

    async def asked() -> list[tuple[Question, Limits]]:
        found = []
        for asking in ASKING:
            async with served(asking.server) as (server, _), asking_client(server) as made:
                with looking() as seen:
                    await made(asking.tool, asking.arguments)
                found.append(seen[0][:2])
        return found

    return asyncio.run(asked())


@pytest.mark.requirement("C-17")
@settings(max_examples=EXAMPLES)
@given(st.integers(0, len(ASKING) - 1), st.lists(PIECES, min_size=1, max_size=5))
def test_the_judges_find_nothing_whatever_the_values_are(
    which: int, values: list[list[str]]
) -> None:
    question, limits = forms()[which]
    details = tuple(map(_hostile, question.details, cycle(values)))
    with suppress(TooMuchToShowError):
        look(replace(question, details=details), limits)


def _hostile(detail: Detail, pieces: Sequence[str]) -> Detail:
    if isinstance(detail.value, Joined):
        return replace(detail, value=joined(pieces))
    return detail if isinstance(detail.value, Marked) else replace(detail, value="".join(pieces))


@pytest.mark.requirement("C-18")
@example(["a, b"])
@example(["a", ""])
@example(["a, b", "«c»"])
@given(PIECES)
def test_a_list_on_one_line_shows_its_members(values: list[str]) -> None:
    question = Question("do it", "It is done.", (Detail("images", joined(values)),))
    with suppress(TooMuchToShowError):
        look(question, Limits(value_chars=1_000))
