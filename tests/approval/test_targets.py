"""What a question binds is made of values, never of a text that was put together."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_approval.keys import Target, target_key

ROOT = Path(__file__).parents[2]
SOURCES = sorted(ROOT.glob("shared/*/src/**/*.py")) + sorted(ROOT.glob("packages/*/src/**/*.py"))
MAKERS = {"ordered", "members"}
WRITERS = {"dialogs", "details", "wording"}


def _targets(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in MAKERS
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in {"Target", "cls"}
        ):
            yield node


def _put_together(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            found.append(f"line {node.lineno}: an f-string")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
            found.append(f"line {node.lineno}: + or %")
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in {"join", "format"}
        ):
            found.append(f"line {node.lineno}: {node.func.attr}")
    return found


def faults(source: str) -> list[str]:
    """Where a target of a source text is put together."""
    return [
        fault
        for call in _targets(ast.parse(source))
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        for fault in _put_together(argument)
    ]


@pytest.mark.requirement("C-24")
@pytest.mark.parametrize(
    "path", [path for path in SOURCES if "Target." in path.read_text("utf-8")], ids=lambda p: p.stem
)
def test_no_part_of_a_target_is_joined(path: Path) -> None:
    assert faults(path.read_text("utf-8")) == []


@pytest.mark.requirement("C-24")
@pytest.mark.parametrize(
    "part",
    ['f"{a}/{b}"', '"/".join(parts)', 'a + "/" + b', '"%s/%s" % (a, b)', '"{}/{}".format(a, b)'],
)
def test_a_joined_part_would_be_found(part: str) -> None:
    assert faults(f'Target.members("tool", [{part}])') != []
    assert faults(f'Target.ordered("tool", ("role", a), body={{"x": {part}}})') != []
    assert faults('Target.ordered("tool", ("role", a), body=dict(b))') == []


@pytest.mark.requirement("C-18")
@pytest.mark.parametrize(
    "path",
    [path for path in SOURCES if WRITERS & {*path.stem.split("_"), path.parent.name}],
    ids=lambda path: f"{path.parts[-3]}.{path.stem}",
)
def test_no_server_joins_the_members_of_a_line_by_hand(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "', '.join":
            pytest.fail(f"line {node.lineno}: use joined()")


PARTS = st.text(st.sampled_from("ab/,: \x00"), max_size=4)


@pytest.mark.requirement("C-24")
@given(st.lists(PARTS, max_size=3), st.lists(PARTS, max_size=3))
def test_two_lists_of_parts_never_have_one_key(one: list[str], other: list[str]) -> None:
    key = b"k" * 32
    first = target_key(key, "s", Target.ordered("t", *(("part", part) for part in one)))
    second = target_key(key, "s", Target.ordered("t", *(("part", part) for part in other)))
    assert (first == second) is (one == other)
    first = target_key(key, "s", Target.members("t", [["topic", "a"], *one]))
    second = target_key(key, "s", Target.members("t", [["topic", "a"], *other]))
    assert (first == second) is (set(one) == set(other))
