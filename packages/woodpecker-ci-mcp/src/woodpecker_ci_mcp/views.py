"""What a caller sees of Woodpecker's documents.

No shape is trusted: 2.x names its times differently, and anything may be absent or null.
Avatars, extension settings and lists of changed files are left out to keep answers small.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.http.json_fields import (
    Document,
    number_of,
    object_of,
    picked,
    text_or_empty,
    texts_of,
)
from woodpecker_ci_mcp.redaction import (
    REDACTED,
    hidden_keys,
    redacted_object,
    without_credentials,
)

# The first line of a message, and an id that is unique in any repository, as forges show them.
INTERNAL_LABELS = "woodpecker-ci.org/"
"""How labels begin that Woodpecker writes for itself; they choose no agent."""

# More files than a repository has, longer than a workflow is; about 20,000 tokens are shown.
CONFIG_FILES = 20
CONFIG_BYTES = 200_000
SHOWN_BYTES = 80_000

_TIMES = ("created", "updated", "started", "finished", "reviewed")

_REPOSITORY_SUMMARY = (
    "id",
    "full_name",
    "owner",
    "name",
    "org_id",
    "active",
    "private",
    "visibility",
    "default_branch",
    "config_file",
    "forge_id",
    "forge_remote_id",
    "forge_url",
    "has_forge_name_conflict",
    "has_no_forge_repo",
)

_SECRET = ("id", "org_id", "repo_id", "name", "note")
_REGISTRY = ("id", "org_id", "repo_id", "address", "username", "readonly", "password")
_CRON = (
    "id",
    "name",
    "schedule",
    "branch",
    "timezone",
    "next_exec",
    "created",
    "creator_id",
    "enabled",
    "variables",
)
_HIDDEN = frozenset({"avatar_url", "author_avatar", "changed_files", "netrc_trusted"})


class ConfigFiles(TypedDict):
    """Files of a pipeline's configuration."""

    configs: list[dict[str, object]]
    truncated: NotRequired[dict[str, object]]


def full_view(document: Document) -> Document:
    """Show a document with all it holds, but for credentials and what only a page needs."""
    kept = {
        key: value
        for key, value in document.items()
        if value is not None
        and key not in _HIDDEN
        and not key.endswith(("extension_endpoint", "extension_netrc"))
    }
    return redacted_object(_with_times(kept))


def task_view(document: Document) -> Document:
    """Show a task of the queue, with those of its labels that choose an agent."""
    view = full_view(document)
    labels = object_of(view, "labels")
    if labels:
        view["labels"] = {k: v for k, v in labels.items() if not k.startswith(INTERNAL_LABELS)}
    return view


def with_token(document: Document) -> Document:
    """Show a new agent with its token, which no later answer holds."""
    return {**full_view(document), **picked(document, ("token",))}


def repository_summary(document: Document) -> Document:
    """Show a repository in a list."""
    summary = picked(document, _REPOSITORY_SUMMARY)
    last = object_of(document, "last_pipeline")
    if last:
        summary["last_pipeline"] = picked(last, ("number", "status", "event"))
    return redacted_object(summary)


def pull_request_view(document: Document) -> Document:
    """Show a pull request; the forge's id of one is nearly always its number."""
    view = picked(document, ("index", "title"))
    index = text_or_empty(document, "index")
    if index.isascii() and index.isdigit() and len(index) < 16:
        view["number"] = int(index)
    return view


def secret_view(document: Document) -> Document:
    """Show a secret; no images means any image."""
    view = {key: value for key, value in picked(document, _SECRET).items() if value != 0}
    view["events"] = texts_of(document, "events")
    view["images"] = texts_of(document, "images")
    if "value" in document:
        view["value"] = REDACTED
    return view


def registry_view(document: Document) -> Document:
    """Show a registry; ids that Woodpecker leaves at 0 say nothing."""
    view = {
        key: value
        for key, value in picked(document, _REGISTRY).items()
        if isinstance(value, bool) or value != 0
    }
    return redacted_object(view)


def cron_view(document: Document) -> Document:
    """Show a cron job, and whether it runs at all."""
    view = redacted_object(picked(document, _CRON))
    if hidden := hidden_keys(object_of(document, "variables")):
        view["hidden"] = hidden
    return view


def config_files(files: Sequence[Document]) -> ConfigFiles:
    """Show the files of a configuration, decoded; many and large ones in part."""
    read = [decoded(file.get("data"), CONFIG_BYTES) for file in files[:CONFIG_FILES]]
    share = _fair_share([len(content.encode()) for content, _ in read], SHOWN_BYTES)
    shown: list[dict[str, object]] = []
    for file, (content, cut) in zip(files, read, strict=False):
        text = without_credentials(content)
        begin = text.encode()[:share].decode("utf-8", "ignore")
        view: Document = {**picked(file, ("name", "hash")), "content": begin}
        if cut or begin != text:
            view["note"] = f"only its first {len(begin)} characters are shown"
        shown.append(view)
    result: ConfigFiles = {"configs": shown}
    if len(files) > CONFIG_FILES:
        note = "further files were not read"
        result["truncated"] = {"shown": CONFIG_FILES, "total": len(files), "note": note}
    return result


def decoded(data: object, limit: int) -> tuple[str, bool]:
    """Decode a base64 file, at most `limit` bytes of it.

    Returns:
        The text, and whether something was cut off.
    """
    if not isinstance(data, str):
        return "", False
    wanted = data[: (limit + 3) // 3 * 4 + 4]
    try:
        content = base64.b64decode(wanted)
    except (binascii.Error, ValueError):
        return "(not readable: no base64)", False
    cut = len(content) > limit or len(wanted) < len(data)
    return content[:limit].decode("utf-8", "ignore" if cut else "replace"), cut


def _fair_share(sizes: Sequence[int], total: int) -> int:
    """Return the size to cut to, so that small files stay whole and all fit together."""
    left, share = total, total
    for position, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - position)
        if size > share:
            return share
        left -= size
    return max(share, *sizes, 0) if sizes else share


def times_of(document: Document) -> Document:
    """Read the times, Unix seconds, under the names of either line; 0 means not yet."""
    times: Document = {}
    for name in _TIMES:
        seconds = number_of(document, name)
        if seconds is None:
            seconds = number_of(document, f"{name}_at")
        if seconds:
            times[name] = seconds
    return times


def _with_times(document: Document) -> Document:
    renamed = {f"{name}_at": name for name in _TIMES}
    return {renamed.get(key, key): value for key, value in document.items()}
