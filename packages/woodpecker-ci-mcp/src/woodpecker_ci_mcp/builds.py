"""Starting builds, and telling apart what Woodpecker's answers to that mean.

A pipeline, an empty answer with a header, an empty answer without one and a bare error
can all mean that something was created.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.errors import BadArgument, Refused, ToolFailure
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document, number_of, object_of, objects, text_or_empty
from woodpecker_ci_mcp.pipeline_views import pipeline_details, pipeline_summary

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import Part, Query, WoodpeckerAPI


class Started(TypedDict):
    """What came of starting a build."""

    started: bool
    pipeline: NotRequired[dict[str, object]]
    reason: NotRequired[Literal["filtered", "config_error"]]
    note: str


async def start(
    api: WoodpeckerAPI,
    repo_id: int,
    *path: Part,
    query: Query | None = None,
    body: Document | None = None,
) -> Started:
    """Send what starts a build and say what happened.

    Args:
        api: The client.
        repo_id: The repository.
        path: Path below it.
        query: Query parameters.
        body: The request's body.
    """
    made, filtered = await api.begin("repos", repo_id, *path, query=query, body=body)
    if made is not None and number_of(made, "number") is not None:
        return _made(made)
    if filtered:
        return {
            "started": False,
            "reason": "filtered",
            "note": "Nothing was started: no pipeline file exists there, or its when conditions "
            "(event, branch, ref, path, evaluate) left nothing; a run started here has the event "
            "manual, or cron.",
        }
    result: Started = {
        "started": False,
        "reason": "config_error",
        "note": "Nothing runs: the configuration could not be loaded from the forge. Woodpecker "
        "files a pipeline in status error for that; if it is shown here, its errors say why.",
    }
    newest = await _newest(api, repo_id)
    if newest is not None and text_or_empty(newest, "status") == "error":
        result["pipeline"] = pipeline_summary(newest)
    return result


async def restart(api: WoodpeckerAPI, repo_id: int, number: int, query: Query) -> Started:
    """Run a pipeline again; a bare error may hide a new pipeline in status error."""
    try:
        return await start(api, repo_id, "pipelines", number, query=query)
    except Refused as refusal:
        if refusal.status != 500:
            raise
        newest = await _newest(api, repo_id)
        if newest is None or number_of(newest, "parent") != number:
            raise
        if text_or_empty(newest, "status") != "error":
            raise
        return {
            "started": False,
            "reason": "config_error",
            "pipeline": pipeline_summary(newest),
            "note": "Woodpecker answered with an error and filed this pipeline in status error: "
            "the configuration no longer compiles.",
        }


def refuse_known_variables(pipeline: Document, given: Mapping[str, str]) -> None:
    """Refuse variables that a restart would pass over.

    Raises:
        BadArgument: The pipeline has one of them already, with another value.
    """
    present = object_of(pipeline, "variables")
    taken = sorted(key for key, value in given.items() if present.get(key, value) != value)
    if taken:
        raise BadArgument(
            "variables",
            f"{taken[0]} is set in this pipeline, and a restart keeps what it has; "
            "trigger_pipeline starts with new values",
        )


async def active_repository(api: WoodpeckerAPI, repo_id: int) -> Document:
    """Read a repository in which something is to be started.

    Raises:
        ToolFailure: It is switched off, or cannot be read.
    """
    repository = await api.get("repos", repo_id)
    if repository.get("active") is False:
        raise ToolFailure(
            f"Repository {repo_id} is switched off in Woodpecker, so nothing can be started. "
            "Nothing was sent. activate_repository switches it on."
        )
    return repository


async def require_configuration(api: WoodpeckerAPI, repo_id: int, pipeline: Document) -> None:
    """Refuse to restart what broke before a configuration was stored: no restart can run.

    Raises:
        ToolFailure: Nothing is stored.
    """
    if text_or_empty(pipeline, "status") != "error":
        return
    number = number_of(pipeline, "number") or 0
    stored = await read_fact(
        api.entries("repos", repo_id, "pipelines", number, "config"), hopeless=()
    )
    if stored == []:
        raise ToolFailure(
            f"No configuration was stored with pipeline {number}, so no restart of it can run. "
            "Nothing was sent. trigger_pipeline starts one that reads the configuration again."
        )


def _made(pipeline: Document) -> Started:
    status = text_or_empty(pipeline, "status")
    summary = pipeline_details(pipeline)
    if status == "error":
        return {
            "started": False,
            "reason": "config_error",
            "pipeline": summary,
            "note": "It was created and cannot run: see its errors.",
        }
    waiting = "It is blocked until a person approves it."
    queued = "It is queued; get_pipeline tells how far it is."
    return {
        "started": True,
        "pipeline": summary,
        "note": waiting if status == "blocked" else queued,
    }


async def _newest(api: WoodpeckerAPI, repo_id: int) -> Document | None:
    """Read the newest pipeline; not knowing it is no reason to fail."""
    try:
        query = {"page": 1, "perPage": 1}
        found = objects(await api.entries("repos", repo_id, "pipelines", query=query))
    except ToolFailure:
        return None
    return found[0] if found else None
