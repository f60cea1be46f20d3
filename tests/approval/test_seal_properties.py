"""Only an untouched state redeems, for its own target, in time, once."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from mcp_approval.seal import LIFETIME_SECONDS, Seal
from tests.approval.scripted import keys
from tests.support.time import FakeClock, FakeRandom

KEYS = st.binary(min_size=32, max_size=32)


def _seal(clock: FakeClock | None = None, seed: str = "seed") -> Seal:
    random = FakeRandom(seed)
    return Seal(random(32), clock=clock or FakeClock(), random_bytes=random)


@given(KEYS, KEYS)
def test_a_state_redeems_once_and_for_its_own_target(key: bytes, other: bytes) -> None:
    seal = _seal()
    state = seal.issue(keys(key))
    assert seal.redeem(state, keys(other)) == (None if key == other else "foreign")
    if key != other:
        assert seal.redeem(state, keys(key)) is None
    assert seal.redeem(state, keys(key)) == "used"


@given(KEYS, st.text(max_size=200))
def test_no_text_but_the_issued_one_redeems(key: bytes, text: str) -> None:
    seal = _seal()
    state = seal.issue(keys(key))
    assert (seal.redeem(text, keys(key)) is None) is (text == state)


@given(KEYS, st.integers(0, 88), st.integers(1, 255))
def test_no_changed_byte_redeems(key: bytes, position: int, change: int) -> None:
    seal = _seal()
    raw = bytearray(base64.urlsafe_b64decode(seal.issue(keys(key)) + "="))
    raw[position] ^= change
    touched = base64.urlsafe_b64encode(bytes(raw)).rstrip(b"=").decode()
    assert seal.redeem(touched, keys(key)) in {"malformed", "forged"}
    assert seal.pending == 1


@given(
    KEYS,
    st.integers(0, 118),
    st.sampled_from(["insert", "delete", "replace"]),
    st.characters(codec="utf-8") | st.sampled_from("=-_+/ \n\r\tA"),
)
def test_no_edited_state_redeems(key: bytes, position: int, edit: str, character: str) -> None:
    seal = _seal()
    state = seal.issue(keys(key))
    head, tail = state[:position], state[position:]
    edited = {
        "insert": head + character + tail,
        "delete": head + tail[1:],
        "replace": head + character + tail[1:],
    }[edit]
    assert (seal.redeem(edited, keys(key)) is None) is (edited == state)


@given(KEYS, st.floats(-2_000, 2_000, allow_nan=False))
def test_a_state_is_good_from_its_issue_for_its_lifetime(key: bytes, seconds: float) -> None:
    clock = FakeClock(10_000.0)
    seal = _seal(clock)
    state = seal.issue(keys(key))
    clock.advance(seconds)
    expected = 0 <= seconds < LIFETIME_SECONDS
    # Issue times are kept in whole milliseconds.
    if min(abs(seconds), abs(seconds - LIFETIME_SECONDS)) > 0.002:
        assert (seal.redeem(state, keys(key)) is None) is expected


@given(KEYS)
def test_a_state_of_another_process_is_forged(key: bytes) -> None:
    assert _seal(seed="one").redeem(_seal(seed="two").issue(keys(key)), keys(key)) == "forged"


@given(st.lists(st.tuples(st.sampled_from(["issue", "redeem"]), st.integers(0, 4)), max_size=40))
def test_the_pending_list_keeps_its_cap_and_forgets_the_oldest(
    steps: list[tuple[str, int]],
) -> None:
    random = FakeRandom()
    seal = Seal(random(32), clock=FakeClock(), random_bytes=random, pending_limit=3)
    issued: list[tuple[bytes, str]] = []
    live: list[tuple[bytes, str]] = []
    for step, number in steps:
        key = bytes([number]) * 32
        if step == "issue":
            issued.append((key, seal.issue(keys(key))))
            live = [*live, issued[-1]][-3:]
        elif issued:
            entry = issued[number % len(issued)]
            assert (seal.redeem(entry[1], keys(entry[0])) is None) is (entry in live)
            # One answer is enough for a target: what else was asked about it is void.
            live = [other for other in live if entry not in live or other[0] != entry[0]]
        assert seal.pending == len(live) <= 3


def test_a_seal_shows_neither_key_nor_nonces() -> None:
    seal = _seal()
    seal.issue(keys(b"t" * 32))
    assert repr(seal) == "Seal(pending=1)"
