"""Schemas and checks agree on what an argument may be."""

from __future__ import annotations

from typing import Annotated

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_serverkit.errors import BadArgument
from mcp_serverkit.tools.constraints import Pattern
from mcp_serverkit.tools.schema import describe, input_schema
from mcp_serverkit.tools.validation import check_arguments
from tests.serverkit.shapes import SHAPES


@pytest.mark.parametrize("text", ["a", "b", "ax", "xb", "a\n", "", "ab"])
def test_a_pattern_of_alternatives_means_the_whole_text_in_both(text: str) -> None:
    rule = Pattern(r"a|b", "a or b")
    schema = describe(Annotated[str, rule])
    try:
        rule.check(text)
    except ValueError:
        taken = False
    else:
        taken = True
    valid = jsonschema.Draft202012Validator(schema).is_valid(text)
    # `$` of Python, unlike that of JSON Schema's own dialect, stands before a last newline.
    assert valid is taken or text == "a\n"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 1_010) | st.text("aB7 ", max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["value", "weight", "tags", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
ARGUMENTS = st.fixed_dictionaries(
    {"name": st.text("ab", max_size=3)},
    optional={
        "word": st.text("abZ", max_size=9) | JSON,
        "number": st.integers(-8, 1_003) | JSON,
        "switch": st.booleans() | JSON,
        "level": st.sampled_from(["low", "high", "medium"]) | JSON,
        "words": st.lists(st.text("ab", max_size=3), max_size=4) | JSON,
        "records": st.lists(
            st.fixed_dictionaries(
                {"value": st.just("v")}, optional={"weight": st.integers(-1, 101), "x": JSON}
            ),
            max_size=6,
        )
        | JSON,
        "labels": st.dictionaries(st.text("ab", max_size=2), st.text("ab", max_size=2)) | JSON,
        "either": JSON,
        "unknown": JSON,
    },
)


@given(ARGUMENTS)
def test_what_the_checks_take_the_schema_takes(arguments: dict[str, object]) -> None:
    """The other way round it need not hold: the checks know rules that a schema leaves out."""
    schema = input_schema(SHAPES["take"])
    try:
        checked = check_arguments(SHAPES["take"], arguments).values
    except BadArgument:
        return
    normal = {name.removesuffix("_"): v for name, v in checked.items() if v is not None}
    jsonschema.validate(normal, schema)


@given(ARGUMENTS)
def test_what_the_schema_takes_fails_the_checks_only_for_what_it_leaves_out(
    arguments: dict[str, object],
) -> None:
    if not jsonschema.Draft202012Validator(input_schema(SHAPES["take"])).is_valid(arguments):
        return
    left_out = ("characters, has", "is not known here", "must be 1 to 8", "is required")
    told = ""
    try:
        check_arguments(SHAPES["take"], arguments)
    except BadArgument as refusal:
        told = refusal.text
    assert told == "" or any(words in told for words in left_out)
