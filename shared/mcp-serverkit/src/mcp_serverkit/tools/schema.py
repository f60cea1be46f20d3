"""JSON Schemas of arguments and results, from a tool's signature.

Written for a small listing: no title per argument, no null branch for what may be left
out, no definitions. Results are permissive, since a service may add fields.
"""

from __future__ import annotations

import keyword
import types
from collections.abc import Mapping
from typing import (
    Annotated,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from typing_extensions import is_typeddict

from mcp_serverkit.tools.constraints import Length, Pattern, Range, Sketched
from mcp_serverkit.tools.registry import CONFIRM_TOKEN, Tool, ToolFunction

Schema = dict[str, object]

_SCALARS: Mapping[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
}

_CONFIRM_TOKEN: Schema = {
    "type": "string",
    "description": "Only when an answer told you to send it.",
}


def type_hints(function: ToolFunction) -> dict[str, object]:
    """Evaluate the annotations of a tool's arguments and result, rules included.

    That of the call itself stays unread: its types are loaded only where a call runs.
    """
    own = getattr(function, "__annotations__")  # noqa: B009 (a protocol cannot declare it)
    first = _code(function).co_varnames[0]

    def signature() -> None: ...

    signature.__annotations__ = {name: hint for name, hint in own.items() if name != first}
    names = getattr(function, "__globals__")  # noqa: B009
    return get_type_hints(signature, globalns=names, include_extras=True)


def parameters(function: ToolFunction) -> dict[str, tuple[object, object]]:
    """Return type and default of each argument; `...` marks a required one."""
    code = _code(function)
    names: tuple[str, ...] = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    positional = getattr(function, "__defaults__", None) or ()
    keyword = getattr(function, "__kwdefaults__", None) or {}
    start = code.co_argcount - 1 - len(positional)
    defaults = dict(zip(names[start:], positional, strict=False)) | keyword
    annotated = type_hints(function)
    return {_public_name(name): (annotated[name], defaults.get(name, ...)) for name in names}


def python_name(name: str) -> str:
    """Return the parameter behind an argument: `from` cannot name one, `from_` can."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _public_name(name: str) -> str:
    bare = name.removesuffix("_")
    return bare if keyword.iskeyword(bare) else name


def input_schema(tool: Tool) -> Schema:
    """Describe the arguments of a tool."""
    properties: dict[str, Schema] = {}
    required: list[str] = []
    for name, (hint, default) in parameters(tool.function).items():
        described = describe(hint if default is not None else without_none(hint))
        if default is ...:
            required.append(name)
        elif default is not None:
            described["default"] = default
        properties[name] = described
    if tool.asks:
        properties[CONFIRM_TOKEN] = dict(_CONFIRM_TOKEN)
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


def output_schema(tool: Tool) -> Schema:
    """Describe the result of a tool: an object that may hold more than it says.

    Only the fields at the top are described; a listing is paid for in every conversation.
    """
    fields = get_type_hints(type_hints(tool.function)["return"], include_extras=True)
    framed = {"untrusted": {"type": "boolean"}, "source": {"type": "string"}}
    schema: Schema = {
        "type": "object",
        "properties": {
            **({"notice": {"type": "string"}} if tool.foreign else {}),
            **{name: _outline(_bare(field)) for name, field in fields.items()},
            **(framed if tool.foreign else {}),
        },
    }
    return schema


def _outline(hint: object) -> Schema:
    """Describe a field of a result, objects inside it only by their kind."""
    schema = describe(hint)
    if schema.get("type") == "object":
        return {"type": "object"}
    items = schema.get("items")
    if isinstance(items, dict) and items.get("type") == "object":
        return {"type": "array", "items": {"type": "object"}}
    return schema


def describe(hint: object) -> Schema:
    """Translate one type, with its rules and description, into a schema."""
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *metadata = get_args(hint)
        schema = describe(inner)
        for rule in metadata:
            _apply(rule, schema)
        return schema
    if origin in {Union, types.UnionType}:
        return _union(get_args(hint))
    if origin is Literal:
        values = list(get_args(hint))
        return {"type": _SCALARS[type(values[0])], "enum": values}
    if origin is list:
        return {"type": "array", "items": describe(get_args(hint)[0])}
    if origin is dict:
        item = get_args(hint)[1]
        return {
            "type": "object",
            **({} if item is object else {"additionalProperties": describe(item)}),
        }
    if is_typeddict(hint):
        return _typed_dict(hint)
    if hint is object or hint is dict:
        return {"type": "object"} if hint is dict else {}
    return {"type": _SCALARS[hint]}


def without_none(hint: object) -> object:
    """Take `None` out of a union: an optional argument is left out, not null."""
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *metadata = get_args(hint)
        return Annotated[(without_none(inner), *metadata)]
    if origin in {Union, types.UnionType}:
        return Union[tuple(part for part in get_args(hint) if part is not type(None))]  # noqa: UP007
    return hint


def _code(function: ToolFunction) -> types.CodeType:
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        raise TypeError("a tool is a plain function")
    return code


def _union(parts: tuple[object, ...]) -> Schema:
    branches: list[Schema] = [
        {"type": "null"} if part is type(None) else describe(part) for part in parts
    ]
    return branches[0] if len(branches) == 1 else {"anyOf": branches}


def _typed_dict(hint: object) -> Schema:
    fields = get_type_hints(hint, include_extras=True)
    schema: Schema = {
        "type": "object",
        "properties": {name: describe(_bare(field)) for name, field in fields.items()},
    }
    # Not `__required_keys__`: it cannot see through annotations that are still text.
    if required := [name for name, field in fields.items() if _bare(field) is field]:
        schema["required"] = required
    return schema


def _bare(hint: object) -> object:
    """Strip `NotRequired`."""
    origin = get_origin(hint)
    name = getattr(origin, "__name__", None) or getattr(origin, "_name", "")
    return get_args(hint)[0] if name == "NotRequired" else hint


def _apply(rule: object, schema: Schema) -> None:
    if isinstance(rule, str):
        schema["description"] = rule
    elif isinstance(rule, Sketched):
        schema.pop("properties", None)
        schema.pop("required", None)
    elif isinstance(rule, Pattern | Range | Length) and not rule.listed:
        return
    elif isinstance(rule, Pattern):
        schema["pattern"] = f"^(?:{rule.pattern})$" if "|" in rule.pattern else f"^{rule.pattern}$"
    elif isinstance(rule, Range):
        schema["minimum"] = rule.low
        if rule.high is not None:
            schema["maximum"] = rule.high
    elif isinstance(rule, Length) and schema["type"] == "array":
        # Bounds of a text are checked and not listed: they cost more than they tell a model.
        if rule.low:
            schema["minItems"] = rule.low
        if rule.high is not None:
            schema["maxItems"] = rule.high
