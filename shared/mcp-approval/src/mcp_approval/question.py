"""What a person is asked: the question and its lines, in the server's words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mcp_approval.invisible import is_invisible
from mcp_approval.sanitize import clean_line

_UNCLEAR = re.compile("[,«»]")
"""What makes members of a line look like more, or fewer, than they are."""


_SINGLE = str.maketrans({"«": "\u2039", "»": "\u203a"})


class TooMuchToShowError(Exception):
    """What the call would write does not fit the dialog, so it may not be asked about."""


class UnsafeIdentifierError(Exception):
    """A name failed the check that must precede its use in the server's own words."""


class Block(NamedTuple):
    """How much of a text of many lines is shown; characters are counted after cleaning.

    Attributes:
        whole_chars: Up to this many characters, and
        whole_lines: this many lines, it is shown whole. Beyond it stand
        head_chars: its first characters,
        head_lines: this many lines of them at most,
        tail_chars: and its last characters,
        tail_lines: this many lines of them at most.
        elsewhere: Where the whole can be seen, as a clause; told where a client's
            window is the reason that it is cut.
    """

    whole_chars: int = 8_000
    whole_lines: int = 300
    head_chars: int = 6_000
    head_lines: int = 220
    tail_chars: int = 1_500
    tail_lines: int = 60
    elsewhere: str = ""


@dataclass(frozen=True, slots=True)
class Detail:
    """One labelled line of a question.

    Attributes:
        label: Server's words, a few at most; a `checked` name may stand in it.
        value: The caller's text, raw; it is cleaned when shown. Several values on one
            line come from `joined`.
        summary: Whether a long value may be cut. Only for values that describe
            rather than decide.
        block: Whether the value is a text, shown line by line below its label; a
            `Block` says how much of it.
    """

    label: str
    value: str
    summary: bool = False
    block: bool | Block = False


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
        advice: What to do where the question does not fit a dialog: a sentence without
            its full stop, which loses nothing, whoever follows it.
        findings: What the server found out: warnings, counts, digests. Server's words,
            numbers and `checked` names only; they stand above the caller's values.
    """

    what: str
    consequence: str
    details: tuple[Detail, ...] = ()
    title: str = "Allow this?"
    hint: str = "Tick to allow it. To stop it, leave this empty, decline or close the dialog."
    unbound: tuple[str, ...] = ()
    advice: str = "Split the call into smaller ones"
    findings: tuple[Detail, ...] = ()


class Marked(str):
    """A value in which the server itself set « » around parts, by `quoted`."""

    __slots__ = ()


class Joined(Marked):
    """Several values on one line, each of them known."""

    __slots__ = ("members",)

    members: tuple[str, ...]


def checked(value: str, pattern: str) -> str:
    """Return an identifier that may stand inside the server's own sentence.

    Args:
        value: The identifier.
        pattern: Regular expression that the whole value must match.

    Raises:
        UnsafeIdentifierError: It does not match; the value is not repeated.
    """
    if re.fullmatch(pattern, value) is None or _hides(value):
        raise UnsafeIdentifierError("a name holds characters that this server does not show")
    return value


def listed(values: Sequence[str], shown: int) -> str:
    """Join the first values with commas and count the rest; for summaries only."""
    head = ", ".join(values[:shown])
    rest = len(values) - shown
    return f"{head}, and {rest} more" if rest > 0 else head


def quoted(value: str) -> str:
    """Put a value into « »; its own become the single ones, U+2039 and U+203A."""
    return f"«{value.translate(_SINGLE)}»"


def joined(values: Sequence[str]) -> Joined:
    """Put several values on one line of a dialog so that each can be told from the next."""
    unclear = any(
        value != value.strip() or not clean_line(value).text or _UNCLEAR.search(value)
        for value in values
    )
    line = Joined(", ".join(map(quoted, values) if unclear else values))
    line.members = tuple(values)
    return line


def one_of(value: object, words: Collection[str]) -> str:
    """Give a word of the service back if it is one of a closed set, otherwise `unknown`."""
    return value if isinstance(value, str) and value in words else "unknown"


def _hides(text: str) -> bool:
    return any(is_invisible(text, index) for index in range(len(text)))
