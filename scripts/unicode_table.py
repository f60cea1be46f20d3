"""Writes the table of invisible characters of the approval package.

python -m scripts.unicode_table     write it

The properties come from `regex`, which knows those that `unicodedata` lacks and says
which version of Unicode it holds.
"""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import regex  # type: ignore[import-untyped]

UNICODE = "17.0.0"
TARGET = Path(__file__).parents[1] / "shared/mcp-approval/src/mcp_approval/invisible_table.py"

TABLES = {
    "INVISIBLE": (
        r"[\p{DI}\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{NChar}\u2800\U0001D159\U00013441\U00013442]",
        "What draws nothing: default ignorable ones, controls, formats, surrogates, private use,\n"
        "separators, noncharacters and four blanks that have no category of their own.",
    ),
    "EMOJI": (r"[\p{Emoji}--[0-9#*]]", "Emoji, without the twelve keys that are ASCII."),
    "MARKS": (r"[\p{Mn}\p{Me}]", "Marks that stand on the character before them."),
    "VIRAMAS": (r"\p{ccc=9}", "Marks of combining class 9, which join consonants."),
}

HEAD = '''"""Characters by property, from Unicode {version}; written by `make unicode`.

Each table is a sorted row of borders: a code point is inside when an odd number of them
is not greater than it.
"""

from __future__ import annotations

from typing import Final

# fmt: off
'''


ALL = "".join(map(chr, range(sys.maxunicode + 1)))


def borders(pattern: str) -> list[int]:
    """First code point of each range, and the first one after it."""
    ranges = regex.finditer(f"{pattern}+", ALL, regex.V1)
    return [border for found in ranges for border in found.span()]


def table() -> str:
    """The module's text."""
    described = metadata.distribution("regex").read_text("METADATA") or ""
    if f"supports Unicode {UNICODE}" not in described:
        raise SystemExit(f"the installed regex does not hold Unicode {UNICODE}")
    parts = [HEAD.format(version=UNICODE)]
    for name, (pattern, meaning) in TABLES.items():
        lines = [f"{name}: Final = ("]
        line = "   "
        for border in borders(pattern):
            word = f" {border:#x},"
            if len(line) + len(word) > 96:
                lines.append(line)
                line = "   "
            line += word
        parts.append("\n".join([*lines, line, ")", f'"""{meaning}"""', ""]))
    return "\n".join([*parts, "# fmt: on", ""])


if __name__ == "__main__":
    TARGET.write_text(table(), encoding="utf-8")
