"""A number says why it is that number."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path for folder in ("shared", "packages") for path in (ROOT / folder).glob("*/src/**/*.py")
)

CODES = re.compile(
    r"(PARSE_ERROR|INVALID_REQUEST|INVALID_PARAMS|METHOD_NOT_FOUND|INTERNAL_ERROR|.*_DIGEST_.*)"
)
"""Codes of the protocol and sizes of digests are what others say they are."""


def _is_number(node: ast.expr) -> bool:
    """A number, or a product or sum of numbers."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    return isinstance(node, ast.BinOp) and _is_number(node.left) and _is_number(node.right)


def without_reason(source: str) -> list[str]:
    """Name the numeric constants of a module without a docstring below or a remark above.

    One remark, or one docstring below the last, serves a group of lines without a gap.
    """
    lines = source.splitlines()
    body = ast.parse(source).body
    found: list[str] = []
    for index, node in enumerate(body):
        name = _constant(node)
        if name is None or CODES.fullmatch(name):
            continue
        group = index
        while group + 1 < len(body) and body[group + 1].lineno == (body[group].end_lineno or 0) + 1:
            group += 1
            if _is_text(body[group]):
                break
        below = _is_text(body[group])
        first = node.lineno
        while first > 1 and lines[first - 2].strip() and not lines[first - 2].startswith("#"):
            first -= 1
        above = first > 1 and lines[first - 2].startswith("#")
        aside = "  # " in lines[(node.end_lineno or 0) - 1]
        if not (below or above or aside):
            found.append(name)
    return found


def _constant(node: ast.stmt) -> str | None:
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    value = node.value if isinstance(node, ast.Assign) else None
    if isinstance(node, ast.AnnAssign):
        target, value = node.target, node.value
    if not isinstance(target, ast.Name) or value is None or not target.id.isupper():
        return None
    return target.id if _is_number(value) else None


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


@pytest.mark.requirement("HO-25")
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_each_number_has_a_reason(path: Path) -> None:
    assert without_reason(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("A = 3", ["A"]),
        ('A = 3\n"""Why."""', []),
        ("# Why.\nA = 3", []),
        ("# Why.\nA = 3\nB = 4", []),
        ('A = 3\nB = 4\n"""Why."""', []),
        ('A = 3\n\nB = 4\n"""Why."""', ["A"]),
        ("# Why.\nA = 3\n\nB = 4 * 1024", ["B"]),
        ("A = 3  # why", []),
        ("A: float = -0.5", ["A"]),
        ("PARSE_ERROR = -32700", []),
        ("a = 3\nB = 'x'\nC = True", []),
    ],
)
def test_what_counts_as_a_reason(source: str, found: list[str]) -> None:
    assert without_reason(source) == found
