"""Bounds of Woodpecker's API."""

BODY_BYTES = 32 * 1024 * 1024
"""Bound of one answer."""

PAGE = 50
"""Entries of a full page; Woodpecker turns anything larger into this."""
