"""Checking the arguments of a call.

The order is: unknown names out, `null` for an optional argument is the same as leaving
it out, text that wraps a declared list, object, number or switch is unwrapped, then
strict types and rules. Whatever the approval, the wire and the result use is the value
after this step.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic_core import ErrorDetails
from typing_extensions import is_typeddict

from mcp_approval.environment.suggest import nearest
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.tools.registry import CONFIRM_TOKEN, Tool
from mcp_serverkit.tools.schema import parameters, python_name

MAX_DEPTH = 32
"""Levels of lists and objects that an argument may have."""

_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

_WORDS = {
    "missing": "is required",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "extra_forbidden": "is not known here",
}


class Arguments:
    """The arguments of one call: checked values, and the token in whatever shape it came."""

    def __init__(self, values: dict[str, object], token: object) -> None:
        self.values = values
        self.token = token


def check_arguments(tool: Tool, given: Mapping[str, object]) -> Arguments:
    """Check what a client sent for a tool.

    Raises:
        BadArgument: Names the argument; never repeats the value.
    """
    model, declared = _model(tool)
    known = [*declared, *([CONFIRM_TOKEN] if tool.asks else [])]
    for name in given:
        if name not in known:
            raise BadArgument(_quotable(name), _unknown(name, known, dict(tool.elsewhere)))
    token = given.get(CONFIRM_TOKEN) if tool.asks else None
    unwrapped: dict[str, object] = {}
    for name, (hint, default) in declared.items():
        if name not in given or (given[name] is None and default is not ...):
            continue
        unwrapped[name] = _unwrap(given[name], hint)
        _refuse_controls(name, unwrapped[name])
    try:
        checked = model.model_validate(unwrapped)
    except ValidationError as error:
        raise _bad_argument(error) from None
    values = {python_name(name): getattr(checked, name) for name in declared}
    return Arguments(values, token)


@cache
def _model(tool: Tool) -> tuple[type[BaseModel], dict[str, tuple[object, object]]]:
    declared = parameters(tool.function)
    model = create_model(
        f"Arguments_{tool.name}",
        __config__=ConfigDict(strict=True, extra="forbid", hide_input_in_errors=True),
        **declared,  # type: ignore[call-overload]  # names and types are data here
    )
    return model, declared


def _unknown(name: str, known: list[str], elsewhere: Mapping[str, str]) -> str:
    if name in elsewhere:
        takes = ", ".join(known)
        return f"is no argument of this tool but of {elsewhere[name]}; this one takes {takes}"
    near = nearest(name, known, distance=3) or next(
        (other for other in known if other in {f"{name}s", f"{name}_id", f"{name}_ids"}), None
    )
    if near:
        return f"is no argument of this tool; did you mean {near}?"
    return f"is no argument of this tool; it takes {', '.join(known) or 'none'}"


def _quotable(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", name) else "an unknown name"


def _unwrap(value: object, hint: object) -> object:
    """Take a list, object, number or switch out of the text that wraps it."""
    kinds = _kinds(hint)
    if isinstance(value, str) and str not in kinds and value not in _literals(hint):
        value = _from_text(value, kinds)
    if isinstance(value, list):
        return _unwrap_list(value, kinds)
    if isinstance(value, dict):
        return _unwrap_object(value, kinds)
    return value


def _unwrap_list(value: list[object], kinds: tuple[object, ...]) -> list[object]:
    items = next((get_args(kind)[0] for kind in kinds if get_origin(kind) is list), None)
    return value if items is None else [_unwrap(item, items) for item in value]


def _unwrap_object(value: dict[str, object], kinds: tuple[object, ...]) -> dict[str, object]:
    """Go through the fields of an object; a known one that is null counts as left out."""
    fields = next((get_type_hints(k, include_extras=True) for k in kinds if is_typeddict(k)), {})
    return {
        key: _unwrap(item, fields[key]) if key in fields else item
        for key, item in value.items()
        if item is not None or key not in fields
    }


def _kinds(hint: object) -> tuple[object, ...]:
    """List the alternatives of a type, rules stripped."""
    origin = get_origin(hint)
    name = getattr(origin, "_name", "")
    if origin is Annotated or name in {"Required", "NotRequired"}:
        return _kinds(get_args(hint)[0])
    if origin in {Union, types.UnionType}:
        return tuple(kind for part in get_args(hint) for kind in _kinds(part))
    return (hint,)


def _literals(hint: object) -> set[object]:
    return {
        value for kind in _kinds(hint) if get_origin(kind) is Literal for value in get_args(kind)
    }


def _from_text(text: str, kinds: tuple[object, ...]) -> object:
    if bool in kinds and text in {"true", "false"}:
        return text == "true"
    if int in kinds and re.fullmatch(r"-?[0-9]{1,19}", text):
        return int(text)
    structured = [k for k in kinds if get_origin(k) in {list, dict} or is_typeddict(k)]
    if structured:
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            return text
        wanted = list if any(get_origin(k) is list for k in structured) else dict
        return parsed if isinstance(parsed, wanted) else text
    return text


def _refuse_controls(path: str, value: object, depth: int = 0) -> None:
    if depth > MAX_DEPTH:
        raise BadArgument(re.split(r"[.\[]", path, maxsplit=1)[0], "is nested too deeply")
    if isinstance(value, str):
        found = _REFUSED.search(value)
        if found is None:
            return
        if found[0] >= "\ud800":
            raise BadArgument(path, "holds half of a surrogate pair, which is no text")
        raise BadArgument(path, f"holds the control character U+{ord(found[0]):04X}")
    if isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_controls(f"{path}[{index}]", item, depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            _refuse_controls(f"a key of {path}", key)
            _refuse_controls(f"{path}.{_quotable(str(key))}", item, depth + 1)


def _bad_argument(error: ValidationError) -> BadArgument:
    """Put the findings on the first bad value into words; pydantic's own text may quote it."""
    findings = error.errors(include_url=False, include_input=False, include_context=True)
    path = _path(findings[0]["loc"])
    words = [_in_words(found) for found in findings if _path(found["loc"]) == path]
    return BadArgument(path, ", or ".join(dict.fromkeys(words)))


def _path(location: tuple[int | str, ...]) -> str:
    """Name a place by arguments, fields and positions, without the branches of a union."""
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        elif path == "" or (re.fullmatch(r"[a-z_]+", part) and part not in _BRANCHES):
            path += f".{part}" if path else part
    return path


def _in_words(found: ErrorDetails) -> str:
    context = found.get("ctx", {})
    if found["type"] == "literal_error":
        return f"must be one of {context['expected']}"
    if found["type"] == "value_error":
        return str(context["error"])
    return _WORDS.get(found["type"], "has the wrong form")


_BRANCHES = frozenset({"int", "str", "bool", "float"})
