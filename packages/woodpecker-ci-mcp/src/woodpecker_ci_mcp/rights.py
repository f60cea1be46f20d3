"""What the account behind the token may do, asked of Woodpecker before a person is asked.

Only an answer that grants is remembered, for a minute: a right that was given a second
ago is never denied.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document
from woodpecker_ci_mcp.api.limits import KNOWN_SECONDS

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import Part, WoodpeckerAPI

RepositoryRight = Literal["push", "admin"]


class Rights:
    """Rights of one account.

    Args:
        api: The client.
        clock: Seconds that only grow.
    """

    def __init__(self, api: WoodpeckerAPI, clock: Callable[[], float] = time.monotonic) -> None:
        self._api = api
        self._clock = clock
        self._granted: dict[tuple[object, ...], float] = {}

    async def require_admin(self, act: str) -> None:
        """Make sure that the account is an admin of the instance.

        Args:
            act: What needs it, to continue a sentence.

        Raises:
            ToolFailure: It is none. Not knowing is no reason to refuse.
        """
        if await self.is_admin() is False:
            raise ToolFailure(
                f"This account is no admin of the instance, and {act} takes one. Nothing was sent."
            )

    async def require_repository(self, repo_id: int, right: RepositoryRight, act: str) -> None:
        """Make sure that the account has a right in a repository; an instance admin has all.

        Raises:
            ToolFailure: It lacks the right.
        """
        granted = await self._grants((repo_id, right), "repos", repo_id, "permissions", field=right)
        if granted is False and await self.is_admin() is False:
            raise ToolFailure(
                f"This account lacks the {right} right in repository {repo_id}, and {act} takes "
                "it. Nothing was sent."
            )

    async def require_organization(self, org_id: int, act: str) -> None:
        """Make sure that the account is an admin of an organisation.

        Raises:
            ToolFailure: It is none.
        """
        path = ("orgs", org_id, "permissions")
        if await self._grants((org_id, "org"), *path, field="admin") is False:
            raise ToolFailure(
                f"This account is no admin of organisation {org_id}, and {act} takes one. Nothing "
                "was sent."
            )

    async def is_admin(self) -> bool | None:
        """Tell whether the account is an admin of the instance; nothing when unknown."""
        # Woodpecker leaves a false flag of an account out.
        return await self._grants(("admin",), "user", field="admin", absent=False)

    async def _grants(
        self, key: tuple[object, ...], *path: Part, field: str, absent: bool | None = None
    ) -> bool | None:
        if self._clock() < self._granted.get(key, 0.0):
            return True
        found: Document | None = await read_fact(self._api.get(*path))
        if found is None:
            return None
        answer = found.get(field, absent)
        if answer is not True:
            self._granted.pop(key, None)
            return False if answer is False else None
        self._granted[key] = self._clock() + KNOWN_SECONDS
        return True
