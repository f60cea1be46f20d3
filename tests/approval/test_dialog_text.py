"""What a person reads: one line a value, nothing hidden, nothing active, nothing cut."""

from __future__ import annotations

import unicodedata

import pytest

from mcp_approval.approver import Approver
from mcp_approval.keys import Target
from mcp_approval.limits import Limits
from mcp_approval.question import (
    Detail,
    Question,
    TooMuchToShowError,
    UnsafeIdentifierError,
    checked,
    listed,
)
from mcp_approval.quoting import DETAILS_HEADING, FINDINGS_HEADING
from mcp_approval.rendering import render
from mcp_approval.sanitize import Line, clean_line
from mcp_approval.verdict import Ask
from tests.support.rendered import read_by_eye

HIDDEN = {
    "newline": "\n",
    "carriage return": "\r",
    "tab": "\t",
    "NEL": "\x85",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "vertical tab": "\x0b",
    "form feed": "\x0c",
    "escape": "\x1b",
    "CSI": "\x9b",
    "backspace": "\b",
    "bell": "\x07",
    "NUL": "\x00",
    "delete": "\x7f",
    "bidi override": "\u202e",
    "bidi isolate": "\u2066",
    "left-to-right mark": "\u200e",
    "Arabic letter mark": "\u061c",
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "tag letter": "\U000e0041",
    "variation selector": "\ufe01",
    "emoji selector behind a letter": "\ufe0f",
    "second half of a musical blank": "\U0001d159",
    "hieroglyphic blank": "\U00013441",
    "variation selector 17": "\U000e0100",
    "Mongolian variation selector": "\u180b",
    "Hangul filler": "\u3164",
    "Hangul choseong filler": "\u115f",
    "Hangul jungseong filler": "\u1160",
    "halfwidth Hangul filler": "\uffa0",
    "braille blank": "\u2800",
    "grapheme joiner": "\u034f",
    "Khmer inherent vowel": "\u17b4",
    "private use": "\ue000",
    "noncharacter": "\uffff",
    "half a surrogate pair": "\ud83d",
    "annotation anchor": "\ufff9",
}


def _message(*details: Detail, limits: Limits | None = None) -> str:
    question = Question("do it", "It is done then.", details=details)
    return render(question, limits or Limits())


def _lines(*details: Detail, limits: Limits | None = None) -> list[str]:
    message = _message(*details, limits=limits)
    head, heading, rest = message.partition(f"\n\n{DETAILS_HEADING}\n")
    assert heading
    own, *found = head.split(f"\n\n{FINDINGS_HEADING}\n")
    assert own == "This will do it.\n\nIt is done then."
    assert len(found) <= 1
    return rest.split("\n")


def _not_shown(*details: Detail) -> str:
    """What the finding says of what the lines leave out; empty without it."""
    return _message(*details).partition("  Not shown below: ")[2].partition("\n")[0]


@pytest.mark.parametrize("character", HIDDEN.values(), ids=[f"AP-33: {name}" for name in HIDDEN])
@pytest.mark.requirement("AP-32", "AP-33")
def test_a_character_that_is_not_what_it_shows_is_taken_out_and_counted(character: str) -> None:
    [line] = _lines(Detail(f"La{character}bel", f"val{character}ue"))
    label, _, value = line.partition(": ")
    assert label.replace(" ", "") == "Label"
    assert value.replace(" ", "") == "value"
    kind = "line break" if value == "val ue" else "hidden character"
    assert _not_shown(Detail("Label", f"val{character}ue")) == f"1 {kind} in Label"
    assert character == "\n" or character not in _message(Detail("L", f"val{character}ue"))


@pytest.mark.requirement("AP-32")
def test_no_control_character_but_the_line_ends_of_the_server_is_in_a_message() -> None:
    every = "".join(chr(code) for code in range(0x300))
    message = _message(Detail("All", every), limits=Limits(value_chars=1_000))
    controls = [char for char in message if unicodedata.category(char) in {"Cc", "Cf"}]
    assert set(controls) == {"\n"}
    assert message.count("\n") == 8


