"""Arguments: what is taken, what is unwrapped, what is refused, and in which words."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_serverkit.errors import BadArgument
from mcp_serverkit.tools.constraints import Bytes, Length, Pattern, Range
from mcp_serverkit.tools.validation import check_arguments
from tests.serverkit.shapes import SHAPES

TAKE, GUARDED = SHAPES["take"], SHAPES["guarded"]


def _take(**given: object) -> dict[str, object]:
    """Check arguments of `take` and return those that were given."""
    values = check_arguments(TAKE, {"name": "x", **given}).values
    return {name: values[f"{name}_" if name == "from" else name] for name in given}


def _refusal(tool: str = "take", /, **given: object) -> str:
    arguments = {"name": "x", **given} if tool == "take" else given
    with pytest.raises(BadArgument) as caught:
        check_arguments(SHAPES[tool], arguments)
    return caught.value.text


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("nme", "name"),
        ("wrods", "words"),
        ("swich", "switch"),
        ("Name", "name"),
        ("zone", "zone_id"),
        ("record_", "record"),
    ],
)
def test_an_unknown_argument_is_refused_with_the_nearest_name(given: str, near: str) -> None:
    tool = "set_ttl" if near == "zone_id" else "take"
    told = _refusal(tool, **{given: "secret-value"})
    assert told == f"{given}: is no argument of this tool; did you mean {near}?"


def test_an_unknown_argument_that_is_near_to_none_gets_the_list() -> None:
    assert _refusal("set_ttl", completely_different=1) == (
        "completely_different: is no argument of this tool; it takes ttl, zone_id"
    )
    assert _refusal("bare", anything=1) == ("anything: is no argument of this tool; it takes none")
    assert "confirm_token" in _refusal("guarded", completely_different=1)


@pytest.mark.parametrize("name", ["a b", "x" * 65, "a\nb", "\ud800", "ä", ""])
def test_an_unknown_name_that_is_no_name_is_not_repeated(name: str) -> None:
    told = _refusal(**{name: 1})
    assert told.startswith("an unknown name: is no argument")
    assert name == "" or name not in told


def test_confirm_token_is_unknown_where_nothing_asks() -> None:
    assert _refusal(confirm_token="x").startswith("confirm_token: is no argument of this tool")


@pytest.mark.parametrize("token", ["", "x", 7, True, [], {}, "ü" * 10_000, "\ud800", "\x00"])
def test_a_token_of_any_shape_is_handed_on_as_it_came(token: object) -> None:
    checked = check_arguments(GUARDED, {"names": ["a"], "confirm_token": token})
    assert checked.token == token
    assert checked.values == {"names": ["a"]}


def test_a_null_token_is_no_token() -> None:
    assert check_arguments(GUARDED, {"names": ["a"], "confirm_token": None}).token is None


@pytest.mark.requirement("R-22")
def test_null_is_the_same_as_leaving_an_argument_out() -> None:
    optional = ("word", "number", "switch", "words", "records", "labels")
    absent = check_arguments(TAKE, {"name": "x"}).values
    assert check_arguments(TAKE, {"name": "x", **dict.fromkeys(optional)}).values == absent
    assert absent["switch"] is False


def test_null_inside_a_record_is_the_same_as_leaving_the_field_out() -> None:
    given = [{"value": "a", "weight": None, "tags": None}]
    assert _take(records=given) == {"records": [{"value": "a"}]}


def test_null_for_a_required_argument_is_refused_unless_it_means_something() -> None:
    assert _refusal(name=None) == "name: must be text"
    assert _refusal("set_ttl", ttl=None, zone_id=None) == "zone_id: must be a whole number"
    assert check_arguments(SHAPES["set_ttl"], {"ttl": None, "zone_id": 1}).values["ttl"] is None
    assert _refusal("set_ttl", zone_id=1) == "ttl: is required"


@pytest.mark.requirement("R-22")
@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"number": "300"}, {"number": 300}),
        ({"number": "-5"}, {"number": -5}),
        ({"even": "4"}, {"even": 4}),
        ({"switch": "true"}, {"switch": True}),
        ({"switch": "false"}, {"switch": False}),
        ({"words": '["a","b"]'}, {"words": ["a", "b"]}),
        ({"words": ' [ "a" ] '}, {"words": ["a"]}),
        ({"records": '[{"value":"a"}]'}, {"records": [{"value": "a"}]}),
        ({"records": [{"value": "a", "weight": "7"}]}, {"records": [{"value": "a", "weight": 7}]}),
        (
            {"records": '[{"value":"7","weight":"7","hidden":"true"}]'},
            {"records": [{"value": "7", "weight": 7, "hidden": True}]},
        ),
        ({"record": '{"value":"a","tags":"[\\"b\\"]"}'}, {"record": {"value": "a", "tags": ["b"]}}),
        ({"labels": '{"a":"1"}'}, {"labels": {"a": "1"}}),
        ({"either": 7}, {"either": 7}),
        ({"either": "7"}, {"either": "7"}),
        ({"from": "x"}, {"from": "x"}),
    ],
)
def test_what_wraps_a_declared_number_switch_list_or_object_is_unwrapped(
    given: dict[str, object], taken: dict[str, object]
) -> None:
    assert _take(**given) == taken


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"name": 7}, "name: must be text"),
        ({"name": True}, "name: must be text"),
        ({"name": ["x"]}, "name: must be text"),
        ({"word": 7}, "word: must be text"),
        ({"word": "UPPER"}, "word: must be 1 to 8 lower-case letters"),
        ({"word": "abc\n"}, "word: must be 1 to 8 lower-case letters"),
        ({"number": True}, "number: must be a whole number"),
        ({"number": 60.5}, "number: must be a whole number"),
        ({"number": 60.0}, "number: must be a whole number"),
        ({"number": "60.5"}, "number: must be a whole number"),
        ({"number": "1e2"}, "number: must be a whole number"),
        ({"number": " 7"}, "number: must be a whole number"),
        ({"number": "+7"}, "number: must be a whole number"),
        ({"number": "\u0667"}, "number: must be a whole number"),
        ({"number": "0x10"}, "number: must be a whole number"),
        ({"number": "1_000"}, "number: must be a whole number"),
        ({"number": "true"}, "number: must be a whole number"),
        ({"number": "9" * 5_000}, "number: must be a whole number"),
        ({"number": 1_001}, "number: must be at least -5 and at most 1000"),
        ({"number": "-6"}, "number: must be at least -5 and at most 1000"),
        ({"even": 3}, "even: must be even"),
        ({"share": "0.5"}, "share: must be a number"),
        ({"share": True}, "share: must be a number"),
        ({"switch": 1}, "switch: must be true or false"),
        ({"switch": "no"}, "switch: must be true or false"),
        ({"switch": "True"}, "switch: must be true or false"),
        ({"switch": "1"}, "switch: must be true or false"),
        ({"level": "medium"}, "level: must be one of 'low' or 'high'"),
        ({"level": 1}, "level: must be one of 'low' or 'high'"),
        ({"words": "a"}, "words: must be a list"),
        ({"words": "a,b"}, "words: must be a list"),
        ({"words": '{"a":1}'}, "words: must be a list"),
        ({"words": "["}, "words: must be a list"),
        ({"words": {"a": 1}}, "words: must be a list"),
        ({"words": []}, "words: needs at least 1 entries, has 0"),
        ({"words": list("abcd")}, "words: may have at most 3 entries, has 4"),
        ({"words": ["a", "B"]}, "words[1]: must be 1 to 8 lower-case letters"),
        ({"words": ["a", 1]}, "words[1]: must be text"),
        ({"records": '["a"]'}, "records[0]: must be an object"),
        ({"records": [{}]}, "records[0].value: is required"),
        ({"records": [{"value": None}]}, "records[0].value: is required"),
        ({"records": [{"value": "a", "colour": 1}]}, "records[0].colour: is not known here"),
        (
            {"records": [{"value": "a", "weight": True}]},
            "records[0].weight: must be a whole number",
        ),
        (
            {"records": [{"value": "a", "weight": 101}]},
            "records[0].weight: must be at least 0 and at most 100",
        ),
        ({"record": "[]"}, "record: must be an object"),
        ({"record": {"value": ""}}, "record.value: needs at least 1 characters, has 0"),
        ({"sketched": {"value": ""}}, "sketched.value: needs at least 1 characters, has 0"),
        ({"sketched": {}}, "sketched.value: is required"),
        ({"labels": {"a": 1}}, "labels.a: must be text"),
        ({"labels": "[]"}, "labels: must be an object"),
        ({"either": []}, "either: must be a whole number, or must be text"),
        ({"short": "äöüäö"}, "short: is 10 bytes of UTF-8 long; at most 8 are possible"),
    ],
)
def test_nothing_else_is_coerced(given: dict[str, object], words: str) -> None:
    assert _refusal(**given) == words


@pytest.mark.requirement("R-26")
@pytest.mark.parametrize(
    "text", ['{"a":1}', "[1,2]", "null", '"quoted"', "123", "true", "{}", "[]", " padded ", "", "-"]
)
def test_a_text_arrives_as_it_is_whatever_it_looks_like(text: str) -> None:
    assert check_arguments(TAKE, {"name": text}).values["name"] == text
    assert _take(**{"from": text, "either": text}) == {"from": text, "either": text}
    assert _take(labels={"CFG": text}) == {"labels": {"CFG": text}}
    if text:
        assert _take(record={"value": text}) == {"record": {"value": text}}


@pytest.mark.requirement("R-20")
@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"name": "a\ud800"}, "name"),
        ({"words": ["a", "\udfff"]}, "words[1]"),
        ({"words": '["a","\\ud800"]'}, "words[1]"),
        ({"records": [{"value": "\ud83d"}]}, "records[0].value"),
        ({"labels": {"a": "\ud83d"}}, "labels.a"),
        ({"labels": {"\ud83d": "a"}}, "a key of labels"),
    ],
)
def test_half_a_surrogate_pair_is_refused_wherever_it_stands(
    given: dict[str, object], place: str
) -> None:
    assert _refusal(**given) == f"{place}: holds half of a surrogate pair, which is no text"


@pytest.mark.parametrize("code", [0x00, 0x08, 0x0B, 0x0C, 0x1B, 0x1F, 0x7F, 0x85, 0x9B])
def test_a_control_character_is_refused_and_named(code: int) -> None:
    assert _refusal(name=f"a{chr(code)}b") == f"name: holds the control character U+{code:04X}"


@pytest.mark.parametrize("text", ["a\tb", "a\nb", "a\r\nb", "\ufeffa", "a\u2028b", "😀"])
def test_tab_and_line_ends_and_everything_printable_pass(text: str) -> None:
    assert check_arguments(TAKE, {"name": text}).values["name"] == text


def test_a_secret_that_breaks_a_rule_is_not_repeated() -> None:
    for name, value in (("word", "Secret-1!"), ("number", "Secret-1!"), ("words", ["Secret-1!"])):
        assert "Secret" not in _refusal(**{name: value})


@pytest.mark.parametrize("depth", [100, 500, 900, 990, 1_100, 100_000])
def test_a_list_in_a_text_that_is_nested_without_end_is_refused_like_any_other(depth: int) -> None:
    told = _refusal(words="[" * depth + "]" * depth)
    assert told.startswith("words")


@given(
    st.dictionaries(
        st.sampled_from(["name", "number", "switch", "words", "records", "labels", "level", "x"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
            ),
            max_leaves=8,
        ),
    )
)
def test_whatever_comes_is_taken_or_refused_in_words(given: dict[str, object]) -> None:
    try:
        taken, told = check_arguments(TAKE, given).values, ""
    except BadArgument as refusal:
        taken, told = {"name": ""}, refusal.text
    assert isinstance(taken["name"], str)
    assert re.fullmatch(r"(?s)|[a-z][^:]*: .+", told)


@pytest.mark.parametrize("rule", [Pattern("a", "a"), Length(1, 2), Range(1, 2), Bytes(1)])
@pytest.mark.parametrize("value", [None, True, 7.5])
def test_a_rule_leaves_what_is_of_another_type_to_the_type(rule: Pattern, value: object) -> None:
    assert rule.check(value) is value


@given(st.text(st.characters(exclude_categories=("Cc", "Cs"))))
def test_every_text_survives(text: str) -> None:
    assert check_arguments(TAKE, {"name": text}).values["name"] == text


@given(st.lists(st.text(st.sampled_from("abc"), min_size=1, max_size=8), min_size=1, max_size=3))
def test_a_list_and_the_same_list_as_text_are_one(words: list[str]) -> None:
    assert _take(words=json.dumps(words)) == _take(words=words)
