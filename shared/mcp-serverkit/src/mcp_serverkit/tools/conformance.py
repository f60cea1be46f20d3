"""Holding a result against the schema that its tool announced.

A service may send any shape, and a client refuses a whole result whose structure breaks its
schema; after a write a success would look like a failure. So a field that does not conform
is left out, and its name told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from mcp_serverkit.tools.results import compact
from mcp_serverkit.tools.schema import Schema

UNREADABLE = "unreadable"
"""Field with the names of what was left out or changed."""

_OTHERWISE = "unreadable_fields"
"""Its name where the tool itself tells something else under the first."""


def conformed(document: Mapping[str, object], schema: Schema) -> dict[str, object]:
    """Make an object conform to a schema, field by field.

    What conforms stays. A number or a truth value where text is announced becomes its JSON
    text. Anything else that does not conform is left out. What the schema does not name
    stays as it is.

    Args:
        document: The cleaned object.
        schema: The tool's output schema.

    Returns:
        The object, with the names of changed fields if there are any.
    """
    properties = cast("Mapping[str, Schema]", schema["properties"])
    kept: dict[str, object] = {}
    changed: list[str] = []
    for name, value in document.items():
        announced = properties.get(name)
        if announced is None or conforms(value, announced):
            kept[name] = value
            continue
        changed.append(name)
        if isinstance(value, bool | int | float) and conforms(compact(value), announced):
            kept[name] = compact(value)
    if changed:
        kept[_OTHERWISE if UNREADABLE in properties else UNREADABLE] = changed
    return kept


def conforms(value: object, schema: Schema) -> bool:
    """Tell whether a value conforms to one of the schemas that this package writes."""
    branches = schema.get("anyOf")
    if isinstance(branches, list):
        return any(conforms(value, cast("Schema", branch)) for branch in branches)
    kind = schema.get("type")
    if kind is not None and not _is(value, str(kind)):
        return False
    allowed = schema.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        return False
    if isinstance(value, str):
        pattern = schema.get("pattern")
        return pattern is None or re.search(str(pattern), value) is not None
    if isinstance(value, list):
        return _items_conform(value, schema)
    if isinstance(value, dict):
        return _fields_conform(value, schema)
    return _within(value, schema)


def _is(value: object, kind: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer":
        return number and (isinstance(value, int) or float(cast("float", value)).is_integer())
    if kind == "number":
        return number
    types: dict[str, type] = {
        "string": str,
        "boolean": bool,
        "object": dict,
        "array": list,
        "null": type(None),
    }
    return isinstance(value, types[kind])


def _items_conform(value: list[object], schema: Schema) -> bool:
    items = schema.get("items")
    low, high = schema.get("minItems", 0), schema.get("maxItems", len(value))
    return (
        cast("int", low) <= len(value) <= cast("int", high)
        and isinstance(items, dict | None)
        and all(items is None or conforms(item, items) for item in value)
    )


def _fields_conform(value: dict[str, object], schema: Schema) -> bool:
    properties = cast("Mapping[str, Schema]", schema.get("properties", {}))
    if any(name not in value for name in cast("list[str]", schema.get("required", []))):
        return False
    rest = schema.get("additionalProperties")
    for name, item in value.items():
        announced = properties.get(name, rest if isinstance(rest, dict) else None)
        if announced is not None and not conforms(item, announced):
            return False
    return True


def _within(value: object, schema: Schema) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return True
    low, high = schema.get("minimum"), schema.get("maximum")
    above = low is None or value >= cast("float", low)
    return above and (high is None or value <= cast("float", high))
