"""One cheap look-up after a bare refusal, so that the hint is certain.

The look-up may fail; then the hint says what is possible. The words of the answer are
never read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from mcp_serverkit.errors import Refused, UpstreamFailure
from mcp_serverkit.http.json_fields import objects, text_or_empty
from mcp_serverkit.outcome import proven_not_done
from woodpecker_ci_mcp.api.limits import MOST_PAGES, PAGE

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import Part, WoodpeckerAPI

ResultT = TypeVar("ResultT")

_NO_BRANCH = (
    "There is no such branch: see list_repository_branches. Only branches can be triggered, no "
    "tags or commits."
)
_FORGE_FAILED = (
    "The branch exists, so the forge could not be read, or the repository owner's forge login has "
    "expired: chown_repository makes this account the owner."
)
_NOT_VISIBLE = (
    "No repository with that id is visible to this account on the forge: list_repositories with "
    "include_inactive=true shows those that are."
)


async def unless_it_exists(
    writing: Awaitable[ResultT], exists: Callable[[], Awaitable[bool]], name: str, tool: str
) -> ResultT:
    """Make an entry, and after a refusal look whether there is one already.

    Args:
        writing: The request.
        exists: Looks for the entry.
        name: What it is, to begin a sentence.
        tool: The tool that changes one.
    """
    try:
        return await writing
    except Refused as refusal:
        if refusal.status in {400, 409, 500} and await _told(exists()):
            made = "" if refusal.outcome == "not_done" else ", or was just stored by this call"
            refusal.hint = f"{name} exists already{made}: {tool} changes it."
        raise


async def if_branch_is_there(
    api: WoodpeckerAPI, repo_id: int, branch: str, starting: Awaitable[ResultT]
) -> ResultT:
    """Start a build on a branch, and after a bare error look whether there is that branch."""
    try:
        return await starting
    except Refused as refusal:
        if refusal.status == 500:
            known = await _told(has_branch(api, repo_id, branch))
            if known is True:
                refusal.hint = _FORGE_FAILED
            elif known is False:
                # Woodpecker reads the branch's head before it stores anything:
                # server/api/pipeline.go, CreatePipeline.
                refusal.hint, refusal.outcome = _NO_BRANCH, proven_not_done()
        raise


async def if_visible(api: WoodpeckerAPI, remote_id: str, writing: Awaitable[ResultT]) -> ResultT:
    """Activate a repository, and after a bare error look whether the forge shows it."""
    try:
        return await writing
    except Refused as refusal:
        if refusal.status == 500 and await _told(_shows(api, remote_id)) is False:
            refusal.hint = _NOT_VISIBLE
        raise


async def has_branch(api: WoodpeckerAPI, repo_id: int, branch: str) -> bool | None:
    """Tell whether a repository has a branch; nothing when there are too many to read."""
    for page in range(1, MOST_PAGES + 1):
        query = {"page": page, "perPage": PAGE}
        names = await api.values("repos", repo_id, "branches", query=query)
        if branch in names:
            return True
        if len(names) < PAGE:
            return False
    return None


async def is_there(api: WoodpeckerAPI, *path: Part) -> bool:
    """Tell whether an object can be read."""
    await api.get(*path)
    return True


async def has_cron(api: WoodpeckerAPI, repo_id: int, name: str, but: int | None = None) -> bool:
    """Tell whether a repository has a cron job of a name, another one than given."""
    async for page in api.pages("repos", repo_id, "cron", most=MOST_PAGES):
        if any(text_or_empty(cron, "name") == name and cron.get("id") != but for cron in page):
            return True
    return False


async def _shows(api: WoodpeckerAPI, remote_id: str) -> bool:
    found = objects(await api.values("user", "repos", query={"all": True}))
    return any(text_or_empty(repo, "forge_remote_id") == remote_id for repo in found)


async def _told(look: Awaitable[ResultT]) -> ResultT | None:
    """Make a look-up that may fail."""
    try:
        return await look
    except UpstreamFailure:
        return None
