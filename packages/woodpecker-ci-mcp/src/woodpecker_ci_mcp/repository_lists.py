"""Lists of repositories: those of the account, and those of the whole instance.

Woodpecker pages only the second, and filters neither by a part of a name; that is done
here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mcp_serverkit.http.json_fields import Document, text_or_empty
from woodpecker_ci_mcp.api.limits import PAGE

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import WoodpeckerAPI

SEARCHED_PAGES = 20
"""Pages of the instance that a search for a name reads."""

_OTHERS = (
    "Only repositories where this account may push or is admin are listed, as of the last "
    "synchronisation, which a person starts on Woodpecker's own page of repositories. "
    "include_inactive=true, lookup_repository and, for an instance admin, scope=instance find "
    "others."
)
_NOT_ALL = (
    "There are more repositories than were searched: lookup_repository finds one by its name."
)


class Wanted(NamedTuple):
    """What a call wants to see.

    Attributes:
        name: Part of owner/name.
        inactive: Whether repositories that are switched off are wanted too.
        page: Page, from 1.
        per_page: Entries a page.
    """

    name: str | None
    inactive: bool
    page: int | None
    per_page: int | None


class Rows(NamedTuple):
    """The rows of a list, and what is told beside them."""

    rows: list[Document]
    beside: Document


async def of_account(api: WoodpeckerAPI, wanted: Wanted) -> Rows:
    """List the repositories of the account, which come all at once."""
    found = await api.entries("user", "repos", query={"all": wanted.inactive or None})
    matching = _named(found, wanted.name)
    if not matching:
        return Rows([], {"note": _OTHERS})
    if wanted.page is None and wanted.per_page is None:
        return Rows(matching, {})
    return _page(matching, wanted)


async def of_instance(api: WoodpeckerAPI, wanted: Wanted) -> Rows:
    """List the repositories of the instance; a name is looked for on many pages."""
    active = None if wanted.inactive else True
    if wanted.name is None:
        query = {"active": active, "page": wanted.page, "perPage": wanted.per_page}
        found = await api.entries("repos", query=query)
        full = len(found) >= (wanted.per_page or PAGE)
        return Rows(found, _following(wanted) if full else {})
    read: list[Document] = []
    entries = 0
    async for part in api.pages("repos", most=SEARCHED_PAGES, query={"active": active}):
        read += part
        entries = len(part)
    shown = _page(_named(read, wanted.name), wanted)
    shown.beside["searched"] = len(read)
    if entries == PAGE:
        shown.beside.update(more=True, note=_NOT_ALL)
    return shown


def _named(found: list[Document], name: str | None) -> list[Document]:
    part = (name or "").lower()
    return [row for row in found if part in text_or_empty(row, "full_name").lower()]


def _page(rows: list[Document], wanted: Wanted) -> Rows:
    """Cut the page that is wanted; here it is known whether another one follows."""
    size = wanted.per_page or PAGE
    end = (wanted.page or 1) * size
    return Rows(rows[end - size : end], _following(wanted) if len(rows) > end else {})


def _following(wanted: Wanted) -> Document:
    return {"more": True, "next_page": (wanted.page or 1) + 1}
