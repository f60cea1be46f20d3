"""Names in normal form: the one form that decides, is shown, bound and sent."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetzner_dns_mcp import names

LABEL = st.from_regex(r"[a-z0-9_]([a-z0-9_-]{0,20}[a-z0-9])?", fullmatch=True)
NAME = st.lists(LABEL, min_size=1, max_size=4).map(".".join)
ZONE = st.tuples(LABEL, LABEL).map(".".join)


@given(NAME, ZONE)
def test_a_full_name_is_cut_back_to_what_it_was_made_of(name: str, zone: str) -> None:
    full = names.absolute(name, zone)
    assert names.relative(names.record_name(full), zone) == name
    assert names.relative(names.record_name(full.upper()), zone) == name


@given(ZONE)
def test_every_spelling_of_the_zone_is_the_apex(zone: str) -> None:
    for spelling in (zone, f"{zone}.", zone.upper(), "@"):
        assert names.relative(names.record_name(spelling), zone) == "@"
    assert names.relative(names.record_name(f"*.{zone}."), zone) == "*"


@given(st.text(max_size=80))
def test_whatever_passes_is_in_the_form_that_the_api_takes(text: str) -> None:
    try:
        name = names.record_name(text)
    except ValueError:
        return
    assert re.fullmatch(names.NAME, name.removesuffix("."))
    assert names.record_name(name) == name


@given(st.text(max_size=80))
def test_a_zone_that_passes_stays_in_its_path_segment(text: str) -> None:
    try:
        zone = names.zone_name(text)
    except ValueError:
        return
    assert re.fullmatch(r"[a-z0-9._-]+", zone)
    assert ".." not in f".{zone}."
    assert names.zone_name(zone) == zone


@pytest.mark.parametrize("label", ["\u00ad", "\u200d"])
def test_a_label_without_an_a_label_is_refused(label: str) -> None:
    with pytest.raises(ValueError, match="label"):
        names.record_name(label)
