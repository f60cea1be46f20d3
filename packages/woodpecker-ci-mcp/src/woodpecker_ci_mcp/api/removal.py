"""Deletions that take more than one request, since Woodpecker's own are narrower.

A request that prepares goes first; when it fails nothing after it is sent, and the error
says what is gone already.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from mcp_serverkit.errors import ToolFailure, UpstreamFailure
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document, number_of, text_or_empty
from woodpecker_ci_mcp.api.parts import steps_of

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import Part, WoodpeckerAPI

CHECKED_STEPS = 20
"""Steps whose log is looked at after a deletion: one request each."""


class LogsAfter(NamedTuple):
    """What became of logs that were deleted.

    Attributes:
        left: Steps whose log can still be read.
        checked: Steps that were looked at.
        steps: Steps that there are.
        unread: Whether a look failed.
    """

    left: list[int]
    checked: int
    steps: int
    unread: bool

    @property
    def notes(self) -> Document:
        """Fields for a result: nothing when every log is known to be gone."""
        notes: Document = {}
        if self.checked < self.steps:
            notes["checked"] = self.checked
            notes["note"] = f"Of {self.steps} steps the logs of {self.checked} were looked at."
        if self.unread:
            notes["verified"] = False
            notes["note"] = "Whether every log is gone could not be read."
        return notes


async def delete_logs(api: WoodpeckerAPI, repo_id: int, number: int) -> LogsAfter:
    """Delete the logs of a pipeline, and look: the server drops its own errors."""
    steps = ids_of(steps_of(await api.get("repos", repo_id, "pipelines", number)))
    await api.delete("repos", repo_id, "logs", number)
    looked = steps[:CHECKED_STEPS]
    left, unread = [], False
    for step in looked:
        log = await read_fact(api.log(repo_id, number, step), hopeless=())
        if log is None:
            unread = True
        elif len(log):
            left.append(step)
    return LogsAfter(left, len(looked), len(steps), unread)


async def delete_pipeline(api: WoodpeckerAPI, repo_id: int, number: int) -> LogsAfter:
    """Delete a pipeline, its logs first: without it they could no longer be named.

    Raises:
        ToolFailure: A log is still there; the pipeline stays.
    """
    after = await delete_logs(api, repo_id, number)
    if after.left:
        raise ToolFailure(
            f"{still_there(after.left)} The pipeline was not deleted, so it can be tried again."
        )
    try:
        await api.delete("repos", repo_id, "pipelines", number)
    except UpstreamFailure as failure:
        raise _stopped(failure, ["its logs"], "The pipeline") from failure
    return after


async def delete_repository(api: WoodpeckerAPI, repo_id: int, crons: Sequence[int]) -> None:
    """Delete a repository with its data, its cron jobs first: left ones fail for ever."""
    await _in_turn(
        api,
        [(f"cron job {cron}", ("repos", repo_id, "cron", cron)) for cron in crons],
        "The repository",
    )
    gone = [f"cron job {cron}" for cron in crons]
    try:
        await api.delete("repos", repo_id, query={"remove": True})
    except UpstreamFailure as failure:
        raise _stopped(failure, gone, "The repository") from failure


async def delete_organization(api: WoodpeckerAPI, org_id: int, registries: Sequence[str]) -> None:
    """Delete an organisation, its registries first: their rows would stay."""
    named = [f"registry {place + 1} of {len(registries)}" for place in range(len(registries))]
    paths: list[tuple[Part, ...]] = [
        ("orgs", org_id, "registries", address) for address in registries
    ]
    await _in_turn(api, list(zip(named, paths, strict=True)), "The organisation")
    try:
        await api.delete("orgs", org_id)
    except UpstreamFailure as failure:
        raise _stopped(failure, named, "The organisation") from failure


async def list_all(api: WoodpeckerAPI, *path: Part, most: int) -> list[Document]:
    """Read a whole list.

    Raises:
        ToolFailure: It is longer than that many pages.
    """
    found: list[Document] = []
    full = False
    async for page in api.pages(*path, most=most):
        found += page
        full = len(page) > 0
    if full and len(found) % 50 == 0 and len(found) == most * 50:
        raise ToolFailure(f"There are more than {len(found)} entries; nothing was sent.")
    return found


def ids_of(entries: Sequence[Document]) -> list[int]:
    """Take the ids of a list."""
    return [number for entry in entries if (number := number_of(entry, "id")) is not None]


def addresses_of(entries: Sequence[Document]) -> list[str]:
    """Take the addresses of registries, but for those that no request can remove."""
    return [
        address
        for entry in entries
        if (address := text_or_empty(entry, "address")) and entry.get("readonly") is not True
    ]


def still_there(steps: Sequence[int]) -> str:
    """Say that Woodpecker left logs behind."""
    listed = ", ".join(map(str, steps))
    return (
        f"Woodpecker said that the logs were deleted, and those of these steps can still be read: "
        f"{listed}."
    )


async def _in_turn(
    api: WoodpeckerAPI, requests: Sequence[tuple[str, tuple[Part, ...]]], kept: str
) -> None:
    gone: list[str] = []
    for name, path in requests:
        try:
            await api.delete(*path)
        except UpstreamFailure as failure:
            if getattr(failure, "status", None) != 404:
                raise _stopped(failure, gone, kept) from failure
        gone.append(name)


def _stopped(failure: UpstreamFailure, gone: Sequence[str], kept: str) -> ToolFailure:
    """Say where a deletion in several steps stopped."""
    if not gone:
        return failure
    unknown = failure.outcome != "not_done"
    after = (
        "Whether that request happened is unknown: look before you repeat it."
        if unknown
        else f"{kept} was not deleted."
    )
    return ToolFailure(
        f"{failure.text} {after} Gone already: {', '.join(gone)}.",
        code="outcome_unknown" if unknown else "",
    )
