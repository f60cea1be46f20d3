"""The token store against a model of it: caps, eviction, expiry, single use."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from mcp_approval.tokens import LIFETIME_SECONDS, TokenStore
from tests.support.time import FakeClock, FakeRandom

CAP = 3
KEYS = st.sampled_from([b"a", b"b", b"c", b"d", b"e"])


class TokenStoreMachine(RuleBasedStateMachine):
    """Issues, guesses, redeems and waits; the model is a list of what is pending."""

    issued = Bundle("issued")

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.store = TokenStore(clock=self.clock, random_bytes=FakeRandom(), pending_limit=CAP)
        self.pending: list[tuple[bytes, str, float]] = []

    def _sweep(self) -> None:
        self.pending = [entry for entry in self.pending if entry[2] > self.clock()]

    @rule(target=issued, key=KEYS)
    def issue(self, key: bytes) -> tuple[bytes, str]:
        token = self.store.issue(key)
        self.pending = [entry for entry in self.pending if entry[0] != key]
        self._sweep()
        self.pending = self.pending[-(CAP - 1) :]
        self.pending.append((key, token, self.clock() + LIFETIME_SECONDS))
        assert len(token) == 32
        assert set(token) <= set("0123456789abcdef")
        return key, token

    @rule(given=issued, key=KEYS)
    def redeem_on_some_target(self, given: tuple[bytes, str], key: bytes) -> None:
        self._redeem(key, given[1])

    @rule(given=consumes(issued))
    def redeem_on_its_target(self, given: tuple[bytes, str]) -> None:
        self._redeem(*given)
        assert not self.store.redeem(*given), "a token worked twice"

    @rule(key=KEYS, guess=st.sampled_from(["", " ", "0" * 32, "é", "\ud800", "x" * 10_000]))
    def guess(self, key: bytes, guess: str) -> None:
        self._redeem(key, guess)

    @rule(given=issued)
    def look(self, given: tuple[bytes, str]) -> None:
        self._sweep()
        matches = any(entry[:2] == given for entry in self.pending)
        assert self.store.matches(*given) is matches
        assert self.store.matches(*given) is matches, "looking spent it"

    @rule(seconds=st.sampled_from([1, LIFETIME_SECONDS - 1, LIFETIME_SECONDS]))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds)

    def _redeem(self, key: bytes, token: str) -> None:
        self._sweep()
        good = any(entry[:2] == (key, token) for entry in self.pending)
        assert self.store.redeem(key, token) is good
        if good:
            self.pending = [entry for entry in self.pending if entry[0] != key]

    @invariant()
    def the_cap_holds(self) -> None:
        assert self.store.pending <= CAP
        assert repr(self.store) == f"TokenStore(pending={self.store.pending})"


TestTokenStore = TokenStoreMachine.TestCase
TestTokenStore.settings = settings(max_examples=60, stateful_step_count=30)
