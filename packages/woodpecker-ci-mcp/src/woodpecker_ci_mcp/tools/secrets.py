"""Tools for secrets. Their values go in and never come out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.facts import fresh_after_first, read_fact
from mcp_serverkit.http.json_fields import Document, without_none
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp import guards
from woodpecker_ci_mcp.api.lookups import is_there, unless_it_exists
from woodpecker_ci_mcp.argument_types import (
    Events,
    Existing,
    Images,
    NewSecret,
    Note,
    OrgId,
    Page,
    PerPage,
    Repo,
    RepoId,
    ScopeName,
    SecretValue,
)
from woodpecker_ci_mcp.dialogs import credentials as dialogs
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_list, paged
from woodpecker_ci_mcp.views import secret_view

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

NO_VALUES = "Woodpecker never returns a secret's value."


class Secrets(TypedDict):
    """Secrets of one level, without their values."""

    secrets: list[dict[str, object]]
    scope: str
    note: str


class Secret(TypedDict, total=False):
    """A secret without its value; no images means any."""

    id: int
    name: str
    events: list[str]
    images: list[str]
    note: str


class Stored(TypedDict):
    """A secret as it is stored, without its value."""

    secret: dict[str, object]
    note: NotRequired[str]


class Deleted(TypedDict):
    """A removed secret."""

    deleted_secret: str
    scope: str


@TOOLS.read("List secrets", foreign=True)
async def list_secrets(
    call: Call[Woodpecker],
    scope: Annotated[ScopeName, "Where it lives"] = "repository",
    repo_id: RepoId = None,
    repo: Repo = None,
    org_id: OrgId = None,
    page: Page = None,
    per_page: PerPage = None,
) -> Secrets:
    """List the secrets of one level; a pipeline also sees those of the wider levels."""
    wp = call.app
    place = await wp.place(scope, repo_id, repo, org_id, known=True)
    query = {"page": page, "perPage": per_page}
    found = await wp.api.entries(*place.path, "secrets", query=query)
    shown = [secret_view(secret) for secret in found]
    result = fit_list(Secrets(secrets=shown, scope=scope, note=NO_VALUES), "secrets")
    return paged(result, len(found), page, per_page)


@TOOLS.read("Get a secret", foreign=True)
async def get_secret(
    call: Call[Woodpecker],
    name: Annotated[Existing, "Name of the secret"],
    scope: Annotated[ScopeName, "Where it lives"] = "repository",
    repo_id: RepoId = None,
    repo: Repo = None,
    org_id: OrgId = None,
) -> Secret:
    """Read a secret's events and images."""
    wp = call.app
    place = await wp.place(scope, repo_id, repo, org_id, known=True)
    found = await wp.api.get(*place.path, "secrets", name)
    return cast("Secret", secret_view(found))


@TOOLS.write("Create a secret", destructive=False, idempotent=False, foreign=True)
async def create_secret(
    call: Call[Woodpecker],
    name: Annotated[NewSecret, "Name of the secret"],
    value: Annotated[SecretValue, "Value"],
    events: Annotated[Events, "Events whose pipelines get it"],
    scope: Annotated[ScopeName, "Where it lives"] = "repository",
    repo_id: RepoId = None,
    repo: Repo = None,
    org_id: OrgId = None,
    images: Annotated[Images | None, "Only for these images"] = None,
    note: Annotated[Note | None, "Note"] = None,
) -> Stored:
    """Store a secret. With a pull_request event, code of pull requests can read it."""
    wp = call.app
    place = await wp.place(scope, repo_id, repo, org_id)
    body: Document = without_none(name=name, value=value, events=events, images=images, note=note)
    if call.tool.asks and guards.opens_to_pull_requests(events):
        await call.confirm(dialogs.create_secret(place, name, body))
    made = await unless_it_exists(
        wp.api.post(*place.path, "secrets", body=body),
        lambda: is_there(wp.api, *place.path, "secrets", name),
        "A secret of that name",
        "update_secret",
    )
    return {"secret": secret_view(made), "note": NO_VALUES}


@TOOLS.write(
    "Change a secret",
    destructive=True,
    idempotent=True,
    asks="when it brings a new value, adds a pull_request event, or empties images",
    foreign=True,
)
async def update_secret(
    call: Call[Woodpecker],
    name: Annotated[Existing, "Name of the secret"],
    scope: Annotated[ScopeName, "Where it lives"] = "repository",
    repo_id: RepoId = None,
    repo: Repo = None,
    org_id: OrgId = None,
    value: Annotated[SecretValue | None, "New value"] = None,
    events: Annotated[Events | None, "Replace the present ones"] = None,
    images: Annotated[Images | None, "Replace the present ones; [] lifts the limit"] = None,
    note: Annotated[Note | None, "Note"] = None,
) -> Stored:
    """Change a secret; what is not given stays."""
    wp = call.app
    place = await wp.place(scope, repo_id, repo, org_id)
    body: Document = without_none(value=value, events=events, images=images, note=note)
    if not body:
        raise BadArgument("value", "nothing to update: give value, events, images or note")

    async def widening() -> tuple[str, ...]:
        compares = "events" in body or "images" in body
        present = await wp.api.get(*place.path, "secrets", name) if compares else None
        return guards.of_secret(body, present)

    async def require_target() -> None:
        await wp.require_scope(place, "changing a secret")
        if not {"events", "images"} & set(body):
            await read_fact(wp.api.get(*place.path, "secrets", name))

    reasons = await widening()
    if reasons:
        now = fresh_after_first(reasons, widening)

        async def ask() -> Ask:
            await require_target()
            return dialogs.update_secret(place, name, body, await now())

        await call.confirm(ask)
    changed = await wp.api.patch(*place.path, "secrets", name, body=body)
    return {"secret": secret_view(changed)}


@TOOLS.write("Delete a secret", destructive=True, idempotent=True, asks="always")
async def delete_secret(
    call: Call[Woodpecker],
    name: Annotated[Existing, "Name of the secret"],
    scope: Annotated[ScopeName, "Where it lives"] = "repository",
    repo_id: RepoId = None,
    repo: Repo = None,
    org_id: OrgId = None,
) -> Deleted:
    """Remove a secret."""
    wp = call.app
    place = await wp.place(scope, repo_id, repo, org_id)

    async def ask() -> Ask:
        await wp.require_scope(place, "deleting a secret")
        await read_fact(wp.api.get(*place.path, "secrets", name))
        return dialogs.delete_secret(place, name)

    await call.confirm(ask)
    await wp.api.delete(*place.path, "secrets", name)
    return {"deleted_secret": name, "scope": scope}
