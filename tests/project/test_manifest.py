"""Every stated behaviour has a test, and every named behaviour is stated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project.manifest import MANIFEST

TESTS = Path(__file__).parents[1]
NAMED = re.compile(r'mark\.requirement\(\s*((?:"S-[a-z]+-\d+",?\s*)+)')


def named_requirements() -> dict[str, set[str]]:
    """Requirement ids to the test files that name them."""
    found: dict[str, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        for group in NAMED.findall(path.read_text(encoding="utf-8")):
            for requirement in re.findall(r"S-[a-z]+-\d+", group):
                found.setdefault(requirement, set()).add(path.name)
    return found


@pytest.mark.parametrize("requirement", MANIFEST)
def test_each_stated_behaviour_is_held_by_a_test(requirement: str) -> None:
    assert named_requirements().get(requirement), MANIFEST[requirement]


def test_each_named_behaviour_is_stated() -> None:
    assert set(named_requirements()) <= set(MANIFEST)
