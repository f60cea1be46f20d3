"""The sealed state that ties an answer to its question on protocol 2026-07-28.

The state is signed, not encrypted, and good once: issuing it files a nonce as pending,
and the first answer that verifies takes the nonce away, whatever the answer says. A full
list of *pending* nonces forgets the oldest and fails closed; a list of *spent* ones
would fail open.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable
from typing import Literal, NamedTuple

from mcp_approval.keys import TargetKeys

Refusal = Literal["absent", "malformed", "forged", "expired", "foreign", "used"]

LIFETIME_SECONDS = 900
"""How long a person may take to answer."""

PENDING_LIMIT = 1_000
"""Questions that may wait for an answer; beyond it the oldest can no longer be answered."""

_VERSION = b"\x01"
_DOMAIN = b"mcp-approval/state\x00"
# Digest and key of SHA-256; 128 random bits; milliseconds in 64 bits; the whole HMAC.
_KEY_BYTES = 32
_NONCE_BYTES = 16
_TIME_BYTES = 8
_MAC_BYTES = 32
_PAYLOAD_BYTES = len(_VERSION) + _KEY_BYTES + _NONCE_BYTES + _TIME_BYTES
_STATE_BYTES = _PAYLOAD_BYTES + _MAC_BYTES
_STATE_CHARS = -(-_STATE_BYTES * 4 // 3)


class Pending(NamedTuple):
    """What is kept of a question that waits, so that a later one can say why it comes."""

    keys: TargetKeys
    issued: float


class Seal:
    """Issues states and says whether one that comes back is an answer to its question."""

    def __init__(
        self,
        process_key: bytes,
        *,
        clock: Callable[[], float],
        random_bytes: Callable[[int], bytes],
        pending_limit: int = PENDING_LIMIT,
    ) -> None:
        self._process_key = process_key
        self._clock = clock
        self._random_bytes = random_bytes
        self._pending_limit = pending_limit
        self._pending: dict[bytes, Pending] = {}

    def __repr__(self) -> str:
        return f"Seal(pending={len(self._pending)})"

    @property
    def pending(self) -> int:
        """Number of states that could still be answered, expired ones included."""
        return len(self._pending)

    def issue(self, keys: TargetKeys) -> str:
        """Seal a target key and file its nonce as pending."""
        self._sweep()
        now = self._clock()
        nonce = self._random_bytes(_NONCE_BYTES)
        issued = int(now * 1_000).to_bytes(_TIME_BYTES, "big", signed=True)
        payload = _VERSION + keys.full + nonce + issued
        while len(self._pending) >= self._pending_limit:
            del self._pending[next(iter(self._pending))]
        self._pending[nonce] = Pending(keys, now)
        return _encode(payload + self._mac(payload))

    def redeem(self, state: str | None, keys: TargetKeys) -> Refusal | None:
        """Spend a state on a target, and with it any other that waits for the same call.

        Only a state that opens onto this very target loses its nonce, so a client that
        mixes up two dialogs keeps the other answer.

        Returns:
            `None` when the state is good, otherwise why it is not.
        """
        if state is None:
            return "absent"
        opened = self._open(state)
        if isinstance(opened, str):
            return opened
        bound, nonce, age = opened
        # Issue times are rounded down to milliseconds; a state from the future is not ours.
        if not -0.001 < age < LIFETIME_SECONDS:
            return "expired"
        if not hmac.compare_digest(bound, keys.full):
            return "foreign"
        if nonce not in self._pending:
            return "used"
        self.settle(keys.base)
        return None

    def waits(self, keys: TargetKeys) -> bool:
        """Whether a question about the same call can still be answered."""
        limit = self._clock() - LIFETIME_SECONDS
        return any(
            pending.keys.base == keys.base and pending.issued > limit
            for pending in self._pending.values()
        )

    def earlier(self, state: str, keys: TargetKeys) -> TargetKeys | None:
        """What the question of a state quoted, if it was one about the same call."""
        opened = self._open(state)
        pending = None if isinstance(opened, str) else self._pending.get(opened[1])
        return pending.keys if pending is not None and pending.keys.base == keys.base else None

    def settle(self, base: bytes) -> None:
        """Drop every pending state of a call: asked twice, it is still done once."""
        for nonce in [nonce for nonce, one in self._pending.items() if one.keys.base == base]:
            del self._pending[nonce]

    def _open(self, state: str) -> tuple[bytes, bytes, float] | Literal["malformed", "forged"]:
        """Key, nonce and age of a state that this process sealed."""
        raw = _decode(state)
        if raw is None or raw[:1] != _VERSION:
            return "malformed"
        payload, mac = raw[:_PAYLOAD_BYTES], raw[_PAYLOAD_BYTES:]
        if not hmac.compare_digest(mac, self._mac(payload)):
            return "forged"
        issued = int.from_bytes(payload[-_TIME_BYTES:], "big", signed=True) / 1_000
        bound, nonce = payload[1 : 1 + _KEY_BYTES], payload[1 + _KEY_BYTES : -_TIME_BYTES]
        return bound, nonce, self._clock() - issued

    def _sweep(self) -> None:
        """Forget the oldest: an answer up to twice as late as allowed still gets a reason."""
        limit = self._clock() - 2 * LIFETIME_SECONDS
        for nonce in [nonce for nonce, one in self._pending.items() if one.issued <= limit]:
            del self._pending[nonce]

    def _mac(self, payload: bytes) -> bytes:
        return hmac.new(self._process_key, _DOMAIN + payload, hashlib.sha256).digest()


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _decode(state: str) -> bytes | None:
    """Decode strictly: Python's decoder skips foreign characters and trailing text."""
    if len(state) != _STATE_CHARS or not state.isascii():
        return None
    try:
        raw = base64.urlsafe_b64decode(state + "=" * (-len(state) % 4))
    except binascii.Error:
        return None
    return raw if len(raw) == _STATE_BYTES and _encode(raw) == state else None
