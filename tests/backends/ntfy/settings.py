"""What the operator of the stand-in can choose."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Literal

DefaultAccess = Literal["read-write", "read-only", "write-only", "deny-all"]
JsonObject = dict[str, object]

RESERVED_TOPICS = (
    "docs",
    "static",
    "file",
    "app",
    "metrics",
    "account",
    "settings",
    "signup",
    "login",
    "v1",
)
DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits per visitor with ntfy's own defaults; lower them to meet a 429 soon."""

    requests: int = 60
    request_refill_seconds: float = 5.0
    messages_per_day: int = 17_280
    login_failures: int = 30
    login_failure_refill_seconds: float = 60.0
    new_topics: int = 100
    new_topic_refill_seconds: float = 60.0
    total_topics: int = 15_000
    subscriptions: int = 30
    exempt: bool = False
    """Leave this machine out of the request bucket and the daily messages."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One configuration of the stand-in."""

    version: str = "2.28.0"
    users: bool = True
    default_access: DefaultAccess = "read-write"
    message_size_limit: int = 4096
    attachments: bool = False
    attachment_size_limit: int = 15 * 1024 * 1024
    attachment_seconds: int = 3 * 3600
    cache_seconds: int = 12 * 3600
    delay_min_seconds: int = 10
    delay_max_seconds: int = 3 * DAY_SECONDS
    delivery_seconds: int = 0
    time_zone: tzinfo = UTC
    keepalive_seconds: float = 45.0
    web_app: bool = True
    reserved_topics: tuple[str, ...] = RESERVED_TOPICS
    limits: Limits = field(default_factory=Limits)

    def at_least(self, major: int, minor: int) -> bool:
        """Whether the imitated release is the given one or newer."""
        found = re.match(r"(\d+)\.(\d+)", self.version)
        if found is None:
            raise ValueError(f"not a release number: {self.version}")
        return (int(found[1]), int(found[2])) >= (major, minor)
