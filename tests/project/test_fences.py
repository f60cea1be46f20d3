"""A setting that limits a server never fails open: not when empty, not when mistyped."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_approval.environment import approval, settings
from mcp_serverkit.config.settings import Reading, Variable, read_settings
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime import cli
from scripts.definitions import DEFINITIONS, package_of

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)

HOLDS_NO_ENTRY = "holds no entry; leave it unset if nothing is to be limited"
NOTHING = (",", " , ", ",,", " ,\t, ,")

LIMITS = "That one limits what this server may do"
DECIDES = "That one decides who is asked, or what is recorded"


def reading_of(definition: Definition, environ: dict[str, str]) -> Reading:
    """What a server reads from an environment."""
    return read_settings(definition.variables, definition.prefix, environ)


def is_comma_list(variable: Variable) -> bool:
    """Tell by its behaviour whether a variable holds a comma list."""
    with_nothing: dict[str, str] = {variable.name: ","}
    return any(
        HOLDS_NO_ENTRY in text for text in read_settings((variable,), "X", with_nothing).problems
    ) or ("comma" in variable.kind)


def fences(definition: Definition) -> list[Variable]:
    """The variables of a server that limit it."""
    return [variable for variable in definition.variables if variable.fence]


def mistyped(name: str, prefix: str) -> Iterator[str]:
    """Each deletion, doubling and transposition of one letter behind the prefix."""
    for index in range(len(prefix) + 1, len(name)):
        yield name[:index] + name[index + 1 :]
        yield name[: index + 1] + name[index:]
        yield name[:index] + name[index + 1 : index + 2] + name[index] + name[index + 2 :]


@by_name
def test_nothing_set_is_no_problem(definition: Definition) -> None:
    assert reading_of(definition, {}).problems == []
    assert fences(definition)


@pytest.mark.requirement("R-72", "C-12")
@by_name
@pytest.mark.parametrize("value", NOTHING)
def test_a_list_without_an_entry_ends_the_start(definition: Definition, value: str) -> None:
    lists = [variable for variable in definition.variables if is_comma_list(variable)]
    assert lists
    for variable in lists:
        problems = reading_of(definition, {variable.name: value}).problems
        assert problems == [f"{variable.name}: {HOLDS_NO_ENTRY}"]


@pytest.mark.requirement("C-12")
@by_name
@pytest.mark.parametrize("placeholder", ["${LIST}", "<your-list>", "$LIST", "%LIST%"])
def test_a_placeholder_among_the_entries_ends_the_start(
    definition: Definition, placeholder: str
) -> None:
    for variable in filter(is_comma_list, definition.variables):
        problems = reading_of(definition, {variable.name: f"a,{placeholder}"}).problems
        assert len(problems) == 1
        assert problems[0].startswith(f"{variable.name}: entry 2 ")
        assert placeholder not in problems[0]


@pytest.mark.requirement("C-13")
@by_name
def test_a_mistyped_name_of_a_fence_ends_the_start(definition: Definition) -> None:
    known = {variable.name for variable in definition.variables}
    for fence in fences(definition):
        prefix = fence.name.partition("_")[0]
        why = LIMITS if prefix == definition.prefix else DECIDES
        names = {*mistyped(fence.name, prefix), fence.name.lower()} - known
        for name in names:
            read = reading_of(definition, {name: "x"})
            assert [problem.partition(":")[0] for problem in read.problems] == [name]
            assert why in read.problems[0]
            assert read.warnings == []
            # A blank value is what a client passes on for an option that was left empty.
            assert reading_of(definition, {name: " "}).problems == []


@pytest.mark.requirement("C-13")
@by_name
def test_a_name_near_a_fence_that_is_set_is_a_warning(definition: Definition) -> None:
    for fence in fences(definition):
        others = {other.name: "x" for other in fences(definition)}
        others["APPROVAL_REACH"] = "window"
        name = fence.name + fence.name[-1]
        read = reading_of(definition, {**others, name: "x"})
        assert [problem for problem in read.problems if problem.startswith(f"{name}:")] == []
        assert f"{name}: is no variable of this server; did you mean {fence.name}?" in read.warnings


@pytest.mark.requirement("R-72")
@pytest.mark.parametrize(
    ("name", "environ", "told"),
    [
        ("ntfy-mcp", {"NTFY_TOPICS": ","}, f"NTFY_TOPICS: {HOLDS_NO_ENTRY}"),
        (
            "woodpecker-ci-mcp",
            {"WOODPECKER_DENY_TOOLS": " , "},
            f"WOODPECKER_DENY_TOOLS: {HOLDS_NO_ENTRY}",
        ),
        (
            "ntfy-mcp",
            {"NTFY_TOPCIS": "alerts"},
            "NTFY_TOPCIS: is no variable of this server; did you mean NTFY_TOPICS? That one limits "
            "what this server may do, so it does not start without it.",
        ),
        (
            "ntfy-mcp",
            {"ntfy_topics": "alerts"},
            "ntfy_topics: is no variable of this server; did you mean NTFY_TOPICS? That one limits "
            "what this server may do, so it does not start without it.",
        ),
    ],
)
def test_the_command_says_one_line_and_ends_with_one(
    name: str, environ: dict[str, str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (definition,) = (each for each in DEFINITIONS if each.name == name)
    assert cli.main(definition, [], dict(environ)) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"{name}: {told}\n")


@pytest.mark.requirement("C-13")
@pytest.mark.parametrize(
    ("name", "environ"),
    [
        ("ntfy-mcp", {"NTFY_TOPICS": "alerts", "NTFY_TOPIC": "x"}),
        ("hetzner-dns-mcp", {"HETZNER_TIMEOT": "5"}),
    ],
)
def test_what_limits_nothing_is_warned_of_only(name: str, environ: dict[str, str]) -> None:
    (definition,) = (each for each in DEFINITIONS if each.name == name)
    read = reading_of(definition, dict(environ))
    assert read.problems == []
    assert len(read.warnings) == 1


@pytest.mark.requirement("C-12")
def test_blank_entries_between_real_ones_drop_out() -> None:
    (ntfy,) = (each for each in DEFINITIONS if each.name == "ntfy-mcp")
    assert reading_of(ntfy, {"NTFY_TOPICS": "alerts,"}).values["topics"] == ("alerts",)
    assert reading_of(ntfy, {"NTFY_TOPICS": " a ,, b"}).values["topics"] == ("a", "b")


def declared(source: Path) -> dict[str, set[str]]:
    """The keywords that each variable's declaration in a file spells out, by its name there."""
    calls = (
        node
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    )
    return {
        str(call.args[0].value): {keyword.arg or "" for keyword in call.keywords}
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id == "Variable"
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }


@pytest.mark.requirement("C-13")
@by_name
def test_each_comma_list_says_whether_it_limits(definition: Definition) -> None:
    sources = [*(package_of(definition) / "src").rglob("*.py")]
    sources += [Path(settings.__file__), Path(approval.__file__)]
    said = {name: words for source in sources for name, words in declared(source).items()}
    for variable in filter(is_comma_list, definition.variables):
        short = variable.name.removeprefix(f"{definition.prefix}_")
        assert "fence" in said.get(variable.name, said.get(short, set())), variable.name
