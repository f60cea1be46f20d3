"""Every parser: what it takes, what it refuses, and that it repeats nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_serverkit.config import parsers
from mcp_serverkit.config.parsers import Parser


def _parse(parser: Parser, value: str) -> tuple[object, list[str]]:
    warnings: list[str] = []
    return parser(value, warnings), warnings


@pytest.mark.parametrize("value", ["1", "true", "YES", "On"])
def test_a_protecting_switch_is_on_in_many_spellings(value: str) -> None:
    assert _parse(parsers.protecting_switch, value) == (True, [])


@pytest.mark.parametrize("value", ["0", "false", "NO", "Off"])
def test_a_protecting_switch_is_off_in_many_spellings(value: str) -> None:
    assert _parse(parsers.protecting_switch, value) == (False, [])


@pytest.mark.parametrize("value", ["2", "ture", "yes!", "y", "enabled-please"])
def test_a_protecting_switch_takes_no_typing_error_for_an_answer(value: str) -> None:
    with pytest.raises(ValueError, match="use 1, true, yes, on or 0, false, no, off"):
        parsers.protecting_switch(value, [])


@pytest.mark.parametrize("value", ["TRUE", "1", "yes", "on", "True", "tru"])
def test_a_permitting_switch_is_off_with_a_warning_for_all_but_true(value: str) -> None:
    on, warnings = _parse(parsers.permitting_switch, value)
    assert on is False
    assert len(warnings) == 1
    assert warnings[0].endswith("leaves it off; only true turns it on")


@pytest.mark.parametrize(("value", "on"), [("true", True), ("false", False)])
def test_a_permitting_switch_knows_two_words(value: str, on: bool) -> None:
    assert _parse(parsers.permitting_switch, value) == (on, [])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("maybe", '"maybe"'),
        ("abcdefgh", '"abcdefgh"'),
        ("abcdefghi", "a value of 9 characters"),
        ("a1", "a value of 2 characters"),
        ("ä", "a value of 1 character"),
        ("a b", "a value of 3 characters"),
        ("word\n", "a value of 5 characters"),
    ],
)
def test_only_a_short_plain_word_is_ever_quoted(value: str, shown: str) -> None:
    assert parsers.describe(value) == shown


@pytest.mark.parametrize(("value", "number"), [("1", 1), ("600", 600), ("007", 7)])
def test_a_whole_number_within_bounds_is_taken(value: str, number: int) -> None:
    assert _parse(parsers.integer(1, 600), value) == (number, [])


@pytest.mark.parametrize(
    "value", ["0", "601", "-1", "+5", "1.0", "1e2", "٣", "", "9" * 30, "1 0", "5\n", "0x10"]
)
def test_any_other_number_is_refused_with_the_bounds(value: str) -> None:
    with pytest.raises(ValueError, match="must be a whole number from 1 to 600"):
        parsers.integer(1, 600)(value, [])


def test_a_choice_takes_its_words_in_any_case() -> None:
    parser = parsers.choice("debug", "info")
    assert _parse(parser, "DEBUG") == ("debug", [])
    with pytest.raises(ValueError, match='must be one of debug, info, not "loud"'):
        parser("loud", [])


@pytest.mark.parametrize(
    ("value", "entries"),
    [("a", ("a",)), (" a , b ", ("a", "b")), (",a,,", ("a",)), ("a b", ("a b",))],
)
def test_a_comma_list_drops_empty_entries(value: str, entries: tuple[str, ...]) -> None:
    assert _parse(parsers.comma_list, value) == (entries, [])


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (",", "holds no entry"),
        ("a,${B}", "entry 2 is still the placeholder"),
        ("a, %HOME%", "entry 2 looks like a variable"),
    ],
)
def test_a_comma_list_without_an_entry_or_with_a_placeholder_is_refused(
    value: str, told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        parsers.comma_list(value, [])


@pytest.mark.parametrize("value", ["x", "tk_abc", "a" * 512, "!~", "two words"])
def test_a_bearer_token_of_visible_ascii_is_taken(value: str) -> None:
    assert _parse(parsers.bearer, value) == (value, [])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "1 to 512 characters, not 0"),
        ("x" * 513, "1 to 512 characters, not 513"),
        ("tokén", "character 4 of 5"),
        ("a\nb", "character 2 of 3"),
        ("a\x7fb", "character 2 of 3"),
        ("a\u200bb", "character 2 of 3"),
    ],
)
def test_any_other_bearer_token_is_refused_by_position(value: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        parsers.bearer(value, [])
    assert len(value) < 3 or value not in str(caught.value)


@pytest.mark.parametrize("value", ["x", "pässwörd", " blanks ", "🔑", "x" * 512])
def test_a_password_may_be_any_text(value: str) -> None:
    assert _parse(parsers.password, value) == (value, [])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x" * 513, "at most 512"),
        ("a\tb", "character 2 of 3 is a control character"),
        ("a\nb", "character 2 of 3 is a control character"),
        ("a\x85b", "character 2 of 3 is a control character"),
        ("ab\udcff", "character 3 of 3 is a control character"),
    ],
)
def test_a_password_holds_no_control_character(value: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parsers.password(value, [])


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("https://h.example", "https://h.example"),
        ("HTTPS://H.Example/", "https://h.example"),
        ("http://h.example:8080/a/b//", "http://h.example:8080/a/b"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://my_host", "http://my_host"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("https://h.example/%61/b~c", "https://h.example/%61/b~c"),
    ],
)
def test_a_url_is_cut_to_scheme_host_port_and_path(value: str, url: str) -> None:
    assert _parse(parsers.http_url, value) == (url, [])


def test_a_path_that_is_no_ascii_is_percent_encoded() -> None:
    url, _ = _parse(parsers.http_url, "https://h.example/äb")
    assert url == "https://h.example/%C3%A4b"


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("https://h.example/?a=1", "query"),
        ("https://h.example/#top", "fragment"),
        ("https://h.example/?a#b", "query and fragment"),
    ],
)
def test_what_is_cut_from_a_url_is_a_warning(value: str, word: str) -> None:
    url, warnings = _parse(parsers.http_url, value)
    assert url == "https://h.example"
    assert warnings == [f"its {word} is not used"]


@pytest.mark.parametrize(
    "value",
    [
        "h.example",
        "//h.example",
        "ftp://h.example",
        "tk_secretsecret:tk",
        "https://",
        "https:///path",
        "https://h.example:99999",
        "https://h.example:port",
        "https://[::1",
        "https://user@h.example",
        "https://user:secret@h.example",
        "https://:secret@h.example",
        "https://h.exam ple",
        "https://h.example/a b",
        "https://h.example/\x00",
        "https://h.example/\n",
        "https://h.example/\udcff",
        "https://h<b>.example",
        "https://h`.example",
        "https://%68.example",
        "https://ä..example",
        "https://" + "h" * 256,
        "javascript:alert(1)",
    ],
)
def test_any_other_url_is_refused_and_not_repeated(value: str) -> None:
    with pytest.raises(ValueError, match=r".+") as caught:
        parsers.http_url(value, [])
    assert "secret" not in str(caught.value)
    assert value not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("LOCALHOST", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:10.0.0.1", False),
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_loopback_is_what_stays_on_this_machine(host: str, loopback: bool) -> None:
    assert parsers.is_loopback(host) is loopback


def test_a_certificate_file_must_hold_one(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("-----BEGIN CERTIFICATE-----\n", encoding="utf-8")
    assert _parse(parsers.readable_file, str(file)) == (str(file), [])
    file.write_text("nothing", encoding="utf-8")
    with pytest.raises(ValueError, match="holds no PEM certificate"):
        parsers.readable_file(str(file), [])


@pytest.mark.parametrize("path", ["/no/such/file", "/", "a\0b"])
def test_a_certificate_file_that_cannot_be_read_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        parsers.readable_file(path, [])


def test_text_is_taken_as_it_is() -> None:
    assert _parse(parsers.text, "any thing") == ("any thing", [])
