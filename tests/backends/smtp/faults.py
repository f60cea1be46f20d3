"""Faults that a test scripts: what happens instead of the honest reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

DROP: Literal["drop"] = "drop"
"""The connection is cut."""

HANG: Literal["hang"] = "hang"
"""Nothing is said any more."""

Step = Literal[
    "BANNER",
    "EHLO",
    "STARTTLS",
    "AUTH",
    "MAIL",
    "RCPT",
    "DATA",
    "CONTENT",
    "DOT",
    "QUIT",
]


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        step: Where: a command, the greeting, the content (after 354), or the final dot.
        do: A reply line, `DROP` or `HANG`.
        nth: At which occurrence within the life of the server; 0 for each.
        then: What follows the reply.
        delay: Seconds before it; with `do` empty, before the honest reply.
        after_bytes: Bytes of the content that are read before it.
    """

    step: Step
    do: str = ""
    nth: int = 0
    then: Literal["", "drop"] = ""
    delay: float = 0.0
    after_bytes: int = 1_000
