"""The objects behind the tools: settings and client, and finding what a call names."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import SecretStr

from mcp_serverkit.config.settings import Values
from mcp_serverkit.config.typed_settings import ServerSettings, secret
from mcp_serverkit.errors import BadArgument, ToolFailure, Unexpected
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document, number_of, text_or_empty
from woodpecker_ci_mcp import __version__
from woodpecker_ci_mcp.api.client import WoodpeckerAPI, connect
from woodpecker_ci_mcp.facts import read_if_there
from woodpecker_ci_mcp.rights import Rights
from woodpecker_ci_mcp.scopes import Scope, require_one_id


class WoodpeckerSettings(ServerSettings):
    """Settings of this server."""

    url: str | None
    token: SecretStr | None
    log_lines: int
    log_max_bytes: int
    strict: bool


class Named(NamedTuple):
    """A pipeline that a call named.

    Attributes:
        number: Its number.
        document: Itself.
        note: What is to be told of how it was found.
    """

    number: int
    document: Document
    note: str = ""


@dataclass(frozen=True, slots=True)
class Woodpecker:
    """What a tool of this server works with.

    Attributes:
        settings: The settings.
        api: The API client.
        rights: What the account may do.
        sleep: Waits for some seconds.
        clock: Seconds that only grow.
    """

    settings: WoodpeckerSettings
    api: WoodpeckerAPI
    rights: Rights
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic

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
            await self.require_organization(org_id, secrets=True)
        return Scope(scope, org_id=org_id)

    async def require_scope(self, place: Scope, act: str) -> None:
        """Make sure that the account may change secrets and registries of a level."""
        if place.repo_id is not None:
            await self.rights.require_repository(place.repo_id, "push", act)
        elif place.org_id is not None:
            await self.rights.require_organization(place.org_id, act)
        else:
            await self.rights.require_admin(act)

    async def require_organization(self, org_id: int, *, secrets: bool = False) -> None:
        """Make sure that an organisation exists, as far as this account can see.

        For an admin Woodpecker takes an unknown organisation as number 0, to which the
        secrets of all repositories belong: it would list, change and delete those.

        Raises:
            ToolFailure: Woodpecker answers with an empty record.
        """
        found = await read_fact(self.api.get("orgs", org_id), hopeless=()) or {}
        if "name" in found and number_of(found, "id") != org_id:
            why = ", since Woodpecker would have acted on secrets of other repositories"
            raise ToolFailure(
                f"org_id: there is no organisation {org_id}. Nothing was sent"
                f"{why if secrets else ''}."
            )

    async def pipeline(self, repo_id: int, number: int | str) -> tuple[int, Document]:
        """Read a pipeline, or the newest one.

        Returns:
            Its number, and itself.
        """
        document = await self.api.get("repos", repo_id, "pipelines", number)
        return _number(document), document

    async def pipeline_number(
        self, repo_id: int, number: int | str, branch: str | None
    ) -> tuple[int, str]:
        """Return the number of a pipeline that may be named as the latest, and a note."""
        if isinstance(number, int):
            return number, ""
        found = await self.named_pipeline(repo_id, number, branch)
        return found.number, found.note

    async def named_pipeline(self, repo_id: int, number: int | str, branch: str | None) -> Named:
        """Read a pipeline that may be named as the latest, of the default branch or another.

        Woodpecker's own latest knows pushes only; where there is none, the newest pipeline
        of any event is taken.

        Args:
            repo_id: The repository.
            number: Its number, or `latest`.
            branch: The branch of the latest one.
        """
        if isinstance(number, int):
            return Named(*await self.pipeline(repo_id, number))
        query = {"branch": branch}
        path = ("repos", repo_id, "pipelines")
        latest = await read_if_there(self.api.get(*path, "latest", query=query))
        if latest is not None:
            return Named(_number(latest), latest)
        newest = await self.api.entries(*path, query={**query, "page": 1, "perPage": 1})
        if not newest:
            where = "of that branch " if branch else ""
            raise ToolFailure(f"There is no pipeline {where}in repository {repo_id} yet.")
        found = await self.pipeline(repo_id, _number(newest[0]))
        return Named(*found, note="there is no push, so this is the newest pipeline of any event")


def _number(pipeline: Document) -> int:
    found = number_of(pipeline, "number")
    if found is None:
        raise Unexpected("Woodpecker answered with a pipeline that has no number.")
    return found


def build(
    values: Values,
    _offered: Sequence[str],
    *,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
    deadline: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout,
) -> Woodpecker:
    """Build the app from parsed settings.

    Args:
        values: The settings.
        sleep: Waits between repeats of a read, and between two looks at a pipeline.
        clock: Seconds that only grow.
        deadline: Makes the time limit of a request.
    """
    settings = WoodpeckerSettings.from_values(values)
    agent = f"woodpecker-ci-mcp/{__version__}"
    api = connect(
        settings, settings.url, secret(settings.token), agent, sleep=sleep, deadline=deadline
    )
    return Woodpecker(settings, api, Rights(api), sleep, clock)