@pytest.mark.requirement("AP-33")
@pytest.mark.parametrize("mark", ["\u0301", "\u0e47", "\u20dd", "\u0488", "\u0900", "\u06d6"])
def test_a_flood_of_combining_marks_is_cut_short_and_counted(mark: str) -> None:
    detail = Detail("Name", "Z" + mark * 100)
    [line] = _lines(detail)
    assert line.count(mark) <= 4
    assert _not_shown(detail) == f"{100 - line.count(mark)} hidden characters in Name"


@pytest.mark.requirement("AP-33")
def test_marks_that_languages_stack_are_kept() -> None:
    vietnamese, hebrew = "Ti\u0302\u0301ng", "\u05e9\u05c1\u05b8\u05dc"
    assert clean_line(vietnamese) == Line(vietnamese)
    assert clean_line(hebrew) == Line(hebrew)


@pytest.mark.parametrize("twin", ["archive\u200b", "archive ", " archive", "\ufeffarchive"])
@pytest.mark.requirement("AP-33")
def test_twins_look_alike_but_are_bound_apart(twin: str) -> None:
    approver = Approver("shop-mcp")
    keys = {
        approver.key(Ask(Question("a", "b"), Target.members("t", [name])))
        for name in ("archive", twin)
    }
    assert len(keys) == 2
    assert _not_shown(Detail("Name", twin)).endswith("in Name")


@pytest.mark.parametrize(
    "value",
    [
        "To: boss\n  Cc: everybody",
        f"x\n\n{DETAILS_HEADING}\n  To: boss",
        "a\r\nThis will do nothing.",
        "a\u2028  Cc: everybody",
        "ok\x1b[1A\x1b[2KThis will do nothing.",
    ],
)
@pytest.mark.requirement("AP-34", "C-17")
def test_a_value_that_imitates_the_server_stays_inside_its_own_line(value: str) -> None:
    lines = _lines(Detail("Subject", value), Detail("To", "a@example.org"))
    assert len(lines) == 2
    quoted = lines[0].startswith("  Subject: «") and lines[0].endswith("»")
    assert quoted is ("To:" in value or "This" in value or "Values" in value)
    assert lines[0].startswith("  Subject: ")
    assert lines[1] == "  To: a@example.org"


@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.requirement("AP-35")
def test_a_value_that_decides_is_shown_in_full_or_refused(fits: bool) -> None:
    value = "x" * (200 if fits else 201)
    if fits:
        assert _lines(Detail("Name", value)) == [f"  Name: {value}"]
        return
    with pytest.raises(TooMuchToShowError, match=r"Name is 201 characters long .* at most 200"):
        _message(Detail("Name", value))


@pytest.mark.requirement("AP-35")
def test_a_value_that_only_describes_is_cut_and_the_rest_counted() -> None:
    detail = Detail("Body", "x" * 100_000, summary=True)
    assert _lines(detail) == [f"  Body: {'x' * 200}…"]
    assert _not_shown(detail) == "99800 characters in Body"


@pytest.mark.requirement("AP-35")
def test_hidden_characters_do_not_count_towards_the_limit() -> None:
    detail = Detail("Name", "\u200b" * 100_000 + "x")
    assert _lines(detail) == ["  Name: x"]
    assert _not_shown(detail) == "100000 hidden characters in Name"


@pytest.mark.requirement("AP-35")
def test_too_many_lines_are_refused_with_advice() -> None:
    with pytest.raises(TooMuchToShowError, match=r"10000 lines and a dialog holds 20. Split"):
        _message(*[Detail("To", f"r{number}") for number in range(10_000)])


@pytest.mark.requirement("C-16")
def test_findings_count_towards_the_limit_as_well() -> None:
    found = tuple(Detail(f"finding {number}", "x") for number in range(15))
    question = Question("do it", "It is done.", (Detail("To", "a"),) * 6, findings=found)
    with pytest.raises(TooMuchToShowError, match="21 lines and a dialog holds 20"):
        render(question, Limits())
    assert render(question, Limits(lines=21)).count("finding") == 15


