"""Every stated behaviour has a test, and every named behaviour is stated."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.project.manifest import MANIFEST, PARTS

TESTS = Path(__file__).parents[1]
NAMED = re.compile(r"mark\.requirement\(([^()]*)\)")
SENTENCE = 120
"""Characters of a sentence: one glance."""


@cache
def named_requirements() -> dict[str, set[str]]:
    """Requirement ids to the test files that name them."""
    found: dict[str, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        for group in NAMED.findall(path.read_text(encoding="utf-8")):
            for requirement in re.split(r"[\s,]+", group.strip().rstrip(",")):
                found.setdefault(requirement.strip('"'), set()).add(path.name)
    return found


@pytest.mark.requirement("HO-21")
@pytest.mark.parametrize("requirement", MANIFEST)
def test_each_stated_behaviour_is_held_by_a_test(requirement: str) -> None:
    assert named_requirements().get(requirement), MANIFEST[requirement]


@pytest.mark.requirement("HO-21")
def test_each_named_behaviour_is_stated() -> None:
    assert set(named_requirements()) - set(MANIFEST) == set()


@pytest.mark.requirement("HO-21")
def test_each_sentence_is_short_and_stated_once() -> None:
    assert sum(map(len, PARTS)) == len(MANIFEST)
    assert len(set(MANIFEST.values())) == len(MANIFEST)
    assert [name for name, words in MANIFEST.items() if len(words) > SENTENCE] == []
