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
from typing import Literal

Refusal = Literal["absent", "malformed", "forged", "expired", "foreign", "used"]

LIFETIME_SECONDS = 900
"""How long a person may take to answer."""

PENDING_LIMIT = 1_000
"""Questions that may wait for an answer; beyond it the oldest can no longer be answered."""

_VERSION = b"\x01"
_DOMAIN = b"mcp-approval/state\x00"
_KEY_BYTES = 32
_NONCE_BYTES = 16
_TIME_BYTES = 8
_MAC_BYTES = 32
_PAYLOAD_BYTES = len(_VERSION) + _KEY_BYTES + _NONCE_BYTES + _TIME_BYTES
_STATE_BYTES = _PAYLOAD_BYTES + _MAC_BYTES
_STATE_CHARS = -(-_STATE_BYTES * 4 // 3)


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
        self._pending: dict[bytes, bytes] = {}

    def __repr__(self) -> str:
        return f"Seal(pending={len(self._pending)})"

    @property
    def pending(self) -> int:
        """Number of states that could still be answered, expired ones included."""
        return len(self._pending)

    def issue(self, key: bytes) -> str:
        """Seal a target key and file its nonce as pending."""
        nonce = self._random_bytes(_NONCE_BYTES)
        issued = int(self._clock() * 1_000).to_bytes(_TIME_BYTES, "big", signed=True)
        payload = _VERSION + key + nonce + issued
        while len(self._pending) >= self._pending_limit:
            del self._pending[next(iter(self._pending))]
        self._pending[nonce] = key
        return _encode(payload + self._mac(payload))

    def redeem(self, state: str | None, key: bytes) -> Refusal | None:
        """Spend a state on a target, and with it any other that waits for the same target.

        Only a state that opens onto this very target loses its nonce, so a client that
        mixes up two dialogs keeps the other answer.

        Returns:
            `None` when the state is good, otherwise why it is not.
        """
        if state is None:
            return "absent"
        raw = _decode(state)
        if raw is None or raw[:1] != _VERSION:
            return "malformed"
        payload, mac = raw[:_PAYLOAD_BYTES], raw[_PAYLOAD_BYTES:]
        if not hmac.compare_digest(mac, self._mac(payload)):
            return "forged"
        bound, nonce = payload[1 : 1 + _KEY_BYTES], payload[1 + _KEY_BYTES : -_TIME_BYTES]
        age = self._clock() - int.from_bytes(payload[-_TIME_BYTES:], "big", signed=True) / 1_000
        # Issue times are rounded down to milliseconds; a state from the future is not ours.
        if not -0.001 < age < LIFETIME_SECONDS:
            return "expired"
        if not hmac.compare_digest(bound, key):
            return "foreign"
        if nonce not in self._pending:
            return "used"
        self._settle(key)
        return None

    def _settle(self, key: bytes) -> None:
        """Drop every pending state of a target: asked twice, it is still done once."""
        for nonce in [nonce for nonce, bound in self._pending.items() if bound == key]:
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
