"""The message of a dialog, composed from a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from mcp_approval.blocks import COLUMNS, LEAST_ROWS, MARK, cut_to_characters, cut_to_rows, rows_of
from mcp_approval.invisible import is_invisible
from mcp_approval.limits import Limits
from mcp_approval.markup import escape_markup
from mcp_approval.question import (
    Block,
    Detail,
    Joined,
    Marked,
    Question,
    TooMuchToShowError,
    UnsafeIdentifierError,
    quoted,
)
from mcp_approval.quoting import (
    DETAILS_HEADING,
    FINDINGS_HEADING,
    NOT_SHOWN,
    Lookalikes,
    base_label,
)
from mcp_approval.sanitize import Line, clean_line, clean_lines
from mcp_approval.wording import counted

_QUOTED = re.compile("«[^«»]*»")


def render(question: Question, limits: Limits, reason: str = "", *, escape: bool = True) -> str:
    """Compose the message of a dialog.

    Args:
        question: What is asked.
        limits: How much may be shown.
        reason: Why it is asked again, as a sentence; it comes first.
        escape: Whether what a renderer would act on gets a backslash.

    Raises:
        TooMuchToShowError: A value that decides something, or the whole, is too long.
        UnsafeIdentifierError: The server's own words hold something invisible.
    """
    message, rows = _compose(question, limits, reason, {})
    fits = limits.rows is None or rows_of(_escaped(message, escape)) <= limits.rows
    if not fits and limits.rows is not None and rows:
        message = _fitted(question, limits, reason, limits.rows)
    return _escaped(message, escape)


def _escaped(message: str, escape: bool) -> str:
    return escape_markup(message) if escape else message


def _fitted(question: Question, limits: Limits, reason: str, window: int) -> str:
    """Let texts yield until the message fits a window, or nothing is left to yield."""
    whole, rows = _compose(question, limits, reason, {})
    if rows_of(escape_markup(whole)) - sum(rows.values()) > window:
        return whole
    room = dict.fromkeys(rows, window * COLUMNS)
    while True:
        message, rows = _compose(question, limits, reason, room)
        excess = rows_of(escape_markup(message)) - window
        longest = max(rows, key=lambda index: rows[index])
        if excess <= 0 or rows[longest] <= LEAST_ROWS:
            return message
        room[longest] = max(LEAST_ROWS, min(rows[longest], room[longest]) - excess)


def _compose(
    question: Question, limits: Limits, reason: str, room: Mapping[int, int]
) -> tuple[str, Mapping[int, int]]:
    """Compose a message, and count the rows of each text in it."""
    block = _CallerBlock(question, limits, room)
    details = list(block.lines())
    findings = [_finding(finding) for finding in question.findings]
    _check_lines(len(details) + len(findings), limits, question.advice)
    not_shown = block.not_shown()
    if not_shown:
        findings.append(f"  {NOT_SHOWN}: {not_shown}")
    findings += map(_own_words, block.remarks)
    paragraphs = [
        *filter(None, [reason]),
        f"This will {_own_words(question.what)}.",
        _own_words(question.consequence),
        *_headed(FINDINGS_HEADING, findings),
        *_headed(DETAILS_HEADING, details),
    ]
    message = "\n\n".join(paragraphs)
    if len(message) > limits.total_chars:
        raise TooMuchToShowError(
            f"the question would be {len(message)} characters long and a dialog holds "
            f"{limits.total_chars}. {question.advice}"
        )
    return message, block.rows


def _headed(heading: str, lines: Sequence[str]) -> list[str]:
    return ["\n".join([heading, *lines])] if lines else []


def _check_lines(lines: int, limits: Limits, advice: str) -> None:
    if lines > limits.lines:
        raise TooMuchToShowError(
            f"the question would need {lines} lines and a dialog holds {limits.lines}. {advice}"
        )


def _own_words(text: str) -> str:
    if any(is_invisible(text, index) for index, char in enumerate(text) if char != "\n"):
        raise UnsafeIdentifierError("a sentence of this server holds an invisible character")
    return text


def _finding(finding: Detail) -> str:
    line = f"  {finding.label}: {finding.value}"
    if "\n" in line:
        raise UnsafeIdentifierError("a finding of this server is more than one line")
    return _own_words(line)


class _CallerBlock:
    """The lines of values, and what of the values they do not show."""

    def __init__(self, question: Question, limits: Limits, room: Mapping[int, int]) -> None:
        self.rows: dict[int, int] = {}
        self.remarks: dict[str, None] = {}
        self._room = room
        self._details = question.details
        self._limits = limits
        self._advice = question.advice
        self._lookalikes = Lookalikes(
            detail.label for detail in (*question.details, *question.findings)
        )
        self._missing: Counter[tuple[str, str]] = Counter()

    def lines(self) -> Iterator[str]:
        """All lines, one after the other."""
        for index, detail in enumerate(self._details):
            label = clean_line(detail.label).text
            if detail.block is False:
                yield f"  {label}: {self._value(label, detail)}"
            else:
                block = Block() if detail.block is True else detail.block
                yield f"  {label}:"
                lines = list(self._text(label, detail.value, block, self._room.get(index)))
                self.rows[index] = sum(map(rows_of, lines))
                yield from lines

    def not_shown(self) -> str:
        """What the lines do not show, in words; empty when they show all."""
        return ", ".join(
            f"{counted(number, noun)} in {label}" for (label, noun), number in self._missing.items()
        )

    def _value(self, label: str, detail: Detail) -> str:
        line = clean_line(detail.value)
        self._note(label, line)
        value = line.text
        if len(value) > self._limits.value_chars:
            if not detail.summary:
                raise TooMuchToShowError(
                    f"{label} is {len(value)} characters long and a dialog shows at most "
                    f"{self._limits.value_chars}. {self._advice}"
                )
            self._miss(label, "character", len(value) - self._limits.value_chars)
            value = value[: self._limits.value_chars] + "…"
        return self._told_apart(label, detail.value, value)

    def _told_apart(self, label: str, raw: str, value: str) -> str:
        """Quote a value that could pass for a line of this question."""
        if isinstance(raw, Marked):
            if _QUOTED.sub("«»", value) not in self._lookalikes:
                return value
            if isinstance(raw, Joined):
                return ", ".join(quoted(clean_line(member).text) for member in raw.members)
        elif "«" not in value and "»" not in value and value not in self._lookalikes:
            return value
        self._miss(label, "quotation mark", value.count("«") + value.count("»"))
        return quoted(value)

    def _text(self, label: str, text: str, block: Block, room: int | None) -> Iterator[str]:
        lines = clean_lines(text)
        for line in lines:
            self._note(label, line)
        shown = [line.text for line in lines if line.text or room is None]
        cut = cut_to_characters(shown, block)
        if room is not None and sum(rows_of(MARK + line) for line in shown) > room:
            cut = cut_to_rows(shown, room)
            elsewhere = f"; {block.elsewhere}" if block.elsewhere else ""
            self.remarks[f"  This client's window holds no longer question{elsewhere}."] = None
        yield from map(self._marked, cut.head)
        if cut.left_out:
            self._miss(label, "character", cut.left_out)
            yield f"  : {counted(cut.left_out, 'character')} in between are not shown"
            yield from map(self._marked, cut.tail)

    def _marked(self, line: str) -> str:
        return f"{MARK}{quoted(line) if line in self._lookalikes else line}".rstrip()

    def _note(self, label: str, line: Line) -> None:
        self._miss(label, "hidden character", line.hidden)
        self._miss(label, "blank", line.blanks)
        self._miss(label, "line break", line.breaks)

    def _miss(self, label: str, noun: str, number: int) -> None:
        if number:
            self._missing[base_label(label), noun] += number
