"""The message of a dialog, composed from a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

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
    block = _CallerBlock(question, limits)
    details = list(block.lines())
    findings = [_finding(finding) for finding in question.findings]
    _check_lines(len(details) + len(findings), limits, question.advice)
    not_shown = block.not_shown()
    if not_shown:
        findings.append(f"  {NOT_SHOWN}: {not_shown}")
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
    return escape_markup(message) if escape else message


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

    def __init__(self, question: Question, limits: Limits) -> None:
        self._details = question.details
        self._limits = limits
        self._advice = question.advice
        self._lookalikes = Lookalikes(
            detail.label for detail in (*question.details, *question.findings)
        )
        self._missing: Counter[tuple[str, str]] = Counter()

    def lines(self) -> Iterator[str]:
        """All lines, one after the other."""
        for detail in self._details:
            label = clean_line(detail.label).text
            if detail.block is False:
                yield f"  {label}: {self._value(label, detail)}"
            else:
                block = Block() if detail.block is True else detail.block
                yield f"  {label}:"
                yield from self._text(label, detail.value, block)

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

    def _text(self, label: str, text: str, block: Block) -> Iterator[str]:
        lines = clean_lines(text)
        for line in lines:
            self._note(label, line)
        head, left_out, tail = _cut([line.text for line in lines], block)
        yield from map(self._marked, head)
        if left_out:
            self._miss(label, "character", left_out)
            yield f"  : {counted(left_out, 'character')} in between are not shown"
            yield from map(self._marked, tail)

    def _marked(self, line: str) -> str:
        return f"  | {quoted(line) if line in self._lookalikes else line}".rstrip()

    def _note(self, label: str, line: Line) -> None:
        self._miss(label, "hidden character", line.hidden)
        self._miss(label, "blank", line.blanks)
        self._miss(label, "line break", line.breaks)

    def _miss(self, label: str, noun: str, number: int) -> None:
        if number:
            self._missing[base_label(label), noun] += number


def _cut(lines: Sequence[str], block: Block) -> tuple[list[str], int, list[str]]:
    """Part a text into what is shown of its head, what is not, and its tail."""
    text = "\n".join(lines)
    if len(text) <= block.whole_chars and len(lines) <= block.whole_lines:
        return list(lines), 0, []
    head = "\n".join(text[: block.head_chars].split("\n")[: block.head_lines])
    last = text[max(len(text) - block.tail_chars, len(head)) :]
    tail = "\n".join(last.split("\n")[-block.tail_lines :])
    while tail and is_invisible(tail, 0) and tail[0] != "\n":
        tail = tail[1:]
    return head.split("\n"), len(text) - len(head) - len(tail), tail.split("\n")
