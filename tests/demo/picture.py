"""The picture of a dialog in the README: a real question of a real server, as SVG.

python -m tests.demo.picture     write it
"""

from __future__ import annotations

import asyncio
import textwrap
from pathlib import Path
from xml.sax.saxutils import escape

import mcp_types as types

from tests.demo.questions import MAIL, asked

PICTURE = Path(__file__).with_name("dialog.svg")

WIDTH, LINE, COLUMNS = 760, 19, 88


def drawn(params: types.ElicitRequestFormParams) -> str:
    """Draw a question as a client would show it."""
    box = params.requested_schema["properties"]["confirm"]
    lines = [
        line
        for paragraph in params.message.splitlines()
        for line in textwrap.wrap(paragraph, COLUMNS) or [""]
    ]
    hint = textwrap.wrap(str(box["description"]), COLUMNS - 4)
    height = (len(lines) + len(hint) + 6) * LINE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="14">',
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2}" rx="10" fill="#ffffff" '
        'stroke="#b8c2cc"/>',
    ]
    y = LINE * 2
    for line in lines:
        parts.append(f'<text x="24" y="{y}" xml:space="preserve">{escape(line)}</text>')
        y += LINE
    parts.append(f'<rect x="24" y="{y + 5}" width="13" height="13" fill="none" stroke="#333333"/>')
    y += LINE - 2
    parts.append(f'<text x="46" y="{y}" font-weight="bold">{escape(str(box["title"]))}</text>')
    for line in hint:
        y += LINE
        parts.append(f'<text x="46" y="{y}" fill="#5a6570">{escape(line)}</text>')
    for index, (word, colour) in enumerate((("Decline", "#eef1f4"), ("Accept", "#d9ead9"))):
        x = WIDTH - 210 + index * 95
        parts.append(f'<rect x="{x}" y="{y + 14}" width="86" height="28" rx="5" fill="{colour}"/>')
        parts.append(f'<text x="{x + 18}" y="{y + 33}">{word}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    PICTURE.write_text(drawn(asyncio.run(asked(MAIL))), encoding="utf-8")
    print(PICTURE)


if __name__ == "__main__":
    main()
