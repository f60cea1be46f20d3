"""Equal keys mean equal targets, whatever the values."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_approval.keys import Target, canonical, target_key
from mcp_approval.typing import JSONValue

KEY = b"k" * 32

# Half surrogate pairs included: two of them are not the character that they would form.
TEXT = st.text(max_size=6) | st.sampled_from(["1", "true", "null", "", "a:b", "😀", "\ud83d\ude00"])
SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, -1.0, 0.5]) | TEXT
)
VALUES: st.SearchStrategy[JSONValue] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
PARTS = st.lists(VALUES, max_size=4)


def _same(left: object, right: object) -> bool:
    """Equality of JSON values that keeps types apart: 1 is not true, not 1.0, not "1"."""
    if type(left) is not type(right):
        return False
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    return left == right


def _key(target: Target, server: str = "s", process_key: bytes = KEY) -> bytes:
    return target_key(process_key, server, target)


@pytest.mark.requirement("AP-45")
@given(VALUES, VALUES)
def test_canonical_text_is_equal_exactly_for_equal_values(
    left: JSONValue, right: JSONValue
) -> None:
    assert (canonical(left) == canonical(right)) is _same(left, right)


@pytest.mark.requirement("AP-45")
@given(PARTS, PARTS)
def test_ordered_keys_are_equal_exactly_for_equal_parts_in_order(
    left: list[JSONValue], right: list[JSONValue]
) -> None:
    keys = [_key(Target.ordered("t", *[("r", part) for part in parts])) for parts in (left, right)]
    assert (keys[0] == keys[1]) is _same(left, right)


@pytest.mark.requirement("AP-45")
@given(PARTS, PARTS)
def test_set_keys_are_equal_exactly_for_equal_members(
    left: list[JSONValue], right: list[JSONValue]
) -> None:
    keys = [_key(Target.members("t", parts)) for parts in (left, right)]
    members = [sorted({canonical(part) for part in parts}) for parts in (left, right)]
    assert (keys[0] == keys[1]) is (members[0] == members[1])


@given(PARTS)
def test_a_set_has_one_key_in_every_order_and_a_tuple_does_not(parts: list[JSONValue]) -> None:
    turned = parts[::-1]
    assert _key(Target.members("t", parts)) == _key(Target.members("t", turned))
    roles = [("r", part) for part in parts]
    same = _key(Target.ordered("t", *roles)) == _key(Target.ordered("t", *roles[::-1]))
    assert same is _same(parts, turned)


@pytest.mark.requirement("AP-5")
@given(TEXT, TEXT)
def test_the_roles_of_two_parts_cannot_be_swapped(left: str, right: str) -> None:
    one = Target.ordered("t", ("user", left), ("topic", right))
    other = Target.ordered("t", ("user", right), ("topic", left))
    assert (_key(one) == _key(other)) is (left == right)


@pytest.mark.requirement("AP-6")
@given(VALUES, VALUES, VALUES, VALUES)
def test_body_and_facts_are_bound_apart_from_each_other(
    body: JSONValue, fact: JSONValue, other_body: JSONValue, other_fact: JSONValue
) -> None:
    one = Target.members("t", ["a"], body=body, facts={"f": fact})
    other = Target.members("t", ["a"], body=other_body, facts={"f": other_fact})
    same = _same(body, other_body) and _same(fact, other_fact)
    assert (_key(one) == _key(other)) is same


@pytest.mark.parametrize(
    "other",
    [
        Target.ordered("u", ("r", 1)),
        Target.ordered("t", ("r", "1")),
        Target.ordered("t", ("r", True)),
        Target.ordered("t", ("r", 1.0)),
        Target.ordered("t", ("q", 1)),
        Target.ordered("t", ("r", 1), ("r", 1)),
        Target.ordered("t", ("r", [1])),
        Target.ordered("t", ("r", 1), body={}),
        Target.ordered("t", ("r", 1), facts={"count": None}),
        Target.members("t", [["r", 1]]),
        Target.members("t", [1]),
    ],
    ids=repr,
)
def test_whatever_differs_gives_another_key(other: Target) -> None:
    assert _key(Target.ordered("t", ("r", 1))) != _key(other)


def test_server_and_process_are_bound_too() -> None:
    target = Target.ordered("t", ("r", 1))
    keys = {_key(target), _key(target, "s2"), _key(target, process_key=b"x" * 32)}
    assert len(keys) == 3
    assert {len(key) for key in keys} == {32}


def test_an_unknown_fact_is_not_an_absent_one_and_not_the_word() -> None:
    keys = {
        _key(Target.members("t", ["a"], facts=facts))
        for facts in ({}, {"f": None}, {"f": "unknown"}, {"f": 0})
    }
    assert len(keys) == 4


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_cannot_carry_is_no_part_of_a_target(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical(number)


@given(VALUES)
def test_canonical_text_is_json_of_the_same_value(value: JSONValue) -> None:
    assert _same(json.loads(canonical(value)), value)
