"""`--check`: what this login may do, told without the names of topics, which are secrets."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_serverkit.errors import CheckFailed, Refused, ToolFailure
from mcp_serverkit.http.json_fields import text_of
from ntfy_mcp.api.client import NtfyClient
from ntfy_mcp.api.error_hints import is_reserved

# An instance that answers at all does it well within this; a start check must not hang.
CHECK_SECONDS = 5.0

TOPIC_LIMIT = 10
"""Topics that are asked about: a sixth of the requests that ntfy allows at once."""


async def check(
    client: NtfyClient,
    url: str,
    topics: Sequence[str],
    questions: str,
    replies: str,
    buttons: NtfyClient | None,
) -> list[str]:
    """Read the own account, and ask what may be read.

    Args:
        client: Calls with the login of the tools.
        url: Where it calls.
        topics: Those that the operator listed.
        questions: The topic of approvals, if it is on this instance.
        replies: The topic of people's answers, if there is one.
        buttons: Calls with the login of the buttons, if they have one.

    Raises:
        ToolFailure: The login does not work, or a setting does not fit the instance.
    """
    role = text_of(await client.account(), "role") or "unknown"
    said = [f"reached {url}", f"logged in with role: {role}"]
    wrong: list[str] = []
    for position, topic in enumerate(topics[:TOPIC_LIMIT], 1):
        answer = await _read_access(client, topic)
        if answer in _FINE:
            said.append(f"topic {position} {_FINE[answer]}")
            continue
        wrong.append(f"topic {position} {answer}")
        if answer != _RESERVED:
            break
    if replies:
        answer = await _read_access(client, replies)
        if answer:
            wrong.append(f"NTFY_REPLY_TOPIC {answer}, so no answer could be heard")
        else:
            said.append("answers of people can be heard")
    if questions and await _read_access(client, questions) == "":
        said.append(
            "warning: this login can read the questions of approvals; only this server's own "
            "refusal of their topic stands between"
        )
    if buttons is not None:
        await _check_buttons(buttons, replies, said, wrong)
    if wrong:
        raise CheckFailed("; ".join(wrong), said)
    return said


_NOT_READABLE = "may not be read"
_RESERVED = "is reserved on this instance"
_FINE = {
    "": "may be read",
    _NOT_READABLE: "may not be read (publishing may still be allowed)",
}
"""What a topic answers when nothing is wrong: a login may be for publishing only."""


async def _read_access(client: NtfyClient, topic: str) -> str:
    """Say what hinders the reading of a topic; empty when nothing does."""
    try:
        await client.may_read(topic, CHECK_SECONDS)
    except Refused as refusal:
        if is_reserved(refusal.status, refusal.error_code):
            return _RESERVED
        known = {401: "was not shown: the login was refused", 403: _NOT_READABLE}
        return known.get(refusal.status, f"could not be asked about: HTTP {refusal.status}")
    except ToolFailure:
        return "could not be asked about: no answer"
    return ""


async def _check_buttons(
    buttons: NtfyClient, replies: str, said: list[str], wrong: list[str]
) -> None:
    """Ask whether the login of the buttons opens more than it must."""
    try:
        account = await buttons.account()
        if text_of(account, "role") == "admin":
            wrong.append("NTFY_REPLY_TOKEN belongs to an admin, and every phone would hold it")
        elif await _read_access(buttons, replies) != _NOT_READABLE:
            said.append("warning: give the reply token write-only access to NTFY_REPLY_TOPIC")
    except ToolFailure as failure:
        wrong.append(f"NTFY_REPLY_TOKEN: {failure.text}")
    finally:
        await buttons.aclose()
