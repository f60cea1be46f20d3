"""Reading what a question quotes. What only informs may fail and is then unknown.

What proves that the call itself must fail ends it before anybody is asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_approval.question import one_of
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document, number_of, text_or_empty
from woodpecker_ci_mcp.api.limits import PAGE
from woodpecker_ci_mcp.dialogs.pipelines import Origin
from woodpecker_ci_mcp.dialogs.wording import STATUSES
from woodpecker_ci_mcp.secret_reach import secret_reach

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import WoodpeckerAPI

MOST_PAGES = 4
"""Pages that a count reads before it says "at least"."""


async def blocked_origin(api: WoodpeckerAPI, repo_id: int, number: int) -> Origin:
    """Read where a blocked pipeline comes from, and what secrets reach it.

    Raises:
        ToolFailure: It cannot be read, or is not blocked.
    """
    pipeline = await api.get("repos", repo_id, "pipelines", number)
    if text_or_empty(pipeline, "status") != "blocked":
        status = one_of(text_or_empty(pipeline, "status"), STATUSES)
        raise ToolFailure(
            f"Only a blocked pipeline can be approved, and pipeline {number} is not blocked: its "
            f"status is {status}. Nothing was changed."
        )
    event = text_or_empty(pipeline, "event")
    repository = await read_fact(api.get("repos", repo_id))
    if repository is None:
        return origin(pipeline)
    return replace(origin(pipeline), secrets=await secret_reach(api, repository, event))


def origin(pipeline: Document) -> Origin:
    """Take from a pipeline what a question quotes of it."""
    return Origin(
        id=number_of(pipeline, "id"),
        event=text_or_empty(pipeline, "event") or None,
        from_fork=pipeline.get("from_fork") is True,
        status=text_or_empty(pipeline, "status") or None,
        commit=text_or_empty(pipeline, "commit") or None,
    )


async def repositories_of(api: WoodpeckerAPI, org_id: int | None) -> str | None:
    """Count the repositories of an organisation or a personal namespace; for admins."""
    if org_id is None:
        return None
    return await read_fact(_repositories(api, org_id), hopeless=())


async def repositories_of_user(api: WoodpeckerAPI, login: str, forge_id: int) -> str | None:
    """Count the repositories in the personal namespace of an account; for admins."""
    query = {"forge_id": forge_id}
    user = await read_fact(api.get("users", login, query=query))
    return await repositories_of(api, number_of(user or {}, "org_id"))


async def own_id(api: WoodpeckerAPI) -> int | None:
    """Read the id of the account behind the token."""
    user: Document = await read_fact(api.get("user")) or {}
    return number_of(user, "id")


async def _repositories(api: WoodpeckerAPI, org_id: int) -> str:
    count, entries = 0, PAGE
    async for page in api.pages("repos", most=MOST_PAGES):
        entries = len(page)
        count += sum(number_of(repository, "org_id") == org_id for repository in page)
    return _count(count, cut=entries == PAGE)


def _count(count: int, *, cut: bool) -> str:
    return f"at least {count}" if cut else str(count)
