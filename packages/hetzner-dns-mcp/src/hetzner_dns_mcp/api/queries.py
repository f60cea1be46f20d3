"""Query parameters of list requests."""

from __future__ import annotations

from collections.abc import Sequence

from hetzner_dns_mcp.api.types import Query

USUAL_PER_PAGE = 50
"""The API's ceiling of a page, record sets aside: those come 100 at a time."""

CLAMPED = f"per_page: this list has at most {USUAL_PER_PAGE} entries a page"


def query(**given: str | int | Sequence[str] | None) -> Query:
    """Compose parameters; what is not given is left out, a list repeats its key."""
    pairs: list[tuple[str, str]] = []
    for key, value in given.items():
        if value is None:
            continue
        if isinstance(value, str | int):
            pairs.append((key, str(value)))
        else:
            pairs += [(key, item) for item in value]
    return pairs


def clamped(per_page: int | None) -> int | None:
    """Bring a page size below the API's usual ceiling."""
    return None if per_page is None else min(per_page, USUAL_PER_PAGE)
