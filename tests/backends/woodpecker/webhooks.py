"""Pipelines as a forge's webhook makes them: held back, broken, superseding older ones."""

from __future__ import annotations

from typing import cast

from . import queue
from .exchange import Json
from .state import State

SETTINGS = ("none", "forks", "pull_requests", "all_events")
"""What `require_approval` may be."""

_ACTIVE = ("pending", "running", "blocked")


def receive(
    state: State,
    repo_id: int,
    event: str,
    *,
    breaks: bool = False,
    needs: str = "",
    stored: bool = True,
    **fields: object,
) -> Json:
    """Take a webhook in.

    Args:
        state: The instance.
        repo_id: The repository.
        event: What happened on the forge.
        breaks: Whether the configuration cannot be compiled.
        needs: A secret without which it cannot be compiled.
        stored: Whether a configuration was found and stored.
        fields: Fields of the pipeline.
    """
    repo = state.repo(repo_id)
    draft: Json = {"event": event, "author": "mallory", "from_fork": False, **fields}
    missing = bool(needs) and needs not in state.reaching(repo, draft)
    if breaks or missing or not stored:
        made = state.add_pipeline(repo_id, **{**draft, "status": "error"})
        words = f'secret "{needs}" not found' if missing else "could not load the config"
        made["errors"] = [{"type": "compiler", "message": words, "is_warning": False}]
    else:
        status = "blocked" if holds(repo, draft) else "pending"
        made = state.add_pipeline(repo_id, **{**draft, "status": status})
    if not stored:
        state.configs.pop((repo_id, cast("int", made["number"])))
    if needs:
        state.needs[cast("int", made["id"])] = needs
    if made["status"] == "pending":
        let_run(state, repo, made)
    return made


def let_run(state: State, repo: Json, made: Json) -> None:
    """Hand a pipeline to the agents; only now it cancels older ones of the same head."""
    _supersede(state, repo, made)
    state.let_run(repo, made)
    queue.push(state, repo, made)


def holds(repo: Json, pipeline: Json) -> bool:
    """Whether a repository holds a new pipeline back."""
    if pipeline["event"] in {"cron", "manual"}:
        return False
    if pipeline["author"] in cast("list[str]", repo.get("approval_allowed_users") or []):
        return False
    pulled = str(pipeline["event"]).startswith("pull_request")
    return {
        "none": False,
        "forks": pulled and bool(pipeline["from_fork"]),
        "pull_requests": pulled,
        "all_events": True,
    }[str(repo["require_approval"])]


def cancel(state: State, pipeline: Json, **info: object) -> None:
    """Cancel one: what it leaves behind depends on how far it came."""
    was = pipeline["status"]
    queue.drop(state, pipeline)
    workflows = cast("list[Json]", pipeline["workflows"])
    if was == "pending":
        for part in parts(workflows):
            part["state"] = "skipped"
    elif was == "running":
        # The agent is told, and says that it stopped a moment later.
        state.stopping.add(cast("int", pipeline["id"]))
    renamed = was == "pending" and state.at_least(3, 14)
    pipeline.update(
        status="canceled" if renamed else "killed",
        finished=state.now + 5,
        cancel_info=info,
    )


def stop(state: State, pipeline: Json) -> None:
    """The agents of a cancelled pipeline have stopped."""
    state.stopping.discard(cast("int", pipeline["id"]))
    for part in parts(cast("list[Json]", pipeline["workflows"])):
        if part["state"] == "running":
            part.update(state="killed", finished=state.now + 6)


def parts(workflows: list[Json]) -> list[Json]:
    """The workflows and all their steps."""
    steps = [step for flow in workflows for step in cast("list[Json]", flow["children"])]
    return [*workflows, *steps]


def _supersede(state: State, repo: Json, made: Json) -> None:
    if made["event"] not in cast("list[str]", repo["cancel_previous_pipeline_events"]):
        return
    same = "branch" if made["event"] == "push" else "refspec"
    for older in state.pipelines[cast("int", repo["id"])]:
        if older is made or older["status"] not in _ACTIVE or older["event"] != made["event"]:
            continue
        if older.get(same) == made.get(same):
            cancel(state, older, superseded_by=made["number"])
