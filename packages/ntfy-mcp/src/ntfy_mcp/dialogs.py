"""The questions of this server: what is shown, and beside it what is bound.

Topics, counts, ids, account names and lengths are shown; never the text of a
notification, an address or a password.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

from mcp_approval.keys import Target
from mcp_approval.question import Detail, Question, checked, joined
from mcp_approval.typing import JSONValue
from mcp_approval.verdict import Ask
from mcp_serverkit.text.describe import describe_value
from mcp_serverkit.text.times import iso_time
from ntfy_mcp.access import EVERYONE
from ntfy_mcp.settings import TOPIC
from ntfy_mcp.topic_state import Found, State

_USERNAME = r"[-_.+@A-Za-z0-9]{1,64}"
_ACCOUNT = rf"\*|{_USERNAME}"
_PATTERN = r"[-_A-Za-z0-9*]{1,64}"
_PERMISSION = r"read-write|read-only|write-only|deny-all|none|unknown"
_DUE = r"[0-9]{1,12}[smhd]"


_LABELS: Mapping[State, str] = {
    "deleted": "Sequence id (deleted already)",
    "absent": "Sequence id (not in the cache, expired or mistyped)",
    "unknown": "Sequence id (whether it exists could not be read)",
}
_REVISION_LABEL = "Sequence id (a revision of an earlier notification)"


def delete_messages(topic: str, found: Sequence[Found]) -> Ask:
    """Ask whether notifications may be deleted; two ids of one notification are one."""
    ids = sorted({item.sequence_id for item in found})
    noun = "notification" if len(ids) == 1 else "notifications"
    facts: dict[str, JSONValue] = {
        "whether they exist": {item.sequence_id: item.found for item in found},
        "which were deleted already": {item.sequence_id: item.state == "deleted" for item in found},
    }
    return Ask(
        Question(
            what=f'delete {len(ids)} {noun} from topic "{checked(topic, TOPIC)}", '
            "scheduled ones included",
            consequence="They cannot be brought back. Those still scheduled are not sent.",
            details=tuple(Detail(_label(item), item.given) for item in found),
        ),
        Target.members("delete_messages", [["topic", topic], *ids], facts=facts),
    )


def _label(item: Found) -> str:
    own = _REVISION_LABEL if item.given != item.sequence_id else "Sequence id"
    return _LABELS.get(item.state, own)


def update_message(
    topic: str, found: Found, body: Mapping[str, object], kept: Sequence[str]
) -> Ask:
    """Ask whether a notification may be replaced.

    Args:
        topic: Its topic.
        found: What the given id means, and its present state.
        body: All content that will be sent.
        kept: Names of the fields in it that come from the present revision.
    """
    revision = (
        " The id is that of a revision of an earlier notification, which is replaced."
        if found.given != found.sequence_id
        else ""
    )
    dropped = "" if kept else " Fields not listed are dropped."
    details = [
        Detail(_FIELD_NAMES[name], _described(name, value))
        for name, value in body.items()
        if name not in kept
    ]
    return Ask(
        Question(
            what=f'replace the content of notification "{checked(found.given, TOPIC)}" '
            f'on topic "{checked(topic, TOPIC)}"',
            consequence="The text that subscribers were shown cannot be recovered on their "
            "devices. Everything listed is replaced, buttons included; an http button sends its "
            f"request from the recipient's device.{revision}{dropped}"
            f"{_state_sentence(found.state, delayed='delay' in body)}",
            details=tuple(details),
            findings=(Detail("Kept from the present revision", joined(kept)),) if kept else (),
        ),
        Target.ordered(
            "update_message",
            ("topic", topic),
            ("sequence_id", found.sequence_id),
            body=cast("JSONValue", dict(body)),
            facts={"state of the notification": found.state},
        ),
    )


def _state_sentence(state: State, *, delayed: bool) -> str:
    if state == "absent":
        return " Nothing with this id is in the cache, so this may be a new notification."
    if state == "deleted":
        return " It was deleted and comes back."
    if state == "scheduled" and not delayed:
        return " It is still scheduled: the new one is sent at once."
    if state == "unknown":
        at_once = (
            ""
            if delayed
            else " If the notification is still scheduled, the new one is sent at once."
        )
        return f" Its present state could not be read.{at_once}"
    return ""


def create_user(username: str, tier: str | None) -> Ask:
    """Ask whether an account may be created; the password is neither shown nor bound."""
    return Ask(
        Question(
            what=f'create the account "{checked(username, _USERNAME)}"',
            consequence="It becomes an account of this instance. It reaches nothing until "
            "manage_user_access grants a topic, but whoever has the password can then log in "
            "as it.",
            details=(Detail("Tier", tier),) if tier else (),
            unbound=("password",),
        ),
        Target.ordered("create_user", ("username", username), ("tier", tier or "")),
    )


def delete_user(username: str, *, seen: bool) -> Ask:
    """Ask whether an account may be removed; `seen` tells whether it was found."""
    return Ask(
        Question(
            what=f'delete the account "{checked(username, _USERNAME)}" and all its topic grants',
            consequence="Account and grants are gone, and its open connections are cut.",
        ),
        Target.members("delete_user", [username], facts={"account": "seen" if seen else "unknown"}),
    )


def manage_user_access(username: str, topic: str, action: str, current: str | None) -> Ask:
    """Ask whether an access rule may be written or removed.

    Args:
        username: The account.
        topic: The topic pattern of the rule.
        action: `revoke`, or the permission to write.
        current: The permission of the present rule, "none", or nothing when unknown.
    """
    account, pattern = checked(username, _ACCOUNT), checked(topic, _PATTERN)
    known = checked(current or "unknown", _PERMISSION)
    act = (
        f'remove the rule for "{account}" on topic "{pattern}"'
        if action == "revoke"
        else f'set "{account}" to {checked(action, r"[a-z_]{1,20}")} on topic "{pattern}"'
    )
    whom = (
        "everybody, also for people without an account"
        if username == EVERYONE
        else "everyone who uses that account"
    )
    afterwards = (
        " Afterwards a wider rule or the instance's default applies. A rule that the server's "
        "configuration sets comes back when ntfy restarts."
        if action == "revoke"
        else ""
    )
    return Ask(
        Question(
            what=act,
            consequence=f"It takes effect at once for {whom}. "
            f"Rule at present: {known}.{afterwards}",
        ),
        Target.ordered(
            "manage_user_access",
            ("username", username),
            ("topic", topic),
            ("action", action),
            facts={"current": current},
        ),
    )


_FIELD_NAMES = {
    "message": "Message",
    "title": "Title",
    "priority": "Priority",
    "tags": "Tags",
    "click": "Click address",
    "icon": "Icon address",
    "markdown": "Markdown",
    "actions": "Buttons",
    "delay": "Delivery",
}


def _described(name: str, value: object) -> str:
    """Describe a field; the kinds of buttons and a delay of plain form are no text of it."""
    if isinstance(value, list):
        kinds = [item["action"] for item in value if isinstance(item, dict) and "action" in item]
        return f"{describe_value(value)} ({joined(kinds)})" if kinds else describe_value(value)
    if name == "delay":
        text = str(value)
        if text.isascii() and text.isdigit() and (due := iso_time(int(text))) is not None:
            return f"at {due}"
        if re.fullmatch(_DUE, text):
            return f"in {text}"
    return describe_value(value)
