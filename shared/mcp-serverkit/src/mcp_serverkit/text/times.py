"""Moments as texts give them."""

from __future__ import annotations

from datetime import UTC, datetime


def iso_time(seconds: float | None) -> str | None:
    """Format Unix seconds as ISO 8601 in UTC; nothing where the calendar ends."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, OSError, ValueError):
        return None
