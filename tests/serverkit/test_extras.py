"""Tools that are off by default: unknown until their switch is on, then like any other."""

from __future__ import annotations

import pytest

from mcp_serverkit import catalogue, definition
from mcp_serverkit.config.settings import Values, extras_variable, read_settings
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime.catalogue_writer import catalogue as made
from mcp_serverkit.runtime.catalogue_writer import live_answers
from mcp_serverkit.tools.registry import Call, Registry
from scripts.tables import tools_table
from tests.serverkit.kit import KIT, VARIABLES, App, Told

OWN = Registry(source="kit")


@OWN.read("Read one")
async def read_one(call: Call[App]) -> Told:
    """Read one thing."""
    return {"told": "one"}


@OWN.read("Read two")
async def read_two(call: Call[App]) -> Told:
    """Read two things."""
    return {"told": "two"}


@OWN.write("Write one", destructive=False, idempotent=True)
async def write_one(call: Call[App]) -> Told:
    """Write one thing."""
    return {"told": "written"}


@OWN.write("Delete one", destructive=True, idempotent=True, asks="when it matters")
async def delete_one(call: Call[App]) -> Told:
    """Delete one thing."""
    return {"told": "deleted"}


BASE = ["read_one", "write_one"]
EVERY = ["read_one", "read_two", "write_one", "delete_one"]

WITH_EXTRAS: Definition = KIT._replace(
    order=tuple(EVERY),
    registry=lambda: OWN,
    variables=(*VARIABLES, extras_variable("KIT", ("read_two", "delete_one"))),
    presets={"essential": ("read_one", "read_two")},
    extras=("read_two", "delete_one"),
)


def values(**environ: str) -> tuple[Values, list[str]]:
    """Settings, and what was warned of."""
    named = {f"KIT_{name.upper()}": value for name, value in environ.items()}
    reading = read_settings(WITH_EXTRAS.variables, "KIT", named)
    assert reading.problems == []
    return reading.values, reading.warnings


@pytest.fixture(params=["with a catalogue", "without"])
async def stored(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the choice be made from a catalogue, and from the registry."""
    document = await made(WITH_EXTRAS)
    found = catalogue.Catalogue(document) if request.param == "with a catalogue" else None
    monkeypatch.setattr(definition, "load", lambda _package: found)


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("environ", "names"),
    [
        ({}, BASE),
        ({"extras": "true"}, EVERY),
        ({"extras": "false"}, BASE),
        ({"allow_tools": "essential"}, ["read_one"]),
        ({"allow_tools": "essential", "extras": "true"}, ["read_one", "read_two"]),
        ({"allow_tools": "read_*"}, ["read_one"]),
        ({"allow_tools": "read_two", "extras": "true"}, ["read_two"]),
        ({"deny_tools": "read_two", "extras": "true"}, ["read_one", "write_one", "delete_one"]),
        ({"read_only": "1", "extras": "true"}, ["read_one", "read_two"]),
    ],
)
async def test_they_are_offered_only_with_the_switch(
    environ: dict[str, str], names: list[str]
) -> None:
    read, warned = values(**environ)
    assert warned == []
    choice = WITH_EXTRAS.select(read)
    assert (list(choice.names), choice.problems) == (names, ())
    assert list(WITH_EXTRAS.offered(read)) == names


CLOSED = WITH_EXTRAS._replace(
    suppressed=lambda _values: "KIT_OPEN is not on",
    spared=("delete_one",),
)


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("environ", "names"),
    [
        ({}, ["read_one"]),
        ({"extras": "true"}, ["read_one", "read_two", "delete_one"]),
        ({"extras": "true", "read_only": "1"}, ["read_one", "read_two"]),
        ({"extras": "true", "allow_tools": "delete_*"}, ["delete_one"]),
    ],
)
async def test_a_tool_that_writes_can_be_spared_by_a_switch_and_not_by_read_only(
    environ: dict[str, str], names: list[str]
) -> None:
    read, _ = values(**environ)
    assert list(CLOSED.select(read).names) == names


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("environ", "reason"),
    [
        ({}, "KIT_OPEN is not on, which leaves out every tool that writes;"),
        (
            {"extras": "true"},
            "KIT_OPEN is not on, which leaves out every tool that writes but delete_one;",
        ),
        (
            {"extras": "true", "read_only": "1"},
            "KIT_READ_ONLY is on, which leaves out every tool that writes;",
        ),
    ],
)
async def test_who_names_a_tool_that_is_left_out_reads_which_are_not(
    environ: dict[str, str], reason: str
) -> None:
    read, _ = values(allow_tools="write_one", **environ)
    [problem] = CLOSED.select(read).problems
    assert problem.startswith(f'KIT_ALLOW_TOOLS: "write_one": {reason} what remains is read_one')


@pytest.mark.parametrize("word", ["1", "yes", "TRUE", "on"])
def test_only_the_word_true_switches_them_on(word: str) -> None:
    read, warned = values(extras=word)
    assert list(WITH_EXTRAS.select(read).names) == BASE
    assert len(warned) == 1
    assert warned[0].startswith("KIT_EXTRAS: ")


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("variable", "entry", "told"),
    [
        ("allow_tools", "read_two", '"read_two" is no tool or essential'),
        ("allow_tools", "delete_*", '"delete_*" is no tool or essential'),
        ("deny_tools", "read_two", '"read_two" is no tool'),
    ],
)
async def test_an_entry_that_is_switched_off_is_unknown_and_names_the_switch(
    variable: str, entry: str, told: str
) -> None:
    read, _ = values(**{variable: entry})
    assert WITH_EXTRAS.select(read).problems == (
        f"KIT_{variable.upper()}: {told}; KIT_EXTRAS=true offers it; tools are read_one, write_one",
    )


async def test_one_catalogue_holds_the_answers_for_both() -> None:
    stored = catalogue.Catalogue(await made(WITH_EXTRAS))
    assert [tool.name for tool in stored.tools if tool.extra] == ["read_two", "delete_one"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definition, "load", lambda _package: stored)
        for environ, count in (({}, 2), ({"extras": "true"}, 4)):
            read, _ = values(**environ)
            early, live = WITH_EXTRAS.answers(read), await live_answers(WITH_EXTRAS, read)
            assert early is not None
            assert early.discover()["instructions"] == f"{count} dialog"
            assert early.initialize("2025-11-25") == live["initialize"]
            assert early.tools() == live["list"]
            assert early.discover() == live["discover"]
            assert early.modern_tools() == live["modern_list"]


def test_the_table_of_tools_lists_them_apart() -> None:
    base, switch, extra = tools_table(WITH_EXTRAS).partition("With `KIT_EXTRAS=true` also:")
    assert switch
    assert [name for name in EVERY if f"`{name}`" in base] == BASE
    assert [name for name in EVERY if f"`{name}`" in extra] == ["read_two", "delete_one"]
