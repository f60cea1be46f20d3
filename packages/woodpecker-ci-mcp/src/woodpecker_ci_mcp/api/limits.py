"""Bounds of Woodpecker's API."""

BODY_BYTES = 32 * 1024 * 1024
"""Bound of one answer."""

PAGE = 50
"""Entries of a full page; Woodpecker turns anything larger into this."""

KNOWN_SECONDS = 60
"""How long a read may use the id that a name had."""

MOST_PAGES = 4
"""Pages that a count reads before it says "at least"."""