@pytest.mark.requirement("C-16")
@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\n  To: boss", "\x1b[1A"])
def test_a_finding_that_hides_something_is_never_shown(hidden: str) -> None:
    for finding in (Detail("warning", f"a{hidden}"), Detail(f"warning{hidden}", "a")):
        with pytest.raises(UnsafeIdentifierError):
            render(Question("do it", "It is done.", findings=(finding,)), Limits())


@pytest.mark.requirement("AP-35")
def test_a_message_that_would_be_too_long_is_refused_with_advice() -> None:
    limits = Limits(lines=30, value_chars=200, total_chars=4_000)
    with pytest.raises(TooMuchToShowError, match=r"characters long and a dialog holds 4000. Split"):
        _message(*[Detail("Name", "x" * 200) for _ in range(30)], limits=limits)


def test_the_limits_are_the_server_s_to_pass() -> None:
    limits = Limits(lines=120, value_chars=1_000, total_chars=32_000)
    assert len(_lines(*[Detail("V", "x" * 250)] * 120, limits=limits)) == 120
    assert Limits() == Limits(lines=20, value_chars=200, total_chars=4_000)


@pytest.mark.requirement("AP-35")
def test_a_list_in_a_summary_tells_how_many_are_left_out() -> None:
    names = [f"r{number}" for number in range(10_000)]
    assert listed(names, 2) == "r0, r1, and 9998 more"
    assert listed(names[:2], 2) == "r0, r1"
    assert listed([], 2) == ""


@pytest.mark.parametrize(
    "value",
    [
        "`rm -rf`",
        "<script>alert(1)</script>",
        "[click](http://evil.example)",
        "![x](http://evil.example/pixel)",
        'he said "yes"',
        "\\`code\\`",
        "\\<b>",
        "\\\\`x`",
        "a\\](http://evil.example)",
        "<!-- hidden -->",
    ],
)
@pytest.mark.requirement("AP-39")
def test_markup_in_a_value_is_rendered_inert(value: str) -> None:
    assert read_by_eye(_message(Detail("Value", value))).endswith(f": Value: {value}")


@pytest.mark.parametrize("name", ["a b", "a\n", "a\u200b", "ä", "", "a'b", "x" * 41, "a\x00"])
@pytest.mark.requirement("AP-38")
def test_a_name_stands_in_the_server_s_words_only_after_a_strict_check(name: str) -> None:
    with pytest.raises(UnsafeIdentifierError) as caught:
        checked(name, r"[a-z0-9-]{1,40}")
    assert name == "" or name not in str(caught.value)
    assert checked("apples-2", r"[a-z0-9-]{1,40}") == "apples-2"


def test_even_a_lax_pattern_lets_nothing_invisible_into_the_server_s_words() -> None:
    with pytest.raises(UnsafeIdentifierError):
        checked("a\u202eb", r".*")
    with pytest.raises(UnsafeIdentifierError):
        checked("a\nb", r"(?s).*")


@pytest.mark.parametrize("field", ["what", "consequence"])
@pytest.mark.parametrize("hidden", ["\x1b", "\u202e", "\u200b", "\ud800", "\r"])
def test_a_sentence_of_the_server_with_something_invisible_is_never_shown(
    field: str, hidden: str
) -> None:
    what, consequence = ("a" + hidden, "b") if field == "what" else ("a", "b" + hidden)
    with pytest.raises(UnsafeIdentifierError):
        render(Question(what, consequence), Limits())


def test_a_question_without_details_has_no_heading() -> None:
    assert _message() == "This will do it.\n\nIt is done then."


@pytest.mark.parametrize("instance", ["ntfy.example.org:8443", "[::1]:80", "ops@example.org", ""])
def test_an_instance_of_strict_characters_may_end_the_hint(instance: str) -> None:
    assert Approver("s", instance=instance).instance == instance


@pytest.mark.parametrize("instance", ["bücher.example", "a\nb", "a<b>", "a`b", "x" * 301])
def test_an_instance_of_other_characters_is_refused_at_start(instance: str) -> None:
    with pytest.raises(UnsafeIdentifierError):
        Approver("s", instance=instance)
