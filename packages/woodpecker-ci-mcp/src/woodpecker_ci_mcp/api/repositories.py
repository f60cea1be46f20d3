"""Moving and repairing repositories, where an error answer need not mean failure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcp_serverkit.errors import Refused, Unreachable
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document, picked, text_or_empty

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import WoodpeckerAPI

REPAIR_SECONDS = 600
"""Limit of a repair of the whole instance, whatever other requests have: one repository after
the other costs calls to the forge."""

_GOES_ON = (
    "Woodpecker goes on with the repair by itself; webhooks are missing for moments meanwhile. "
    "Only another repair, once this one is over, tells the ids of repositories where it failed."
)


async def move(api: WoodpeckerAPI, repo_id: int, to: str) -> tuple[str | None, bool]:
    """Point a repository at another one of the forge.

    Versions up to 3.12 move it and answer with an error all the same.

    Returns:
        Its full name afterwards, if it can be read, and whether the answer was an error.
    """
    try:
        await api.act("repos", repo_id, "move", query={"to": to})
    except Refused as refusal:
        name = await _full_name(api, repo_id) if refusal.status == 500 else None
        if name is None or name.lower() != to.lower():
            raise
        return name, True
    return await _full_name(api, repo_id), False


async def repair_all(api: WoodpeckerAPI) -> list[int]:
    """Install the webhook of every active repository anew.

    Returns:
        The ids of repositories where that failed.
    """
    try:
        await api.act("repos", "repair", seconds=REPAIR_SECONDS)
    except Refused as refusal:
        failed = _failed_ids(refusal.body) if refusal.status == 500 else []
        if not failed:
            raise
        return failed
    except Unreachable as failure:
        if failure.outcome == "unknown":
            failure.hint = _GOES_ON
        raise
    return []


async def activate(api: WoodpeckerAPI, forge_remote_id: str) -> dict[str, object] | None:
    """Activate a repository of the forge.

    Returns:
        The repository, or nothing when it is active already.
    """
    try:
        return await api.post("repos", query={"forge_remote_id": forge_remote_id})
    except Refused as refusal:
        # Another 409 tells of a stale entry, and only the words differ.
        if refusal.status == 409 and "already active" in refusal.body.lower():
            return None
        raise


async def known_as(api: WoodpeckerAPI, forge_remote_id: str) -> Document:
    """Tell id and name of an active repository, if it is in the account's own list."""
    for row in await read_fact(api.entries("user", "repos"), hopeless=()) or []:
        if text_or_empty(row, "forge_remote_id") == forge_remote_id:
            return picked(row, ("id", "full_name"))
    return {}


async def _full_name(api: WoodpeckerAPI, repo_id: int) -> str | None:
    present = await read_fact(api.get("repos", repo_id), hopeless=())
    return None if present is None else text_or_empty(present, "full_name")


def _failed_ids(body: str) -> list[int]:
    try:
        parsed = json.loads(body)
    except ValueError:
        return []
    ids = parsed.get("failed_repos") if isinstance(parsed, dict) else None
    return [number for number in ids if isinstance(number, int)] if isinstance(ids, list) else []
