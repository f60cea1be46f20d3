"""Agents, of the instance or of an organisation: PATCH replaces every field of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_serverkit.errors import Refused, ToolFailure
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document, number_of
from woodpecker_ci_mcp.api.limits import MOST_PAGES

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import WoodpeckerAPI

_AGENT = ("name", "no_schedule")


async def update_agent(
    api: WoodpeckerAPI, agent_id: int, org_id: int | None, changes: Document
) -> tuple[Document, list[str]]:
    """Change an agent and keep its other fields.

    Returns:
        The agent, and the names of changes that Woodpecker ignored.
    """
    present = await find_agent(api, agent_id, org_id)
    kept = {name: present[name] for name in _AGENT if name in present}
    answer = await api.patch(*_agents(org_id), agent_id, body={**kept, **changes})
    return answer, [name for name, value in changes.items() if answer.get(name) != value]


async def find_agent(api: WoodpeckerAPI, agent_id: int, org_id: int | None) -> Document:
    """Read an agent; one of an organisation is only found in its list."""
    if org_id is None:
        return await api.get("agents", agent_id)
    async for page in api.pages("orgs", org_id, "agents", most=MOST_PAGES):
        for agent in page:
            if number_of(agent, "id") == agent_id:
                return agent
    raise ToolFailure(f"agent_id: organisation {org_id} has no agent {agent_id}.")


async def delete_agent(api: WoodpeckerAPI, agent_id: int, org_id: int | None) -> None:
    """Remove an agent.

    Raises:
        ToolFailure: It runs something; names the tasks where they can be read.
    """
    try:
        await api.delete(*_agents(org_id), agent_id)
    except Refused as refusal:
        if refusal.status == 409:
            tasks = await read_fact(api.entries("agents", agent_id, "tasks"), hopeless=()) or []
            refusal.hint = " ".join(filter(None, [running(tasks), refusal.hint]))
        raise


def running(tasks: list[Document]) -> str:
    """Name the tasks that an agent runs."""
    named = [
        f"task {task.get('id')} (repository {number_of(task, 'repo_id')})" for task in tasks[:10]
    ]
    return f"It runs {', '.join(named)}." if named else ""


async def create_agent(api: WoodpeckerAPI, org_id: int | None, body: Document) -> Document:
    """Create an agent; the answer holds its token."""
    return await api.post(*_agents(org_id), body=body)


def _agents(org_id: int | None) -> tuple[str | int, ...]:
    return ("agents",) if org_id is None else ("orgs", org_id, "agents")
