"""A message on its way: what is handed over, how far it came, what became of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from smtp_mcp.api.reply import Rejection, Reply
from smtp_mcp.mailbox import Mailbox

_QUEUED = re.compile(
    r"(?i)\b(?:queued as |id=|message-id:? ?<?|queue id:? ?)([A-Za-z0-9._-]{4,64})"
)


class DeliveryTimeouts(NamedTuple):
    """How long a server may take with a message (RFC 5321, 4.5.3.2).

    Attributes:
        final_seconds: Wait for the reply to the final dot, before the share for the size.
        bytes_per_second: Slowest line that this share allows for.
        stall_seconds: How long an upload may stand still.
    """

    final_seconds: float = 600.0
    bytes_per_second: float = 20_000.0
    stall_seconds: float = 180.0


DEFAULT_TIMEOUTS = DeliveryTimeouts()


@dataclass(slots=True)
class Progress:
    """How far a handing-in came; still true when the call is cut short.

    Attributes:
        left: Whether the message had left completely, so that the server may have it.
    """

    left: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message that the server took.

    Attributes:
        accepted: Recipients that it took it for.
        rejected: Recipients that it did not.
        reply: Its reply to the message.
    """

    accepted: tuple[str, ...]
    rejected: tuple[Rejection, ...]
    reply: Reply

    @property
    def queue_id(self) -> str | None:
        """The server's name for the message, if its reply tells one."""
        found = _QUEUED.search(self.reply.words)
        return found[1] if found else None


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message with its envelope."""

    sender: Mailbox
    recipients: tuple[Mailbox, ...]
    raw: bytes = field(repr=False)

    @property
    def needs_smtputf8(self) -> bool:
        """Whether a recipient cannot be written in ASCII."""
        return any(mailbox.needs_smtputf8 for mailbox in self.recipients)
