"""Schemas: their spelling, and that they and the checks agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NotRequired

import jsonschema  # type: ignore[import-untyped]
import mcp_types as types
import pytest
from typing_extensions import TypedDict

from mcp_serverkit.server import listing
from mcp_serverkit.tools.constraints import Length, Range
from mcp_serverkit.tools.registry import Registry, Tool
from mcp_serverkit.tools.schema import describe, input_schema, output_schema, without_none
from tests.serverkit.kit import TOOLS
from tests.serverkit.shapes import SHAPES

EVERY = [*TOOLS, *SHAPES]


def _parts(schema: object) -> Iterator[dict[str, object]]:
    """Every schema inside a schema."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key, value in schema.items():
        if key in {"properties", "$defs"}:
            for inner in value.values():
                yield from _parts(inner)
        elif key in {"anyOf", "allOf", "oneOf"}:
            for inner in value:
                yield from _parts(inner)
        elif key in {"items", "additionalProperties"}:
            yield from _parts(value)


@pytest.mark.parametrize("tool", EVERY, ids=lambda tool: tool.name)
def test_schemas_are_valid_and_spelled_for_every_client(tool: Tool) -> None:
    for schema in (input_schema(tool), output_schema(tool)):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        for part in _parts(schema):
            assert part != {}, "an empty sub-schema"
            assert not isinstance(part.get("type"), list), "an array of types"
            assert "title" not in part
            assert "$ref" not in part


@pytest.mark.parametrize("tool", EVERY, ids=lambda tool: tool.name)
def test_only_the_root_of_the_arguments_forbids_what_it_does_not_know(tool: Tool) -> None:
    schema = input_schema(tool)
    assert schema["additionalProperties"] is False
    inner = [part for part in _parts(schema) if part is not schema]
    assert [part for part in inner if part.get("additionalProperties") is False] == []
    every = [*_parts(output_schema(tool))]
    assert [part for part in every if part.get("additionalProperties") is False] == []


@pytest.mark.parametrize("tool", EVERY, ids=lambda tool: tool.name)
def test_every_argument_has_a_description(tool: Tool) -> None:
    properties = input_schema(tool)["properties"]
    assert isinstance(properties, dict)
    assert [name for name, schema in properties.items() if not schema.get("description")] == []


def test_the_arguments_of_every_shape_are_described() -> None:
    assert input_schema(SHAPES["take"]) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "A text"},
            "word": {"type": "string", "pattern": "^[a-z]{1,8}$", "description": "A word"},
            "number": {
                "type": "integer",
                "description": "A number",
                "minimum": -5,
                "maximum": 1_000,
            },
            "even": {"type": "integer", "description": "An even number"},
            "share": {"type": "number", "description": "A share"},
            "switch": {"type": "boolean", "description": "A switch", "default": False},
            "level": {"type": "string", "enum": ["low", "high"], "description": "A level"},
            "words": {
                "type": "array",
                "items": {"type": "string", "pattern": "^[a-z]{1,8}$"},
                "description": "Words",
                "minItems": 1,
                "maxItems": 3,
            },
            "records": {
                "type": "array",
                "items": RECORD,
                "description": "Records",
                "maxItems": 5,
            },
            "record": {**RECORD, "description": "A record"},
            "sketched": {"type": "object", "description": "A record: value, weight, tags"},
            "labels": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Labels",
            },
            "either": {
                "anyOf": [{"type": "integer"}, {"type": "string"}],
                "description": "A number or a text",
            },
            "short": {"type": "string", "description": "A short text"},
            "from": {"type": "string", "description": "A name that Python keeps for itself"},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


RECORD = {
    "type": "object",
    "properties": {
        "value": {"type": "string", "description": "Its value"},
        "weight": {"type": "integer", "description": "Its weight", "minimum": 0, "maximum": 100},
        "tags": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]{1,8}$"}},
        "hidden": {"type": "boolean"},
    },
    "required": ["value"],
}


def test_the_one_null_that_means_something_is_a_branch() -> None:
    schema = input_schema(SHAPES["set_ttl"])
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert properties["ttl"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]
    assert schema["required"] == ["ttl", "zone_id"]
    jsonschema.validate({"ttl": None, "zone_id": 1}, schema)


def test_a_guarded_tool_offers_a_token_without_pattern_or_length() -> None:
    properties = input_schema(SHAPES["guarded"])["properties"]
    assert isinstance(properties, dict)
    assert set(properties["confirm_token"]) == {"type", "description"}
    open_properties = input_schema(SHAPES["bare"])["properties"]
    assert open_properties == {}


def test_a_result_that_others_could_write_says_so_first_and_last() -> None:
    properties = output_schema(SHAPES["bare"])["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["notice", "kept", "items", "labels", "note", "untrusted", "source"]


def test_a_listing_holds_title_and_all_four_hints() -> None:
    shown = listing(TOOLS["delete_one"])
    assert isinstance(shown, types.Tool)
    assert shown.title == "Delete one"
    assert shown.description == "Delete one thing. Needs confirmation when it matters."
    assert shown.annotations == types.ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
    )


class Inner(TypedDict):
    """Inside."""

    a: int


class Outer(TypedDict):
    """Outside."""

    inner: NotRequired[Inner]
    many: list[Inner]
    plain: NotRequired[dict[str, object]]
    anything: NotRequired[dict]  # type: ignore[type-arg]


def test_a_result_outlines_the_objects_inside_it() -> None:
    registry = Registry(source="x")

    @registry.read("Outline")
    async def outline(call: object) -> Outer:
        """Outline."""
        raise NotImplementedError

    assert output_schema(registry["outline"]) == {
        "type": "object",
        "properties": {
            "inner": {"type": "object"},
            "many": {"type": "array", "items": {"type": "object"}},
            "plain": {"type": "object"},
            "anything": {"type": "object"},
        },
    }


def test_a_tool_must_be_a_plain_function() -> None:
    class NoFunction:
        __name__ = "thing"
        __doc__ = "A thing."
        __annotations__: dict[str, object] = {}

    registry = Registry(source="x")
    registry.read("Thing")(NoFunction())  # type: ignore[type-var]
    with pytest.raises(TypeError, match="a tool is a plain function"):
        input_schema(registry["thing"])


class Loose(TypedDict):
    """Nothing in it is required."""

    a: NotRequired[int]


def test_taking_none_out_leaves_everything_else() -> None:
    assert without_none(int | str | None) == int | str
    assert without_none(int) is int


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (Loose, {"type": "object", "properties": {"a": {"type": "integer"}}}),
        (Annotated[int, Range(1)], {"type": "integer", "minimum": 1}),
        (Annotated[str, Length(1, 5)], {"type": "string"}),
        (
            Annotated[list[int], Length(2)],
            {"type": "array", "items": {"type": "integer"}, "minItems": 2},
        ),
        (
            dict[str, list[int]],
            {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"type": "integer"}},
            },
        ),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    ],
)
def test_a_type_has_one_schema(hint: object, schema: dict[str, object]) -> None:
    assert describe(hint) == schema
