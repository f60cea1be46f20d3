"""How many secrets a pipeline can get, counted the way Woodpecker picks them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.json_fields import Document, number_of, text_or_empty, texts_of
from woodpecker_ci_mcp.api.limits import PAGE

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import Part, WoodpeckerAPI

MOST_PAGES = 20
"""Pages of one level; more than a thousand secrets on one level are told as "at least"."""

Level = Sequence[Document] | None
"""The secrets of one level; nothing when they cannot be read."""


@dataclass(frozen=True, slots=True)
class SecretReach:
    """How many secrets of each level reach a pipeline.

    Attributes:
        repository: Of its repository; nothing when they cannot be counted.
        organization: Of its organisation.
        instance: Of the instance.
        cut: Whether a level holds more than was read.
        extension: Whether the repository has an endpoint that gives out further ones.
    """

    repository: int | None
    organization: int | None
    instance: int | None
    cut: bool = False
    extension: bool = False


def count_reaching(levels: Sequence[Level], event: str) -> list[int | None]:
    """Count the secrets of each level that an event gets, the narrowest level first.

    Of one name only the narrowest level counts, whatever events it is open to: a secret of
    the repository that is closed to the event hides an open one of the instance.
    """
    wanted = "pull_request" if event.startswith("pull_request") else event
    taken: set[str] = set()
    counts: list[int | None] = []
    for level in levels:
        if level is None:
            counts.append(None)
            continue
        fresh = [secret for secret in level if text_or_empty(secret, "name") not in taken]
        counts.append(sum(_is_open(secret, wanted) for secret in fresh))
        taken |= {text_or_empty(secret, "name") for secret in level}
    return counts


async def secret_reach(api: WoodpeckerAPI, repository: Document, event: str) -> SecretReach:
    """Read the three levels and count.

    Args:
        api: The client.
        repository: The repository of the pipeline.
        event: The event of the pipeline.
    """
    repo_id, org_id = number_of(repository, "id") or 0, number_of(repository, "org_id") or 0
    # Number 0 is no organisation: there Woodpecker would list those of all repositories.
    levels = [
        await _level(api, "repos", repo_id) if repo_id else None,
        await _level(api, "orgs", org_id) if org_id else None,
        await _level(api),
    ]
    repository_count, organization_count, instance_count = count_reaching(levels, event)
    return SecretReach(
        repository_count,
        organization_count,
        instance_count,
        cut=any(level is not None and len(level) >= MOST_PAGES * PAGE for level in levels),
        extension=bool(text_or_empty(repository, "secret_extension_endpoint")),
    )


async def _level(api: WoodpeckerAPI, *path: Part) -> Level:
    """Read the secrets of a level; a count that informs may be unknown."""
    try:
        return [
            secret async for page in api.pages(*path, "secrets", most=MOST_PAGES) for secret in page
        ]
    except ToolFailure:
        return None


def _is_open(secret: Document, event: str) -> bool:
    events = texts_of(secret, "events")
    return not events or event in events
