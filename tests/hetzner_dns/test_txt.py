"""The TXT formatter: nothing is lost, nothing is cut in the middle."""

from __future__ import annotations

import dns.rdata
import pytest
from dns.rdtypes.ANY.TXT import TXT
from hypothesis import given
from hypothesis import strategies as st

from hetzner_dns_mcp.records.txt import STRING_BYTES, format_txt, parse_txt

PLAIN = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=700).filter(
    lambda text: not text.strip(" ").startswith('"')
)


def strings(value: str) -> list[bytes]:
    return [parse_txt(f'"{piece}"') for piece in value[1:-1].split('" "')]


@given(PLAIN)
def test_plain_text_comes_back_as_it_went_in(text: str) -> None:
    assert parse_txt(format_txt(text)) == text.encode()


@given(PLAIN)
def test_formatting_twice_is_formatting_once(text: str) -> None:
    once = format_txt(text)
    assert format_txt(once) == once


@given(st.lists(st.sampled_from(["a", "é", "😀", "\\", " ", "b" * 100]), max_size=12))
def test_no_string_is_too_long_and_none_ends_inside_a_character(parts: list[str]) -> None:
    parsed = dns.rdata.from_text("IN", "TXT", format_txt("x" + "".join(parts)))
    assert isinstance(parsed, TXT)
    for string in parsed.strings:
        assert len(string) <= STRING_BYTES
        string.decode("utf-8")


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=4))
def test_escaped_bytes_are_split_without_a_loss(contents: list[bytes]) -> None:
    written = " ".join(
        '"' + "".join(f"\\{byte:03d}" for byte in content) + '"' for content in contents
    )
    assert parse_txt(format_txt(written)) == b"".join(contents)


@pytest.mark.requirement("T-hetzner-31")
@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ('say "hi" \\ bye', '"say \\"hi\\" \\\\ bye"'),
        ("a" * 300, f'"{"a" * 255}" "{"a" * 45}"'),
        ("a" * 254 + "é", f'"{"a" * 254}" "é"'),
        ('"already" "two"', '"already" "two"'),
        ('"already""two"', '"already" "two"'),
        ('  "padded"  ', '"padded"'),
        (f'"{"k" * 400}"', f'"{"k" * 255}" "{"k" * 145}"'),
        ('"' + "x" * 254 + '\\195\\188"', f'"{"x" * 254}" "\\195\\188"'),
        ('"' + "x" * 255 + '\\""', f'"{"x" * 255}" "\\""'),
        ('""', '""'),
        ("Grüße; v=1", '"Grüße; v=1"'),
    ],
)
def test_a_value_is_quoted_escaped_and_split(value: str, sent: str) -> None:
    assert format_txt(value) == sent


@pytest.mark.requirement("T-hetzner-31")
@pytest.mark.parametrize("value", ['"a" b', '"open', '"a"b"', '"a\\256"', '"', '"\\'])
def test_what_begins_with_a_quote_must_be_quoted_strings(value: str) -> None:
    with pytest.raises(ValueError, match=r"quoted strings|\\256"):
        format_txt(value)
