"""The pictures of questions in the README: real ones of real servers, as SVG.

python -m demo.picture     write them
"""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast
from xml.sax.saxutils import escape

import mcp_types as types

from demo.notifications import notified
from demo.questions import MAIL, asked

PICTURE = Path(__file__).with_name("dialog.svg")
PHONE_PICTURE = Path(__file__).with_name("notification.svg")

WIDTH, LINE, COLUMNS = 760, 19, 88


def drawn(params: types.ElicitRequestFormParams) -> str:
    """Draw a question as a client would show it."""
    box = params.requested_schema["properties"]["confirm"]
    lines = _wrapped(params.message)
    hint = textwrap.wrap(str(box["description"]), COLUMNS - 4)
    parts = _card(len(lines) + len(hint) + 6)
    y = LINE * 2
    for line in lines:
        parts.append(_line(y, line))
        y += LINE
    parts.append(f'<rect x="24" y="{y + 5}" width="13" height="13" fill="none" stroke="#333333"/>')
    y += LINE - 2
    parts.append(f'<text x="46" y="{y}" font-weight="bold">{escape(str(box["title"]))}</text>')
    for line in hint:
        y += LINE
        parts.append(f'<text x="46" y="{y}" fill="#5a6570">{escape(line)}</text>')
    return "\n".join([*parts, *_buttons(y + 14, "Decline", "Accept"), "</svg>", ""])


def drawn_on_a_phone(notification: Mapping[str, object]) -> str:
    """Draw a notification as the app of ntfy does."""
    lines = _wrapped(str(notification["message"]))
    actions = cast("Sequence[Mapping[str, str]]", notification["actions"])
    parts = _card(len(lines) + 5)
    title = escape(str(notification["title"]))
    parts.append(f'<text x="24" y="{LINE * 2}" font-weight="bold">{title}</text>')
    for number, line in enumerate(lines, 3):
        parts.append(_line(LINE * number, line))
    labels = [action["label"] for action in reversed(actions)]
    y = LINE * (len(lines) + 2) + 14
    return "\n".join([*parts, *_buttons(y, *labels), "</svg>", ""])


def _wrapped(text: str) -> list[str]:
    return [
        line
        for paragraph in text.splitlines()
        for line in textwrap.wrap(paragraph, COLUMNS) or [""]
    ]


def _card(rows: int) -> list[str]:
    height = rows * LINE
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="14">',
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2}" rx="10" fill="#ffffff" '
        'stroke="#b8c2cc"/>',
    ]


def _line(y: int, text: str) -> str:
    return f'<text x="24" y="{y}" xml:space="preserve">{escape(text)}</text>'


def _buttons(y: int, no: str, yes: str) -> list[str]:
    parts = []
    for index, (word, colour) in enumerate(((no, "#eef1f4"), (yes, "#d9ead9"))):
        x = WIDTH - 210 + index * 95
        parts.append(f'<rect x="{x}" y="{y}" width="86" height="28" rx="5" fill="{colour}"/>')
        parts.append(f'<text x="{x + 18}" y="{y + 19}">{word}</text>')
    return parts


def main() -> None:
    PICTURE.write_text(drawn(asyncio.run(asked(MAIL))), encoding="utf-8")
    notification = asyncio.run(notified(MAIL))
    PHONE_PICTURE.write_text(drawn_on_a_phone(notification), encoding="utf-8")
    print(PICTURE, PHONE_PICTURE)


if __name__ == "__main__":
    main()
