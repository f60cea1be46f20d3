"""What a caller sees of the API's documents.

No shape is trusted: what is missing or of another kind is told as such. Values under
secret-looking keys are taken out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NotRequired, cast

from typing_extensions import TypedDict

from hetzner_dns_mcp.api.types import APIAnswer, Write
from mcp_serverkit.http.json_fields import Document, object_of
from mcp_serverkit.text.times import iso_time
from mcp_serverkit.tools.results import LIST_BYTES, fit, size

if TYPE_CHECKING:
    from hetzner_dns_mcp.api.transport import HetznerAPI

STRING_CHARS = 4_000
ZONEFILE_CHARS = 150_000
ZONEFILE_BYTES = 190_000
"""Room that a zone file has in a result, once it is written as JSON."""

ENTRY_BYTES = 20_000
"""Room of one entry of a list: a set of a thousand records must not hide all others."""

LOW_RATE = 100
"""Requests left below which a result says so."""

NOTHING_CHANGES = "nothing-changes: it is so already, so nothing was sent"

_SECRET_KEY = re.compile(
    r".*(?:password|passwd|passphrase|secret|token|apikey|privatekey|tsigkey|credentials?)"
)
_REDACTED = "[redacted]"


class Written(TypedDict):
    """What came of a write; it may say more than this."""

    action: NotRequired[dict[str, object]]
    warnings: NotRequired[list[str]]


class RecordsWritten(Written):
    """What came of a write of a record set."""

    full_name: NotRequired[str]
    changed: NotRequired[bool]


class RecordsReplaced(RecordsWritten):
    """The same of a write that takes records away."""

    previous: NotRequired[dict[str, object]]


def presentable(value: object) -> object:
    """Copy a document without secrets and without endless texts."""
    if isinstance(value, str):
        return _shortened(value)
    if isinstance(value, dict):
        return {
            key: _REDACTED if item and _is_secret(key) else presentable(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [presentable(item) for item in value]
    return value


def rrset(document: Document, limit: int = LIST_BYTES) -> Document:
    """Show a record set, or another object; of very many records the last ones drop out."""
    view = cast("Document", presentable(document))
    if isinstance(view.get("records"), list):
        fit(view, "records", drop="last", limit=limit)
    return view


def single(answer: APIAnswer, key: str) -> Document:
    """Show the object under a key, or say what came instead."""
    document = answer.document(key)
    if document:
        return {key: rrset(document)}
    return {"unexpected_response": _kind(answer.body, key)}


async def page(answer: APIAnswer, key: str, keep: Sequence[Document] | None = None) -> Document:
    """Show one page of a list; whole entries drop out at the end where it grows too large.

    Args:
        answer: The answer.
        key: Key of the list.
        keep: The entries to show, if not all.
    """
    import asyncio

    entries = answer.documents(key) if keep is None else keep
    shown: list[object] = []
    room = LIST_BYTES
    for entry in entries:
        view = rrset(entry, ENTRY_BYTES)
        room -= size(view) + 1
        if room < 0:
            break
        shown.append(view)
        await asyncio.sleep(0)
    result: Document = {key: shown}
    if len(shown) < len(entries):
        result["dropped"] = len(entries) - len(shown)
    meta = object_of(answer.body, "meta")
    if meta:
        result["meta"] = presentable(meta)
    given = answer.body.get(key) if isinstance(answer.body, dict) else None
    if not isinstance(given, list):
        result["unexpected_response"] = _kind(answer.body, key)
    elif strange := sum(not isinstance(item, dict) for item in given):
        result["unreadable_entries"] = strange
    if object_of(meta, "pagination").get("next_page"):
        result["note"] = "more pages follow: ask for meta.pagination.next_page"
    return result


def written(write: Write, *keys: str) -> Document:
    """Show the outcome of a write: its action, and the objects under further keys."""
    result: Document = {}
    for key in keys:
        document = write.answer.document(key)
        if document:
            result[key] = rrset(document)
    if write.action:
        result["action"] = presentable(write.action)
    if not write.changed:
        result["changed"] = False
        result["warnings"] = ["already-present: nothing was changed"]
    elif not result:
        result["unexpected_response"] = _kind(write.answer.body, (*keys, "action")[0])
    if write.note:
        result["action_poll"] = write.note
    return result


def with_previous(result: RecordsWritten, previous: Document) -> RecordsReplaced:
    """Add what a record set was before, if that is known."""
    view = cast("RecordsReplaced", result)
    if previous:
        view["previous"] = rrset(previous)
    return view


def zonefile(text: str) -> Document:
    """Show a zone file, cut once where it is too long for a result."""
    shown = text[: zonefile_chars(text)]
    result: Document = {"zonefile": shown}
    if len(shown) < len(text):
        result["note"] = f"cut: {len(shown)} of {len(text)} characters are shown"
    return result


def zonefile_part(text: str, offset: int) -> Document:
    """Show as much of a zone file as a result holds, and where the rest begins.

    Args:
        text: The whole zone file.
        offset: Characters to leave out at its beginning.
    """
    rest = text[offset:]
    shown = rest[: zonefile_chars(rest)]
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    result: Document = {"zonefile": shown, "total": len(text), "sha256": digest}
    if len(shown) < len(rest):
        result["next_offset"] = offset + len(shown)
        result["note"] = (
            f"{len(shown)} of {len(text)} characters are shown: call again with next_offset as "
            "offset, and compare sha256"
        )
    return result


def plan(result: Document) -> Document:
    """Show what an import would do; of very many sets the last ones drop out."""
    view = cast("Document", presentable(result))
    if isinstance(view.get("sets"), list):
        fit(view, "sets", drop="last", limit=LIST_BYTES)
    return view


def findings(result: Document) -> Document:
    """Show what was found in a zone; of very much the last drops out."""
    dropped = result.get("dropped", 0)
    view = fit(cast("Document", presentable(result)), "findings", drop="last", limit=LIST_BYTES)
    if view.get("dropped", 0) != dropped:
        view["dropped"] = int(str(view["dropped"])) + int(str(dropped))
    return view


def zonefile_chars(text: str) -> int:
    """Count the characters of a zone file that a result holds."""
    shown = text[:ZONEFILE_CHARS]
    while (bytes_used := size(shown)) > ZONEFILE_BYTES:
        shown = shown[: len(shown) * ZONEFILE_BYTES // bytes_used]
    return len(shown)


def with_rate_limit(result: Document, api: HetznerAPI) -> Document:
    """Add what is left of the rate limit once that is little."""
    rate = api.rate_limit
    if rate is None or rate.remaining is None or rate.remaining >= LOW_RATE:
        return result
    left: Document = {"remaining": rate.remaining}
    if rate.reset is not None:
        left["resets_at"] = iso_time(rate.reset) or "an unreadable time"
    return {**result, "rate_limit": left}


def _shortened(text: str) -> str:
    if len(text) <= STRING_CHARS:
        return text
    return f"{text[:STRING_CHARS]}… (cut, {len(text)} characters in all)"


def _is_secret(key: str) -> bool:
    return _SECRET_KEY.fullmatch(re.sub(r"[_-]", "", key).lower()) is not None


def _kind(body: object, key: str) -> str:
    """Name what came instead of the announced object, never its text."""
    if body is None:
        return "no body"
    if isinstance(body, dict):
        inner = body.get(key)
        return f"no {key}" if inner is None else f"{key} is {_word(inner)}"
    return _word(body)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "a truth value"
    words = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}
    return words.get(type(value), "something else")
