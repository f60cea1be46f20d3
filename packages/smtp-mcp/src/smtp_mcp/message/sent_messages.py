"""What this process remembers of messages, by their content, so that none is sent twice.

A message has one Message-ID, date and order of recipients from its first composition on:
preview, both legs of a question and a repeat after an unknown outcome are the same bytes.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self, TypeAlias

from smtp_mcp.api.reply import Rejection
from smtp_mcp.mailbox import Mailbox

REMEMBER_SECONDS = 900.0
"""As long as an approval can be redeemed, counted from the last use."""

REMEMBER_PARTIAL_SECONDS = 86_400.0
"""While somebody lacks a message: servers that put recipients off want minutes to hours."""

# Far above what the hourly limit lets out while entries are kept.
REMEMBER_ENTRIES = 512

UNSET_DOMAIN = "unset.invalid"
"""Domain of ids that leave nowhere."""

Recipients: TypeAlias = tuple[tuple[Mailbox, ...], tuple[Mailbox, ...], tuple[Mailbox, ...]]
"""To, Cc and Bcc."""


@dataclass(frozen=True, slots=True)
class MessageIdentity:
    """What every composition of one message has in common.

    Attributes:
        message_id: Its Message-ID.
        date: Its date.
        to: To in the order of the first call; so are `cc` and `bcc`.
        unsent: Whether it is a draft: the program that sends it makes Message-ID and date.
    """

    message_id: str
    date: datetime
    to: tuple[Mailbox, ...]
    cc: tuple[Mailbox, ...]
    bcc: tuple[Mailbox, ...]
    unsent: bool = False

    @classmethod
    def of_draft(cls, fingerprint: str, recipients: Recipients) -> Self:
        """Return that of a draft, which decides nothing but boundaries."""
        # As much of the digest as a Message-ID has in front of its domain.
        message_id = f"<{fingerprint[:32]}@{UNSET_DOMAIN}>"
        return cls(message_id, datetime.fromtimestamp(0, UTC), *recipients, unsent=True)


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that the server took, whole or in part.

    Attributes:
        message_id: Its Message-ID.
        accepted: Recipients that it was taken for.
        rejected: Recipients who, as far as known, lack it, with the latest reply.
    """

    message_id: str
    accepted: tuple[str, ...]
    rejected: tuple[Rejection, ...] = ()

    @property
    def rest(self) -> tuple[str, ...]:
        """Recipients whom a repeat may still reach."""
        return tuple(r.address for r in self.rejected if r.reply.temporary)

    @property
    def refused_for_good(self) -> tuple[Rejection, ...]:
        """Recipients who are not tried again."""
        return tuple(r for r in self.rejected if not r.reply.temporary)

    def completed(self, accepted: tuple[str, ...], rejected: tuple[Rejection, ...]) -> Sent:
        """Add what became of a repeat for the rest."""
        return Sent(self.message_id, self.accepted + accepted, self.refused_for_good + rejected)


@dataclass(frozen=True, slots=True)
class _Entry:
    identity: MessageIdentity
    until: float
    sent: Sent | None = None
    unknown_since: datetime | None = None


class SentMessages:
    """Remembers messages by fingerprint.

    Args:
        clock: Monotonic seconds.
        now: The present moment.
        random_bytes: Source of message ids.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._clock = clock
        self._now = now
        self._random_bytes = random_bytes
        self._entries: dict[str, _Entry] = {}
        self._composing = threading.Lock()

    def identity(
        self,
        fingerprint: str,
        domain: str,
        recipients: Recipients,
    ) -> MessageIdentity:
        """Return the identity of a message, made up at its first composition.

        Args:
            fingerprint: Digest of its content.
            domain: Domain of its message id.
            recipients: To, Cc and Bcc in the order of this call.
        """
        with self._composing:
            return self._identity(fingerprint, domain, recipients)

    def _identity(
        self,
        fingerprint: str,
        domain: str,
        recipients: Recipients,
    ) -> MessageIdentity:
        entry = self._entry(fingerprint)
        if entry is None:
            message_id = f"<{self._random_bytes(16).hex()}@{domain}>"
            identity = MessageIdentity(message_id, self._now().replace(microsecond=0), *recipients)
            entry = _Entry(identity, 0.0)
        if entry.sent is None:
            self._keep(fingerprint, replace(entry, until=self._clock() + REMEMBER_SECONDS))
        return entry.identity

    def sent(self, fingerprint: str) -> Sent | None:
        """Return what became of a message that was sent, or nothing."""
        entry = self._entry(fingerprint)
        return None if entry is None else entry.sent

    def unknown_since(self, fingerprint: str) -> datetime | None:
        """Return when an attempt ended without anybody knowing how, or nothing."""
        entry = self._entry(fingerprint)
        return None if entry is None else entry.unknown_since

    def remember_sent(self, fingerprint: str, identity: MessageIdentity, sent: Sent) -> None:
        """File a message as sent; longer while somebody lacks it."""
        seconds = REMEMBER_PARTIAL_SECONDS if sent.rejected else REMEMBER_SECONDS
        self._keep(fingerprint, _Entry(identity, self._clock() + seconds, sent))

    def remember_unknown(self, fingerprint: str, identity: MessageIdentity) -> None:
        """File that a message, or its rest, may or may not have been sent."""
        earlier = self._entry(fingerprint)
        sent = earlier.sent if earlier is not None else None
        seconds = REMEMBER_PARTIAL_SECONDS if sent is not None else REMEMBER_SECONDS
        self._keep(fingerprint, _Entry(identity, self._clock() + seconds, sent, self._now()))

    def _entry(self, fingerprint: str) -> _Entry | None:
        entry = self._entries.get(fingerprint)
        if entry is not None and entry.until <= self._clock():
            del self._entries[fingerprint]
            return None
        return entry

    def _keep(self, fingerprint: str, entry: _Entry) -> None:
        self._entries.pop(fingerprint, None)
        while len(self._entries) >= REMEMBER_ENTRIES:
            del self._entries[self._least_worth()]
        self._entries[fingerprint] = entry

    def _least_worth(self) -> str:
        """Pick what to forget: the oldest mere preview, else the oldest of all."""
        plain = (k for k, e in self._entries.items() if not e.sent and not e.unknown_since)
        return next(plain, next(iter(self._entries)))
