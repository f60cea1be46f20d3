"""Where secrets and registries live: a repository, an organisation, or the instance."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_serverkit.errors import BadArgument


@dataclass(frozen=True, slots=True)
class Scope:
    """One level that holds secrets and registries.

    Attributes:
        scope: `repository`, `organization` or `global`.
        repo_id: The repository, at that level.
        org_id: The organisation, at that level.
    """

    scope: str
    repo_id: int | None = None
    org_id: int | None = None

    @property
    def path(self) -> tuple[str | int, ...]:
        """The path below which they are found."""
        if self.repo_id is not None:
            return "repos", self.repo_id
        return ("orgs", self.org_id) if self.org_id is not None else ()

    @property
    def words(self) -> str:
        """The level in words."""
        if self.repo_id is not None:
            return f"repository {self.repo_id}"
        return f"organisation {self.org_id}" if self.org_id is not None else "the whole instance"


def require_one_id(scope: str, repo_id: int | None, repo: str | None, org_id: int | None) -> None:
    """Check that exactly the id that belongs to the scope is given.

    Raises:
        BadArgument: Another one is missing or superfluous, which hints at a mix-up.
    """
    wants_repo, wants_org = scope == "repository", scope == "organization"
    if (repo_id is not None or repo is not None) and not wants_repo:
        name = "repo_id" if repo_id is not None else "repo"
        raise BadArgument(name, f"does not go with scope {scope}; which one is meant?")
    if org_id is not None and not wants_org:
        raise BadArgument("org_id", f"does not go with scope {scope}; which one is meant?")
    if wants_org and org_id is None:
        raise BadArgument("org_id", "is needed with scope organization")
