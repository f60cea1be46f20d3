"""Tools for agents, of the instance or of an organisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.http.json_fields import without_none
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp.api import agents
from woodpecker_ci_mcp.argument_types import Id, Labels, Name, OrgId, Page, PerPage
from woodpecker_ci_mcp.dialogs import instance as dialogs
from woodpecker_ci_mcp.facts import require_idle
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_list, fit_object, paged
from woodpecker_ci_mcp.views import full_view, task_view, with_token

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

AgentId = Annotated[Id, "Agent id"]


class Agents(TypedDict):
    """Agents, without their tokens."""

    agents: list[dict[str, object]]


class Agent(TypedDict, total=False):
    """An agent, without its token."""

    id: int
    name: str
    no_schedule: bool


class Stored(TypedDict):
    """An agent, as it is stored."""

    agent: dict[str, object]
    note: NotRequired[str]


class Tasks(TypedDict):
    """What an agent runs."""

    tasks: list[dict[str, object]]


class Deleted(TypedDict):
    """A removed agent."""

    deleted_agent: int


@TOOLS.read("List agents", foreign=True)
async def list_agents(
    call: Call[Woodpecker],
    org_id: OrgId = None,
    page: Page = None,
    per_page: PerPage = None,
) -> Agents:
    """List agents: all (needs admin), or those of an organisation."""
    path = ("agents",) if org_id is None else ("orgs", org_id, "agents")
    found = await call.app.api.entries(*path, query={"page": page, "perPage": per_page})
    result = fit_list(Agents(agents=[full_view(agent) for agent in found]), "agents")
    return paged(result, len(found), page, per_page)


@TOOLS.read("Get an agent", foreign=True)
async def get_agent(call: Call[Woodpecker], agent_id: AgentId) -> Agent:
    """Read an agent. Needs admin."""
    return cast("Agent", full_view(await call.app.api.get("agents", agent_id)))


@TOOLS.read("List an agent's tasks", foreign=True)
async def list_agent_tasks(call: Call[Woodpecker], agent_id: AgentId) -> Tasks:
    """List what an agent runs now. Needs admin."""
    found = await call.app.api.entries("agents", agent_id, "tasks")
    return fit_list(Tasks(tasks=[task_view(task) for task in found]), "tasks")


@TOOLS.write("Create an agent", destructive=False, idempotent=False, foreign=True)
async def create_agent(
    call: Call[Woodpecker],
    name: Annotated[Name, "Name"],
    org_id: OrgId = None,
    no_schedule: Annotated[bool | None, "Give it no work yet"] = None,
    custom_labels: Annotated[Labels | None, "Labels; the agent sets its own"] = None,
) -> Stored:
    """Register an agent. Its token is shown in this answer only."""
    body = without_none(name=name, no_schedule=no_schedule, custom_labels=custom_labels)
    wp = call.app
    if org_id is not None:
        await wp.require_organization(org_id)
    made = await agents.create_agent(wp.api, org_id, body)
    notes = ["The token is a credential and is not shown again; keep it out of chats and logs."]
    if custom_labels and made.get("custom_labels") != custom_labels:
        notes.append(IGNORED_LABELS)
    return fit_object(Stored(agent=with_token(made), note=" ".join(notes)))


@TOOLS.write("Change an agent", destructive=False, idempotent=True, foreign=True)
async def update_agent(
    call: Call[Woodpecker],
    agent_id: AgentId,
    org_id: OrgId = None,
    name: Annotated[Name | None, "Name"] = None,
    no_schedule: Annotated[bool | None, "true: give it no new work"] = None,
    custom_labels: Annotated[Labels | None, "Labels; the agent sets its own"] = None,
) -> Stored:
    """Rename an agent, drain it or let it work again."""
    changes = without_none(name=name, no_schedule=no_schedule, custom_labels=custom_labels)
    if not changes:
        raise BadArgument("name", "nothing to update: give name, no_schedule or custom_labels")
    changed, ignored = await agents.update_agent(call.app.api, agent_id, org_id, changes)
    result: Stored = {"agent": full_view(changed)}
    if "custom_labels" in ignored:
        result["note"] = IGNORED_LABELS
    elif ignored:
        result["note"] = f"Woodpecker did not store {' and '.join(ignored)}."
    return fit_object(result)


@TOOLS.write("Delete an agent", destructive=True, idempotent=True, asks="always")
async def delete_agent(call: Call[Woodpecker], agent_id: AgentId, org_id: OrgId = None) -> Deleted:
    """Remove an agent that runs nothing."""
    wp = call.app

    async def ask() -> Ask:
        if org_id is None:
            await wp.rights.require_admin("deleting an agent")
        else:
            await wp.rights.require_organization(org_id, "deleting its agent")
        await require_idle(wp.api, agent_id, org_id)
        return dialogs.delete_agent(agent_id, org_id)

    await call.confirm(ask)
    await agents.delete_agent(wp.api, agent_id, org_id)
    return {"deleted_agent": agent_id}


IGNORED_LABELS = (
    "Woodpecker ignored custom_labels: they come from the agent's own WOODPECKER_AGENT_LABELS."
)
