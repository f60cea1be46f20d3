"""Routes of pipelines and their logs."""

from __future__ import annotations

from typing import cast

from . import rendering, webhooks
from .exchange import NO_CONTENT, Answer, Exchange, Json, Stop, as_json, as_list, bare, text
from .routing import find, route

_UNFINISHED = ("running", "pending", "blocked")
EVENTS = (
    "push",
    "pull_request",
    "pull_request_closed",
    "pull_request_metadata",
    "tag",
    "release",
    "deployment",
    "cron",
    "manual",
)
"""All that the real one knows (server/model/const.go): told apart from what is tested, so that a
word which it does not know is refused here."""
_RESERVED = ("fork", "event", "deploy_to")
_COPIED = ("event", "ref", "refspec", "commit", "message", "author", "reviewed_by")


@route("GET", "/repos/{repo_id}/pipelines", "pull")
def list_pipelines(x: Exchange) -> Answer:
    found = x.state.pipelines[_id(x)][::-1]
    for field in ("branch", "status"):
        if wanted := x.query.get(field):
            found = [pipeline for pipeline in found if pipeline[field] == wanted]
    if events := x.query.get("event"):
        if set(events.split(",")) - set(EVENTS):
            return bare(400)
        found = [pipeline for pipeline in found if pipeline["event"] in events.split(",")]
    if ref := x.query.get("ref"):
        found = [pipeline for pipeline in found if ref in str(pipeline["ref"])]
    return as_list([rendering.pipeline(x.state, pipeline) for pipeline in x.page(found)])


@route("GET", "/repos/{repo_id}/pipelines/{number}", "pull")
def one_pipeline(x: Exchange) -> Answer:
    if x.parts["number"] == "latest":
        branch = x.query.get("branch", str(x.repo["default_branch"]))
        found = [
            entry
            for entry in x.state.pipelines[_id(x)]
            if (entry["branch"], entry["event"]) == (branch, "push")
        ]
        if not found:
            return bare(404)
        x.pipeline = found[-1]
    shown = rendering.pipeline(x.state, x.pipeline, tree=True)
    answer = as_json(shown)
    if x.pipeline["id"] in x.state.stopping:
        webhooks.stop(x.state, x.pipeline)
    return answer


@route("GET", "/repos/{repo_id}/pipelines/{number}/config", "pull")
def config(x: Exchange) -> Answer:
    return as_list(x.state.configs.get((_id(x), cast("int", x.pipeline["number"])), []))


@route("GET", "/repos/{repo_id}/pipelines/{number}/metadata", "push")
def metadata(x: Exchange) -> Answer:
    if not x.state.at_least(3, 0):
        return Answer(200, b"<!DOCTYPE html>", "text/html")
    return as_json({"repo": {"id": _id(x)}, "curr": {"number": x.pipeline["number"]}})


@route("POST", "/repos/{repo_id}/pipelines", "push")
def trigger(x: Exchange) -> Answer:
    body = x.body()
    branch, variables = body.get("branch"), body.get("variables") or {}
    if not isinstance(variables, dict):
        return bare(400)
    if not all(isinstance(value, str) for value in variables.values()):
        return bare(400)
    if not x.repo["active"]:
        return bare(204)
    if branch not in x.state.branches[_id(x)]:
        return bare(500)
    return started(x, str(branch), event="manual", variables=variables)


@route("POST", "/repos/{repo_id}/pipelines/{number}", "push")
def restart(x: Exchange) -> Answer:
    event = x.query.get("event")
    if event is not None and event != "deployment":
        return bare(400)
    if event and not x.repo["allow_deploy"]:
        return bare(403)
    if x.pipeline["status"] == "blocked":
        return text(400, "cannot restart a pipeline with status blocked")
    given = {k: v for k, v in x.query.items() if k not in _RESERVED}
    fields: Json = {
        **{key: x.pipeline[key] for key in _COPIED},
        "from_fork": x.pipeline.get("from_fork", False),
        "parent": x.pipeline["number"],
        "rerun_count": cast("int", x.pipeline.get("rerun_count", 0)) + 1,
        # What the pipeline has already wins over what comes with the restart.
        "variables": {**given, **cast("Json", x.pipeline.get("variables") or {})},
    }
    if event:
        fields |= {"event": event, "deploy_to": x.query.get("deploy_to", "")}
    branch = str(x.pipeline["branch"])
    stored = x.state.configs.get((_id(x), cast("int", x.pipeline["number"])))
    if not stored:
        made = x.state.add_pipeline(_id(x), **{**fields, "branch": branch, "status": "error"})
        made["errors"] = [{"type": "generic", "message": "pipeline definition not found"}]
        return as_json(rendering.pipeline(x.state, made))
    needs = x.state.needs.get(cast("int", x.pipeline["id"]), "")
    missing = needs and needs not in x.state.reaching(x.repo, {**x.pipeline, **fields})
    if missing or branch in x.state.broken_branches:
        broken = {**fields, "branch": branch, "status": "error", "errors": _BROKEN}
        x.state.add_pipeline(_id(x), **broken)
        return bare(500)
    return started(x, branch, **fields)


