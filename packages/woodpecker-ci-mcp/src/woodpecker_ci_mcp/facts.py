"""Reading what a question quotes. What only informs may fail and is then unknown.

What proves that the call itself must fail ends it before anybody is asked.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_approval.question import one_of
from mcp_serverkit.errors import BadArgument, Refused, ToolFailure
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document, number_of, text_or_empty
from woodpecker_ci_mcp.api.agents import find_agent, running
from woodpecker_ci_mcp.api.error_hints import BUSY
from woodpecker_ci_mcp.api.limits import MOST_PAGES, PAGE
from woodpecker_ci_mcp.api.parts import steps_of
from woodpecker_ci_mcp.api.removal import list_all
from woodpecker_ci_mcp.dialogs.pipelines import Origin
from woodpecker_ci_mcp.dialogs.wording import STATUSES
from woodpecker_ci_mcp.secret_reach import secret_reach

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import Part, WoodpeckerAPI
    from woodpecker_ci_mcp.rights import Rights

NAMED_AGENTS = 5
"""Agents of a pipeline whose names are read: one request each."""

UNFINISHED = frozenset({"pending", "running", "blocked"})
"""Statuses of pipelines of which Woodpecker deletes nothing."""

WHOLE_PAGES = 20
"""Pages of a list that is deleted entry by entry."""


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


async def ended_pipeline(
    api: WoodpeckerAPI, repo_id: int, number: int, act: str
) -> Document | None:
    """Read a pipeline of which something is to be deleted.

    Returns:
        The pipeline; nothing when it cannot be read.

    Raises:
        ToolFailure: It is not there, or has not ended.
    """
    pipeline = await read_fact(api.get("repos", repo_id, "pipelines", number))
    if pipeline is not None and text_or_empty(pipeline, "status") in UNFINISHED:
        status = one_of(text_or_empty(pipeline, "status"), STATUSES)
        raise ToolFailure(
            f"Pipeline {number} is {status}, and {act} takes one that has ended; cancel_pipeline "
            "ends it. Nothing was sent."
        )
    return pipeline


async def ended_step(
    api: WoodpeckerAPI, repo_id: int, number: int, step_id: int
) -> Document | None:
    """Read the pipeline of a step whose log is to be deleted.

    Returns:
        The pipeline; nothing when it cannot be read.

    Raises:
        ToolFailure: The step is not in it, or has not ended.
    """
    pipeline = await read_fact(api.get("repos", repo_id, "pipelines", number))
    if pipeline is None:
        return None
    step = next((step for step in steps_of(pipeline) if number_of(step, "id") == step_id), None)
    if step is None:
        raise ToolFailure(
            f"step_id: pipeline {number} has no step {step_id}; get_pipeline lists its steps. "
            "Nothing was sent."
        )
    if text_or_empty(step, "state") in {"pending", "running"}:
        raise ToolFailure(
            f"Step {step_id} has not ended, and only the log of one that has can be deleted. "
            "Nothing was sent."
        )
    return pipeline


async def require_other_name(api: WoodpeckerAPI, repo_id: int, to: str) -> None:
    """Make sure that a repository is to be moved to another name than it has.

    Raises:
        BadArgument: It has that name.
    """
    present = await read_fact(api.get("repos", repo_id))
    if present is not None and text_or_empty(present, "full_name").lower() == to.lower():
        raise BadArgument("to", "is the present name of this repository")


async def require_idle(api: WoodpeckerAPI, agent_id: int, org_id: int | None) -> None:
    """Make sure that an agent is there and runs nothing.

    Raises:
        ToolFailure: It is not there, or runs something.
    """
    await read_fact(find_agent(api, agent_id, org_id))
    tasks = await read_fact(api.entries("agents", agent_id, "tasks"), hopeless=())
    if tasks:
        raise ToolFailure(f"Agent {agent_id} is busy. {running(tasks)} {BUSY}")


async def entries_of(api: WoodpeckerAPI, *path: Part) -> list[Document] | None:
    """Read a whole list that a question counts; nothing when it cannot be read."""
    return await read_fact(list_all(api, *path, most=WHOLE_PAGES), hopeless=())


async def repositories_of(api: WoodpeckerAPI, org_id: int | None) -> str | None:
    """Count the repositories of an organisation or a personal namespace; for admins."""
    if org_id is None:
        return None
    return await read_fact(_repositories(api, org_id), hopeless=())


async def require_new_account(api: WoodpeckerAPI, login: str, forge_id: int) -> None:
    """Make sure that a forge has no account of a login yet.

    Raises:
        BadArgument: It has one.
    """
    try:
        found = await read_fact(api.get("users", login, query={"forge_id": forge_id}))
    except Refused as refusal:
        if refusal.status == 404:
            return
        raise
    if found is not None:
        raise BadArgument("login", "an account of that login exists; update_user changes it")


async def queue_paused(api: WoodpeckerAPI) -> bool | None:
    """Read whether the queue is paused."""
    info = await read_fact(api.get("queue", "info"))
    return None if info is None else info.get("paused") is True


async def log_level(api: WoodpeckerAPI) -> str | None:
    """Read the server's own log level."""
    found = await read_fact(api.get("log-level"))
    return None if found is None else text_or_empty(found, "log-level") or None


async def name_agents(api: WoodpeckerAPI, rights: Rights, workflows: list[Document]) -> None:
    """Name the agents beside their ids in workflows that are shown; for admins."""
    ids = dict.fromkeys(number for flow in workflows if (number := number_of(flow, "agent_id")))
    if not ids or await rights.is_admin() is not True:
        return
    for number in list(ids)[:NAMED_AGENTS]:
        agent = await read_fact(api.get("agents", number), hopeless=())
        if name := text_or_empty(agent or {}, "name"):
            for flow in workflows:
                if number_of(flow, "agent_id") == number:
                    flow["agent"] = name


async def read_if_there(reading: Awaitable[Document]) -> Document | None:
    """Read something that need not be there; any other failure is one."""
    try:
        return await reading
    except Refused as refusal:
        if refusal.status != 404:
            raise
        return None


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
