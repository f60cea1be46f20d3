"""What a channel is opened with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Setting(NamedTuple):
    """What a channel is opened with.

    Attributes:
        values: The parsed variables on approvals.
        server: Which server asks.
        process: This process among others.
        key: The channel's own key.
        log: Takes a line.
        head: The newest head of the record; empty without one.
        clock: Monotonic seconds.
    """

    values: Mapping[str, object]
    server: str
    process: str
    key: bytes
    log: Callable[[str], None]
    head: Callable[[], str]
    clock: Callable[[], float]
