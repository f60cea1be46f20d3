"""The README of the package says what the package is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcp_approval.record.lines import FaultFound
from mcp_approval.record.verify import verify
from scripts import library_readme

README = library_readme.README.read_text(encoding="utf-8")


@pytest.mark.requirement("L-11")
def test_its_generated_parts_are_those_of_the_code() -> None:
    assert library_readme.filled(README) == README, "make generate writes them anew"


def test_its_record_is_a_whole_one(tmp_path: Path) -> None:
    found = re.search(r"<!-- record -->\n```json\n(.*?)```", README, re.DOTALL)
    assert found is not None
    path = tmp_path / "record.jsonl"
    path.write_text(found[1], encoding="utf-8")
    findings = verify(str(path))
    assert (findings.records, findings.open) == (4, 0)
    path.write_text(found[1].replace("anna", "otto", 1), encoding="utf-8")
    with pytest.raises(FaultFound, match="altered"):
        verify(str(path))


@pytest.mark.requirement("L-1")
def test_the_example_for_fastmcp_is_made_from_the_other() -> None:
    kept = library_readme.FASTMCP_EXAMPLE.read_text(encoding="utf-8")
    assert kept == library_readme.fastmcp_example(), "make generate writes it anew"


@pytest.mark.requirement("L-11")
def test_it_is_read_in_one_sitting() -> None:
    assert len(README.splitlines()) <= 200
