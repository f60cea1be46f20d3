"""A bar chart as SVG, small enough to be read as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

WIDTH, LEFT, BAR, GAP, TOP = 760, 190, 16, 6, 44
COLOURS = ("#2f6f8f", "#d08a2e")


def bars(title: str, series: Sequence[str], rows: Mapping[str, Sequence[float]]) -> str:
    """Draw one group of bars for each row, each bar with its figure.

    Args:
        title: What is shown.
        series: Name of each bar of a group.
        rows: Name of a group to its values.
    """
    most = max(value for values in rows.values() for value in values)
    scale = (WIDTH - LEFT - 70) / most
    group = len(series) * BAR + GAP * 2
    height = TOP + len(rows) * group + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="10" y="18" font-size="14">{escape(title)}</text>',
    ]
    for index, name in enumerate(series):
        x = 10 + index * 240
        parts.append(f'<rect x="{x}" y="26" width="10" height="10" fill="{COLOURS[index]}"/>')
        parts.append(f'<text x="{x + 15}" y="35">{escape(name)}</text>')
    for row, (name, values) in enumerate(rows.items()):
        y = TOP + row * group + GAP
        parts.append(f'<text x="10" y="{y + group / 2 - 4:.0f}">{escape(name)}</text>')
        for index, value in enumerate(values):
            top, length = y + index * BAR, max(1.0, value * scale)
            parts.append(
                f'<rect x="{LEFT}" y="{top}" width="{length:.1f}" height="{BAR - 3}" '
                f'fill="{COLOURS[index]}"/>'
            )
            parts.append(
                f'<text x="{LEFT + length + 5:.1f}" y="{top + BAR - 5}">{value:.2f}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])
