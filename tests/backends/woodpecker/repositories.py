"""Routes of repositories and of the account that asks."""

from __future__ import annotations

from typing import cast

from . import rendering
from .exchange import NO_CONTENT, Answer, Exchange, Json, as_json, as_list, bare, text
from .routing import find, route

_PLAIN = (
    "config_file",
    "timeout",
    "visibility",
    "allow_pr",
    "allow_deploy",
    "require_approval",
    "cancel_previous_pipeline_events",
)


@route("GET", "/user", "user")
def own_account(x: Exchange) -> Answer:
    return as_json(rendering.user(x.state, x.me))


@route("GET", "/user/repos", "user")
def own_repos(x: Exchange) -> Answer:
    everything = x.query.get("all") == "true"
    shown = []
    for repo in sorted(x.state.repos, key=_by_name):
        if x.state.has_row(x.me, repo) and (repo["active"] or everything):
            newest = x.state.pipelines[cast("int", repo["id"])][-1:]
            last = {"last_pipeline": rendering.pipeline(x.state, newest[0])} if newest else {}
            shown.append({**rendering.repo(x.state, repo), **last})
    if x.state.at_least(3, 11) and (name := x.query.get("name")):
        shown = [repo for repo in shown if repo["name"] == name]
    if everything:
        known = {repo["forge_remote_id"] for repo in shown}
        shown += [repo for key, repo in x.state.forge_repos.items() if key not in known]
    return as_list(shown)


@route("GET", "/user/feed", "user")
def feed(x: Exchange) -> Answer:
    rows: list[Json] = []
    for repo in x.state.repos:
        if not x.state.has_row(x.me, repo):
            continue
        number = cast("int", repo["id"])
        named = {"full_name": repo["full_name"]} if x.state.at_least(3, 17) else {}
        found = x.state.pipelines[number]
        latest = x.query.get("latest") == "true"
        chosen = (found[-1:] or [{"number": 0, "status": ""}]) if latest else found
        rows += [
            {**rendering.pipeline(x.state, pipeline), "repo_id": number, **named}
            for pipeline in chosen
        ]
    return as_list(rows[:50])


@route("GET", "/repos", "admin")
def all_repos(x: Exchange) -> Answer:
    active = x.query.get("active") == "true"
    found = [repo for repo in x.state.repos if repo["active"] or not active]
    found.sort(key=_by_name)
    return as_list([rendering.repo(x.state, repo) for repo in x.page(found)])


@route("POST", "/repos", "user")
def activate(x: Exchange) -> Answer:
    remote = x.query.get("forge_remote_id", "")
    if not remote:
        return text(400, "No forge_remote_id provided")
    known = find(x.state.repos, forge_remote_id=remote)
    if known is not None and known["active"]:
        return text(409, "Repository is already active.")
    if known is None and remote not in x.state.forge_repos:
        return text(500, "Could not fetch repository from forge.")
    if known is None:
        full_name = str(x.state.forge_repos[remote]["full_name"])
        known = x.state.add_repo(x.state.next_id(), full_name, forge_remote_id=remote)
    known["active"] = True
    return as_json(rendering.repo(x.state, known))


@route("GET", "/repos/lookup/*full_name", "pull")
@route("GET", "/repos/{repo_id}", "pull")
def one_repo(x: Exchange) -> Answer:
    return as_json(rendering.repo(x.state, x.repo))


@route("GET", "/repos/{repo_id}/permissions", "repo")
def repo_permissions(x: Exchange) -> Answer:
    held = x.state.right(x.user, x.repo)
    return as_json(
        {
            "pull": bool(held),
            "push": held in {"push", "admin"},
            "admin": held == "admin",
            "synced": x.state.now,
            "created": x.state.now,
            "updated": x.state.now,
        }
    )


@route("GET", "/repos/{repo_id}/branches", "pull")
def branches(x: Exchange) -> Answer:
    names: list[Json] = [{"name": name} for name in x.state.branches[cast("int", x.repo["id"])]]
    return as_json([entry["name"] for entry in x.page(names)] or None)


@route("GET", "/repos/{repo_id}/pull_requests", "pull")
def pull_requests(x: Exchange) -> Answer:
    return as_list(x.page(x.state.pull_requests.get(cast("int", x.repo["id"]), [])))


@route("PATCH", "/repos/{repo_id}", "repo_admin")
def change_repo(x: Exchange) -> Answer:
    body = x.body()
    trusted = body.get("trusted")
    flags = trusted if isinstance(trusted, dict) else None
    if trusted is not None and (flags is None) == x.state.at_least(3, 0):
        return bare(400)
    if trusted is not None and not x.me.get("admin"):
        return text(403, "Insufficient privileges")
    timeout = body.get("timeout")
    if isinstance(timeout, int) and timeout > 120 and not x.me.get("admin"):
        return text(403, "Timeout is not allowed to be higher than max timeout (120)")
    if flags is not None:
        cast("Json", x.repo["trusted"]).update(flags)
    elif isinstance(trusted, bool):
        x.repo["trusted"] = dict.fromkeys(("network", "volumes", "security"), trusted)
    x.repo.update({name: body[name] for name in _PLAIN if body.get(name) is not None})
    return as_json(rendering.repo(x.state, x.repo))


@route("DELETE", "/repos/{repo_id}", "repo_admin")
def delete_repo(x: Exchange) -> Answer:
    x.repo["active"] = False
    x.state.owners[cast("int", x.repo["id"])] = None
    if x.query.get("remove") == "true":
        x.state.drop_repo(x.repo)
    return as_json(rendering.repo(x.state, x.repo))


@route("POST", "/repos/{repo_id}/chown", "repo_admin")
def chown(x: Exchange) -> Answer:
    x.state.owners[cast("int", x.repo["id"])] = str(x.me["login"])
    return as_json(rendering.repo(x.state, x.repo))


@route("POST", "/repos/{repo_id}/repair", "repo_admin")
def repair(_: Exchange) -> Answer:
    return NO_CONTENT


@route("POST", "/repos/repair", "admin")
def repair_all(x: Exchange) -> Answer:
    x.state.repaired += [cast("int", repo["id"]) for repo in x.state.repos if repo["active"]]
    return NO_CONTENT


@route("POST", "/repos/{repo_id}/move", "repo_admin")
def move(x: Exchange) -> Answer:
    to = x.query.get("to", "")
    if to.count("/") < 1:
        return bare(400)
    if not any(repo["full_name"] == to for repo in x.state.forge_repos.values()):
        return bare(500)
    if to in x.state.redirections:
        return text(500, "UNIQUE constraint failed: redirections.repo_full_name")
    x.state.redirections.add(str(x.repo["full_name"]))
    owner, _, name = to.rpartition("/")
    x.repo.update(full_name=to, owner=owner, name=name)
    if not x.state.at_least(3, 13):
        return text(500, "could not determine repo for permission")
    return NO_CONTENT


def _by_name(repo: Json) -> str:
    return str(repo["full_name"])
