"""Routes of organisations, accounts and agents."""

from __future__ import annotations

from typing import cast

from . import rendering
from .exchange import NO_CONTENT, Answer, Exchange, Json, Stop, as_json, as_list, bare, text
from .routing import find, route


@route("GET", "/orgs", "admin")
def list_orgs(x: Exchange) -> Answer:
    return as_list(x.page([org for org in x.state.orgs if not org["is_user"]]))


@route("GET", "/orgs/lookup/*name", "anyone")
def lookup_org(x: Exchange) -> Answer:
    found = find(x.state.orgs, name=x.name("name"))
    return bare(404) if found is None else as_json(found)


@route("GET", "/orgs/{org_id}/permissions", "org")
def org_permissions(x: Exchange) -> Answer:
    login = str(x.user["login"]) if x.user else ""
    own = bool(x.user) and (x.me.get("admin") is True or x.org["name"] == login)
    held = x.state.members.get((cast("int", x.org["id"]), login), "")
    return as_json({"member": own or bool(held), "admin": own or held == "admin"})


@route("GET", "/orgs/{org_id}", "member")
def one_org(x: Exchange) -> Answer:
    if x.org["id"] == 0:
        return as_json({"name": "", "is_user": False})
    return as_json(x.org)


@route("DELETE", "/orgs/{org_id}", "org_admin")
def delete_org(x: Exchange) -> Answer:
    number = x.org["id"]
    if number == 0:
        # The secrets of all repositories carry this number.
        x.state.secrets = [secret for secret in x.state.secrets if secret["org_id"] != 0]
        return bare(404)
    x.state.drop_org(x.org)
    return NO_CONTENT


@route("GET", "/users", "admin")
def list_users(x: Exchange) -> Answer:
    return as_list([rendering.user(x.state, user) for user in x.page(x.state.users)])


@route("GET", "/users/{login}", "admin")
def one_user(x: Exchange) -> Answer:
    return as_json(rendering.user(x.state, _user(x)))


@route("POST", "/users", "admin")
def create_user(x: Exchange) -> Answer:
    body = x.body()
    forge_id = body.get("forge_id") or 1
    if find(x.state.users, forge_id=forge_id, forge_remote_id="0") is not None:
        return text(500, "UNIQUE constraint failed: users.forge_id, users.forge_remote_id")
    number = x.state.next_id()
    made: Json = {
        "id": number,
        "forge_id": forge_id,
        "forge_remote_id": "0",
        "login": body["login"],
        "email": body.get("email", ""),
        "avatar_url": "",
        "admin": False,
        "org_id": x.state.add_org(str(body["login"]), is_user=True)["id"],
    }
    x.state.users.append(made)
    return as_json(rendering.user(x.state, made))


@route("PATCH", "/users/{login}", "admin")
def change_user(x: Exchange) -> Answer:
    body = x.body()
    found: Json | None = find(x.state.users, login=x.name("login"))
    if x.state.at_least(3, 12):
        # The look-up by remote id hands back an empty record where it finds none.
        found = find(
            x.state.users,
            forge_id=body.get("forge_id") or 1,
            forge_remote_id=body.get("forge_remote_id"),
        ) or {"id": 0}
    if found is None:
        return bare(404)
    found["login"] = body.get("login", "")
    found["email"] = body.get("email", "")
    found["avatar_url"] = body.get("avatar_url", "")
    found["admin"] = body.get("admin", False)
    return as_json(rendering.user(x.state, found))


@route("DELETE", "/users/{login}", "admin")
def delete_user(x: Exchange) -> Answer:
    user = _user(x)
    org = find(x.state.orgs, id=user["org_id"])
    if org is None:
        return bare(404)
    x.state.drop_org(org)
    x.state.users.remove(user)
    return NO_CONTENT


@route("GET", "/agents", "admin")
def list_agents(x: Exchange) -> Answer:
    return as_list(x.page(x.state.agents))


@route("GET", "/orgs/{org_id}/agents", "org_admin")
def list_org_agents(x: Exchange) -> Answer:
    return as_list(x.page([agent for agent in x.state.agents if agent["org_id"] == x.org["id"]]))


@route("GET", "/agents/{agent_id}", "admin")
def one_agent(x: Exchange) -> Answer:
    return as_json(_agent(x))


@route("GET", "/agents/{agent_id}/tasks", "admin")
def agent_tasks(x: Exchange) -> Answer:
    number = _agent(x)["id"]
    return as_list([task for task in x.state.tasks if task["agent_id"] == number])


@route("POST", "/agents", "admin")
@route("POST", "/orgs/{org_id}/agents", "org_admin")
def create_agent(x: Exchange) -> Answer:
    body = x.body()
    number = x.state.next_id()
    made: Json = {
        "id": number,
        "created": x.state.now,
        "updated": x.state.now,
        "name": body.get("name", ""),
        "owner_id": x.me["id"],
        "token": f"agent-token-{number}",
        "last_contact": 0,
        "platform": "",
        "backend": "",
        "capacity": 0,
        "version": "",
        "no_schedule": body.get("no_schedule", False),
        "custom_labels": None,
        "org_id": x.org.get("id", -1),
    }
    x.state.agents.append(made)
    return as_json(made)


@route("PATCH", "/agents/{agent_id}", "admin")
@route("PATCH", "/orgs/{org_id}/agents/{agent_id}", "org_admin")
def change_agent(x: Exchange) -> Answer:
    agent, body = _agent(x), x.body()
    agent["name"] = body.get("name", "")
    agent["no_schedule"] = body.get("no_schedule", False)
    return as_json(agent)


@route("DELETE", "/agents/{agent_id}", "admin")
@route("DELETE", "/orgs/{org_id}/agents/{agent_id}", "org_admin")
def delete_agent(x: Exchange) -> Answer:
    agent = _agent(x)
    if any(task["agent_id"] == agent["id"] for task in x.state.tasks):
        return text(409, "Agent has running tasks")
    x.state.agents.remove(agent)
    return NO_CONTENT


def _user(x: Exchange) -> Json:
    forge_id = int(x.query.get("forge_id", "1"))
    remote = x.query.get("forge_remote_id")
    if remote:
        found = find(x.state.users, forge_id=forge_id, forge_remote_id=remote)
    elif x.state.at_least(3, 12):
        found = find(x.state.users, forge_id=forge_id, login=x.name("login"))
    else:
        found = find(x.state.users, login=x.name("login"))
    if found is None:
        raise Stop(bare(404))
    return found


def _agent(x: Exchange) -> Json:
    agent = find(x.state.agents, id=x.number("agent_id"))
    if agent is None or (x.org and agent["org_id"] != x.org["id"]):
        raise Stop(text(404, "Agent not found") if x.org else bare(404))
    return agent
