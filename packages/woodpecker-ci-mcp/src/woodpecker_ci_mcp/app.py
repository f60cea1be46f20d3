"""The objects behind the tools: settings and client, and finding what a call names."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from pydantic import SecretStr

from mcp_serverkit.config.settings import Values
from mcp_serverkit.config.typed_settings import ServerSettings, secret
from mcp_serverkit.errors import BadArgument, ToolFailure, Unexpected
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document, number_of, text_or_empty
from woodpecker_ci_mcp import __version__
from woodpecker_ci_mcp.api.client import WoodpeckerAPI, connect
from woodpecker_ci_mcp.rights import Rights
from woodpecker_ci_mcp.scopes import Scope, require_one_id


class WoodpeckerSettings(ServerSettings):
    """Settings of this server."""

    url: str | None
    token: SecretStr | None
    log_lines: int
    log_max_bytes: int
    strict: bool


@dataclass(frozen=True, slots=True)
class Woodpecker:
    """What a tool of this server works with.

    Attributes:
        settings: The settings.
        api: The API client.
        rights: What the account may do.
    """

    settings: WoodpeckerSettings
    api: WoodpeckerAPI
    rights: Rights

    async def aclose(self) -> None:
        """Close the client."""
        await self.api.aclose()

    async def check(self) -> list[str]:
        """Read the own account: only that proves a token."""
        user = await self.api.get("user")
        role = "admin" if user.get("admin") is True else "user"
        version = self.api.version or "unknown"
        return [
            f"reached {self.settings.url}, Woodpecker {version}",
            f"logged in as {text_or_empty(user, 'login')} with role: {role}",
        ]

    async def repository(
        self, repo_id: int | None, repo: str | None, *, known: bool = False
    ) -> int:
        """Return the id of the repository that a call names, by id or by owner and name.

        Args:
            repo_id: Its id.
            repo: Or its owner and name.
            known: Whether the id that the name had a moment ago will do; a call that
                writes must not use it.
        """
        if (repo_id is None) == (repo is None):
            raise BadArgument("repo_id", "give exactly one of repo_id and repo")
        if repo_id is not None:
            return repo_id
        return await self.api.repository_id(repo or "", known=known)

    async def place(
        self,
        scope: str,
        repo_id: int | None,
        repo: str | None,
        org_id: int | None,
        *,
        known: bool = False,
    ) -> Scope:
        """Return the level that a call on secrets or registries names."""
        require_one_id(scope, repo_id, repo, org_id)
        if scope == "repository":
            return Scope(scope, repo_id=await self.repository(repo_id, repo, known=known))
        if org_id is not None:
            await self.require_organization(org_id)
        return Scope(scope, org_id=org_id)

    async def require_scope(self, place: Scope, act: str) -> None:
        """Make sure that the account may change secrets and registries of a level."""
        if place.repo_id is not None:
            await self.rights.require_repository(place.repo_id, "push", act)
        elif place.org_id is not None:
            await self.rights.require_organization(place.org_id, act)
        else:
            await self.rights.require_admin(act)

    async def require_organization(self, org_id: int) -> None:
        """Make sure that an organisation exists, as far as this account can see.

        For an admin Woodpecker takes an unknown organisation as number 0, to which the
        secrets of all repositories belong: it would list, change and delete those.

        Raises:
            ToolFailure: Woodpecker answers with an empty record.
        """
        found = await read_fact(self.api.get("orgs", org_id), hopeless=()) or {}
        if "name" in found and number_of(found, "id") != org_id:
            raise ToolFailure(
                f"org_id: there is no organisation {org_id}. Nothing was sent, since Woodpecker "
                "would have acted on secrets of other repositories."
            )

    async def pipeline(self, repo_id: int, number: int | str) -> tuple[int, Document]:
        """Read a pipeline, or the newest one.

        Returns:
            Its number, and itself.
        """
        document = await self.api.get("repos", repo_id, "pipelines", number)
        found = number_of(document, "number")
        if found is None:
            raise Unexpected("Woodpecker answered with a pipeline that has no number.")
        return found, document

    async def pipeline_number(self, repo_id: int, number: int | str) -> int:
        """Return the number of a pipeline that may be named as the latest."""
        if isinstance(number, int):
            return number
        found, _ = await self.pipeline(repo_id, number)
        return found


def build(
    values: Values,
    _offered: Sequence[str],
    *,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> Woodpecker:
    """Build the app from parsed settings.

    Args:
        values: The settings.
        sleep: Waits between repeats of a read.
    """
    settings = WoodpeckerSettings.from_values(values)
    agent = f"woodpecker-ci-mcp/{__version__}"
    api = connect(settings, settings.url, secret(settings.token), agent, sleep=sleep)
    return Woodpecker(settings, api, Rights(api))
