"""What a person is shown, and the limits of showing it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_approval.limits import Limits
from mcp_approval.sanitize import clean_line, escape_markup, is_invisible

DETAILS_HEADING = "Values below are supplied by the caller, not by this server:"


class TooMuchToShowError(Exception):
    """What the call would write does not fit the dialog, so it may not be asked about."""


class UnsafeIdentifierError(Exception):
    """A name failed the check that must precede its use in the server's own words."""


@dataclass(frozen=True, slots=True)
class Detail:
    """One labelled line of values that the caller supplied.

    Attributes:
        label: Server's words, a few at most.
        value: The caller's text, raw; it is cleaned when shown.
        summary: Whether a long value may be cut. Only for values that describe
            rather than decide.
    """

    label: str
    value: str
    summary: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a person, in the server's words.

    Attributes:
        what: Continues "This will ..."; no full stop. Identifiers in it must have
            passed `checked`.
        consequence: What follows from it, one paragraph or more; same rule.
        details: Values from the call, one line each.
        title: Label of the tick box; some clients show nothing else.
        hint: Description of the tick box.
        unbound: Names of arguments that a repeated call may change, for the note of
            the two-call token.
    """

    what: str
    consequence: str
    details: tuple[Detail, ...] = ()
    title: str = "Allow this?"
    hint: str = "Tick to allow it. To stop it, leave this empty, decline or close the dialog."
    unbound: tuple[str, ...] = ()


def checked(value: str, pattern: str) -> str:
    """Return an identifier that may stand inside the server's own sentence.

    Args:
        value: The identifier.
        pattern: Regular expression that the whole value must match.

    Raises:
        UnsafeIdentifierError: It does not match; the value is not repeated.
    """
    if re.fullmatch(pattern, value) is None or any(map(is_invisible, value)):
        raise UnsafeIdentifierError("a name holds characters that this server does not show")
    return value


def listed(values: Sequence[str], shown: int) -> str:
    """Join the first values with commas and count the rest; for summaries only."""
    head = ", ".join(values[:shown])
    rest = len(values) - shown
    return f"{head}, and {rest} more" if rest > 0 else head


def render(question: Question, limits: Limits) -> str:
    """Compose the message of a dialog.

    Raises:
        TooMuchToShowError: A value that decides something, or the whole, is too long.
    """
    message = f"This will {_own_words(question.what)}.\n\n{_own_words(question.consequence)}"
    if question.details:
        if len(question.details) > limits.lines:
            raise TooMuchToShowError(
                f"the question would need {len(question.details)} lines and a dialog holds "
                f"{limits.lines}; split the call into smaller ones"
            )
        lines = [_line(detail, limits) for detail in question.details]
        message += "\n\n" + "\n".join([DETAILS_HEADING, *lines])
    if len(message) > limits.total_chars:
        raise TooMuchToShowError(
            f"the question would be {len(message)} characters long and a dialog holds "
            f"{limits.total_chars}; split the call into smaller ones"
        )
    return message


def _own_words(text: str) -> str:
    if any(is_invisible(character) for character in text if character != "\n"):
        raise UnsafeIdentifierError("a sentence of this server holds an invisible character")
    return text


def _line(detail: Detail, limits: Limits) -> str:
    label, _ = clean_line(detail.label)
    value, hidden = clean_line(detail.value)
    if len(value) > limits.value_chars:
        if not detail.summary:
            raise TooMuchToShowError(
                f"{label} is {len(value)} characters long and a dialog shows at most "
                f"{limits.value_chars}; shorten it or split the call"
            )
        cut = len(value) - limits.value_chars
        value = f"{value[: limits.value_chars]}… (and {cut} more characters)"
    value = escape_markup(value)
    if hidden:
        value = f"{value} [{hidden} hidden character{'s' if hidden > 1 else ''} not shown]"
    return f"  {escape_markup(label)}: {value}"
