"""What an approval of a decorated tool is bound to: the call, its caller, and what was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pydantic_core import PydanticSerializationError, to_jsonable_python

from mcp_approval.keys import Target, canonical
from mcp_approval.limits import Limits
from mcp_approval.question import Question
from mcp_approval.rendering import render
from mcp_approval.typing import JSONValue
from mcp_approval.verdict import Ask

TEXT = "text of the question"
"""Name of the fact that stands for all that an author's question quotes."""

_PLAIN = (str, int, float, bool, type(None))


class CannotBindError(Exception):
    """An argument has no form in which an approval could be tied to it."""


def bound_arguments(
    arguments: Mapping[str, object], sent: Mapping[str, object]
) -> tuple[tuple[str, JSONValue], ...]:
    """Give each argument the form in which it is bound.

    A value that is more than a word or a number is bound as it came, too: a model may
    keep a field to itself, and a secret shows as asterisks.

    Args:
        arguments: As the function gets them.
        sent: As the client sent them.

    Raises:
        CannotBindError: One has no such form; it is named.
    """
    return tuple(
        (name, [_json(name, value), _json(name, _as_sent(name, value, sent))])
        for name, value in arguments.items()
    )


def complete(
    made: Question | Ask,
    tool: str,
    arguments: Mapping[str, object],
    sent: Mapping[str, object],
    caller: str | None,
    limits: Limits,
) -> Ask:
    """Tie a question to its call.

    Raises:
        CannotBindError: An argument cannot be bound.
        TooMuchToShowError: The question does not fit a dialog.
        UnsafeIdentifierError: It holds what may not be shown.
    """
    if isinstance(made, Question):
        target = Target.ordered(tool, *bound_arguments(arguments, sent))
        made = Ask(replace(made, unbound=()), target)
    text = render(made.question, limits)
    return replace(
        made,
        target=replace(
            made.target,
            tool=tool,
            body=[made.target.body, caller],
            facts={**made.target.facts, TEXT: text},
        ),
    )


def _as_sent(name: str, value: object, sent: Mapping[str, object]) -> object:
    return None if type(value) in _PLAIN else sent.get(name)


def _json(name: str, value: object) -> JSONValue:
    try:
        found: JSONValue = to_jsonable_python(value)
        canonical(found)
    except (PydanticSerializationError, ValueError, TypeError, RecursionError):
        raise CannotBindError(f"the argument {name} cannot be bound to an approval") from None
    return found
