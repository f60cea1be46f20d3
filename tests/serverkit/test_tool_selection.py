"""Choosing tools: names, prefixes, presets, and switches that leave out what writes."""

from __future__ import annotations

import pytest

from tests.serverkit.kit import KIT, TOOLS, reading

EVERY = [tool.name for tool in TOOLS]
READS = ["read_one", "read_two"]
NAMES = ", ".join(EVERY)


def _choose(**environ: str) -> tuple[list[str], list[str], list[str]]:
    read = reading({f"KIT_{name.upper()}": value for name, value in environ.items()})
    assert read.problems == []
    choice = KIT.select(read.values)
    return list(choice.names), list(choice.problems), list(choice.warnings)


@pytest.mark.parametrize(
    ("environ", "names"),
    [
        ({}, EVERY),
        ({"allow_tools": "read_one"}, ["read_one"]),
        ({"allow_tools": "READ_ONE"}, ["read_one"]),
        ({"allow_tools": "delete_one,read_one"}, ["read_one", "delete_one"]),
        ({"allow_tools": "read_*"}, READS),
        ({"allow_tools": "*"}, EVERY),
        ({"allow_tools": "essential"}, ["read_one", "write_one"]),
        ({"allow_tools": "essential,read_two"}, [*READS, "write_one"]),
        ({"deny_tools": "write_*,delete_one"}, READS),
        ({"allow_tools": "read_*", "deny_tools": "read_one"}, ["read_two"]),
        ({"read_only": "on"}, READS),
        ({"read_only": "on", "allow_tools": "read_one"}, ["read_one"]),
        ({"read_only": "on", "allow_tools": "essential"}, ["read_one"]),
        ({"read_only": "on", "deny_tools": "write_one"}, READS),
    ],
)
def test_what_is_chosen_keeps_the_listing_order(environ: dict[str, str], names: list[str]) -> None:
    assert _choose(**environ) == (names, [], [])


@pytest.mark.parametrize(
    ("environ", "problem"),
    [
        (
            {"allow_tools": "read_noe"},
            f'KIT_ALLOW_TOOLS: "read_noe" is no tool or essential; tools are {NAMES}',
        ),
        (
            {"deny_tools": "essential"},
            f'KIT_DENY_TOOLS: "essential" is no tool; tools are {NAMES}',
        ),
        ({"deny_tools": "none_*"}, f'KIT_DENY_TOOLS: "none_*" is no tool; tools are {NAMES}'),
        ({"allow_tools": "r*d_one"}, 'KIT_ALLOW_TOOLS: "r*d_one": a * may only stand at the end'),
        ({"allow_tools": "*_one"}, 'KIT_ALLOW_TOOLS: "*_one": a * may only stand at the end'),
        ({"allow_tools": "**"}, 'KIT_ALLOW_TOOLS: "**": a * may only stand at the end'),
        (
            {"allow_tools": "read_one,tk-Secret-1"},
            f"KIT_ALLOW_TOOLS: entry 2 is no tool or essential; tools are {NAMES}",
        ),
        (
            {"allow_tools": "x" * 33},
            f"KIT_ALLOW_TOOLS: entry 1 is no tool or essential; tools are {NAMES}",
        ),
        ({"deny_tools": "*"}, "KIT_DENY_TOOLS: no tool would be left to offer"),
        (
            {"allow_tools": "read_one", "deny_tools": "read_*"},
            "KIT_DENY_TOOLS: no tool would be left to offer",
        ),
        (
            {"read_only": "on", "allow_tools": "write_one"},
            'KIT_ALLOW_TOOLS: "write_one": KIT_READ_ONLY is on, which leaves out every tool that '
            "writes; what remains is read_one, read_two",
        ),
    ],
)
def test_an_entry_of_no_use_is_a_problem_that_names_what_there_is(
    environ: dict[str, str], problem: str
) -> None:
    assert problem in _choose(**environ)[1]


def test_a_prefix_that_a_switch_empties_is_a_warning_only() -> None:
    names, problems, warnings = _choose(read_only="on", allow_tools="read_one,write_*")
    assert names == ["read_one"]
    assert problems == []
    assert warnings == [
        'KIT_ALLOW_TOOLS: "write_*" adds nothing: KIT_READ_ONLY is on, which leaves out every tool '
        "that writes"
    ]


def test_a_choice_that_leaves_nothing_is_a_problem() -> None:
    assert _choose(read_only="on", allow_tools="write_*")[1] == [
        "KIT_ALLOW_TOOLS: no tool would be left to offer"
    ]
