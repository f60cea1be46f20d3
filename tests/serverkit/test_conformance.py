"""Results keep the schema that their tool announced, whatever a service sends."""

from __future__ import annotations

import json
from typing import Annotated, Literal, NotRequired

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import TypedDict

from mcp_serverkit.errors import DoneUnreadable, Failed
from mcp_serverkit.server import failed, success
from mcp_serverkit.text.sanitize import clean
from mcp_serverkit.tools.conformance import conformed, conforms
from mcp_serverkit.tools.constraints import Length, Pattern, Range
from mcp_serverkit.tools.registry import Call, Registry
from mcp_serverkit.tools.results import RESULT_BYTES
from mcp_serverkit.tools.schema import Schema, describe, output_schema
from tests.serverkit.kit import App
from tests.support.clients import document, text

SHAPES = Registry(source="kit")


class Part(TypedDict):
    """A part."""

    name: str
    count: NotRequired[int]


class Found(TypedDict):
    """What was found."""

    id: int
    name: NotRequired[str]
    state: NotRequired[Literal["on", "off"]]
    ratio: NotRequired[float]
    open: NotRequired[bool]
    either: NotRequired[int | None]
    labels: NotRequired[dict[str, str]]
    texts: NotRequired[list[str]]
    parts: NotRequired[list[Part]]
    part: NotRequired[Part]
    anything: NotRequired[object]


@SHAPES.read("Find", foreign=True)
async def find(call: Call[App]) -> Found:
    """Find one."""
    return {"id": 1}


@SHAPES.write("Make", destructive=False, idempotent=True)
async def make(call: Call[App]) -> Found:
    """Make one."""
    return {"id": 1}


SCHEMA = output_schema(SHAPES["find"])
DEEP: object = None
for _ in range(100):
    DEEP = [DEEP]

LEAVES = [None, True, 1, 1.5, float("inf"), "x", [], [1], {}, DEEP]


@pytest.mark.requirement("R-71", "C-11")
@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: json.dumps(leaf)[:12])
@pytest.mark.parametrize("name", Found.__annotations__)
def test_any_leaf_in_any_field_leaves_a_result_that_conforms(name: str, leaf: object) -> None:
    result = success(SHAPES["find"], {"id": 7, name: leaf})
    assert result.is_error is False
    told = result.structured_content
    jsonschema.validate(told, SCHEMA)
    assert document(result) == told
    if told is not None and "unreadable" in told:
        assert told["unreadable"] == [name]
        assert list(told)[-3:] == ["unreadable", "untrusted", "source"]


@pytest.mark.requirement("R-71", "C-11")
def test_what_does_not_conform_is_left_out_and_named() -> None:
    told = success(SHAPES["make"], {"id": [1], "name": 7, "open": None}).structured_content
    assert told == {"name": "7", "unreadable": ["id", "name", "open"]}
    told = success(SHAPES["make"], {"id": float("inf"), "state": True}).structured_content
    assert told == {"unreadable": ["id", "state"]}
    told = success(SHAPES["make"], {"id": 1, "more": [1]}).structured_content
    assert told == {"id": 1, "more": [1]}


@pytest.mark.requirement("C-11")
def test_an_error_with_an_object_conforms_too() -> None:
    result = failed(SHAPES["make"], Failed("Nothing was made.", {"id": "one", "name": True}))
    assert result.structured_content == {"name": "true", "unreadable": ["id", "name"]}


def test_a_tool_that_says_unreadable_itself_keeps_its_word() -> None:
    schema: Schema = {"properties": {"unreadable": {"type": "integer"}, "id": {"type": "integer"}}}
    told = conformed({"id": "x", "unreadable": 2}, schema)
    assert told == {"unreadable": 2, "unreadable_fields": ["id"]}


def test_a_write_whose_result_is_too_large_is_still_done() -> None:
    result = success(SHAPES["make"], {"id": 1, "anything": "x" * RESULT_BYTES})
    assert result.is_error is False
    assert result.structured_content is not None
    assert result.structured_content["outcome"] == "done"
    assert "larger than" in text(result)
    assert success(SHAPES["find"], {"id": 1, "anything": "x" * RESULT_BYTES}).is_error is True


def test_what_could_be_read_of_an_unusable_answer_is_told() -> None:
    done = DoneUnreadable("kit compressed its answer (HTTP 200).", result={"id": 5})
    assert done.outcome == "done"
    assert done.result == {"id": 5}


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False)
    | st.text(max_size=3)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)
HINTS = [
    int,
    str,
    float,
    bool,
    object,
    dict,
    Part,
    list[Part],
    dict[str, Part],
    Literal["a", "b"],
    int | str | None,
    Annotated[int, Range(1, 2)],
    Annotated[str, Pattern("[a-z]+", "lower case")],
    Annotated[list[int], Length(1, 2)],
]


@given(value=JSON, hint=st.sampled_from(HINTS))
def test_the_checker_agrees_with_a_library_for_json_schema(value: object, hint: object) -> None:
    schema = describe(hint)
    cleaned = clean(value)
    expected = jsonschema.Draft202012Validator(schema).is_valid(cleaned)
    assert conforms(cleaned, schema) is expected