@route("POST", "/repos/{repo_id}/pipelines/{number}/cancel", "push")
def cancel(x: Exchange) -> Answer:
    if x.pipeline["status"] not in _UNFINISHED:
        return text(400, "Cannot cancel a non-running or non-pending or non-blocked pipeline")
    webhooks.cancel(x.state, x.pipeline, canceled_by_user=x.me["login"])
    return NO_CONTENT


@route("POST", "/repos/{repo_id}/pipelines/{number}/approve", "push")
def approve(x: Exchange) -> Answer:
    if x.pipeline["status"] != "blocked":
        status = x.pipeline["status"]
        return text(400, f"cannot approve a pipeline with status {status}")
    answer = _reviewed(x, "pending")
    webhooks.let_run(x.state, x.repo, x.pipeline)
    return answer


@route("POST", "/repos/{repo_id}/pipelines/{number}/decline", "push")
def decline(x: Exchange) -> Answer:
    if x.pipeline["status"] != "blocked":
        return bare(500)
    return _reviewed(x, "declined")


@route("DELETE", "/repos/{repo_id}/pipelines/{number}", "repo_admin")
def delete_pipeline(x: Exchange) -> Answer:
    if x.pipeline["status"] in _UNFINISHED:
        status = x.pipeline["status"]
        return text(422, f"Cannot delete pipeline with status {status}")
    x.state.drop_pipeline(_id(x), x.pipeline)
    return NO_CONTENT


@route("GET", "/repos/{repo_id}/logs/{number}/{step_id}", "pull")
def step_log(x: Exchange) -> Answer:
    return as_json(x.state.logs.get(cast("int", _step(x)["id"])) or None)


@route("DELETE", "/repos/{repo_id}/logs/{number}/{step_id}", "push")
def delete_step_log(x: Exchange) -> Answer:
    step = _step(x)
    if step["state"] in {"running", "pending"}:
        return text(422, "Cannot delete logs for a pending or running step")
    # Logs kept in files stay, since only the database is emptied.
    if not x.state.file_logs:
        x.state.logs.pop(cast("int", step["id"]), None)
    return NO_CONTENT


@route("DELETE", "/repos/{repo_id}/logs/{number}", "push")
def delete_logs(x: Exchange) -> Answer:
    if x.pipeline["status"] in _UNFINISHED:
        status = x.pipeline["status"]
        return text(422, f"Cannot delete logs for pipeline with status {status}")
    # The server drops the errors of its own log store.
    for step in [] if x.state.log_store_fails else _steps(x):
        x.state.logs.pop(cast("int", step["id"]), None)
    return NO_CONTENT


@route("GET", "/pipelines", "admin")
def queued(x: Exchange) -> Answer:
    rows = [
        {**rendering.pipeline(x.state, pipeline), "repo_id": repo_id}
        for repo_id, found in x.state.pipelines.items()
        for pipeline in found
        if pipeline["status"] in {"pending", "running"}
    ]
    return as_list(rows)


def started(x: Exchange, branch: str, **fields: object) -> Answer:
    """Create a pipeline, or say in the server's way that none was."""
    if branch in x.state.filtered_branches:
        return Answer(204, headers={"Pipeline-Filtered": "true"})
    if branch in x.state.broken_branches:
        x.state.add_pipeline(
            _id(x), **{**fields, "branch": branch, "status": "error", "errors": _BROKEN}
        )
        return NO_CONTENT if x.state.at_least(3, 14) else as_json(None)
    made = x.state.add_pipeline(_id(x), **{**fields, "branch": branch, "status": "pending"})
    webhooks.let_run(x.state, x.repo, made)
    return as_json(rendering.pipeline(x.state, made))


_BROKEN: list[Json] = [
    {"type": "compiler", "message": "could not load the config", "is_warning": False, "data": None}
]


def _id(x: Exchange) -> int:
    return cast("int", x.repo["id"])


def _steps(x: Exchange) -> list[Json]:
    workflows = cast("list[Json]", x.pipeline["workflows"])
    return [step for flow in workflows for step in cast("list[Json]", flow["children"])]


def _step(x: Exchange) -> Json:
    step = find(_steps(x), id=x.number("step_id"))
    if step is None:
        raise Stop(bare(404))
    return step


def _reviewed(x: Exchange, status: str) -> Answer:
    x.pipeline.update(status=status, reviewed_by=x.me["login"], reviewed=x.state.now)
    for part in webhooks.parts(cast("list[Json]", x.pipeline["workflows"])):
        part["state"] = status
    return as_json(rendering.pipeline(x.state, x.pipeline))
