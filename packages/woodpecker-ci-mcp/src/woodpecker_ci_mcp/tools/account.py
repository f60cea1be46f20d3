"""Tools for the account behind the token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, cast

from typing_extensions import TypedDict

from mcp_serverkit.http.json_fields import number_of, picked
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp.api.limits import PAGE
from woodpecker_ci_mcp.pipeline_views import pipeline_summary
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_list
from woodpecker_ci_mcp.views import full_view

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker


class User(TypedDict, total=False):
    """The account behind the token."""

    id: int
    login: str
    admin: bool


class Feed(TypedDict):
    """Pipelines of several repositories."""

    feed: list[dict[str, object]]
    more: NotRequired[bool]
    note: NotRequired[str]


@TOOLS.read("Get this login's account", foreign=True)
async def get_current_user(call: Call[Woodpecker]) -> User:
    """Show the account behind the token; this is what proves a token."""
    return cast("User", full_view(await call.app.api.get("user")))


@TOOLS.read("Get the pipeline feed", foreign=True)
async def get_pipeline_feed(
    call: Call[Woodpecker],
    mode: Annotated[
        Literal["latest", "recent"], "latest: one per repository; recent: the newest 50"
    ] = "latest",
) -> Feed:
    """Show the newest pipelines of all repositories of this account."""
    query = {"latest": True if mode == "latest" else None}
    found = await call.app.api.entries("user", "feed", query=query)
    rows = [
        {**picked(entry, ("repo_id", "full_name")), **pipeline_summary(entry)}
        for entry in found
        if number_of(entry, "number")
    ]
    result = fit_list(Feed(feed=rows), "feed")
    if mode == "recent" and len(found) >= PAGE:
        result["more"] = True
        result["note"] = "Woodpecker gives no further ones; list_pipelines does, by repository."
    return result
