"""What to do about an answer of ntfy, by its code; never by its words."""

from __future__ import annotations

import re

from mcp_serverkit.outcome import Outcome

_DELAY_FORMS = "It takes Unix seconds, a duration such as 30m, or a time such as tomorrow 10am"
_DELAY_WINDOW = "usually from 10 seconds to 3 days ahead, unless the instance is set otherwise"

ADMIN_NEEDED = (
    "This needs an ntfy account with role admin. Such an account can only be made with the ntfy "
    "command on the server."
)

ONLY_REGULAR = (
    "Either this login has no role admin, or the account to be removed is an admin: only regular "
    "accounts can be removed through the API."
)

SET_BY_CONFIGURATION = (
    "The account is probably set by the server's configuration (auth-users): remove it there."
)

_TOO_OLD = "ntfy older than 2.16 cannot clear or delete; or NTFY_URL leads elsewhere."
_ELSEWHERE = (
    "NTFY_URL must be the address of the server, without a topic; a proxy may lead elsewhere."
)

_EMAIL = "This is about e-mail, which this server does not send."
_PHONE = "This is about phone calls, which this server does not make."
_TEMPLATES = "This is about templates, which this server does not use."
_WEB_PUSH = "This is about web push, which this server does not use."
_OWN_ACCOUNT = "This is about managing one's own account, which this server does not do."
_CONFIGURED = "The server's configuration sets this account or token: change it there."

_NOT_USED = {
    **dict.fromkeys((40003, *range(40050, 40055), 42902), _EMAIL),
    **dict.fromkeys((*range(40033, 40038), 40904, 41001, 42910), _PHONE),
    **dict.fromkeys((*range(40041, 40046), 40047, 40048, 40055, 40056), _TEMPLATES),
    **dict.fromkeys((40902, 40903, 40907, 40908, 42906, 42907), _OWN_ACCOUNT),
    50004: _WEB_PUSH,
}

_BY_CODE = _NOT_USED | {
    40001: "This server does not send e-mail.",
    40002: "A delayed notification must be cached: drop delay, or cache=false.",
    40004: f"The problem is delay: it could not be read. {_DELAY_FORMS}.",
    40005: f"The problem is delay: too short. It must be {_DELAY_WINDOW}.",
    40006: f"The problem is delay: too far ahead. It must be {_DELAY_WINDOW}.",
    40007: "priority is 1 to 5 or min, low, default, high, max, urgent.",
    40008: "The instance does not read this since; a duration such as 24h is safe.",
    40009: "A topic is 1 to 64 letters, digits, - and _; some names are reserved.",
    40010: "This topic name is reserved; get_server_info shows disallowed_topics.",
    40011: "The text must be UTF-8.",
    40013: "The attach URL is not accepted: it must be a complete http:// or https:// URL.",
    40014: "The text reached the size limit and this instance takes no attachments: shorten it.",
    40015: "The file would expire before the delivery: shorten delay.",
    40017: "A field has a type that ntfy does not take.",
    40018: "actions: at most 3, each with a label; no body with GET; copy needs ntfy 2.17.",
    40021: "The icon URL is not accepted: it must be a complete http:// or https:// URL.",
    40024: "A field has a type that ntfy does not take.",
    40025: "The permission is not one that ntfy knows.",
    40030: "There is no such tier on this instance.",
    40031: "There is no such account, or it cannot be changed this way.",
    40032: "This server makes no phone calls.",
    40046: "The user name is not one that ntfy takes.",
    40049: "A sequence id is 1 to 64 letters, digits, - and _.",
    40301: "Reading and publishing are separate rights; check_topic_access tells about reading.",
    40901: "The account exists already.",
    40905: _CONFIGURED,
    40906: _CONFIGURED,
    41301: "The attachment is larger than this instance allows.",
    41303: "The request is too large: all fields together must stay below twice the message limit.",
    42901: "Too many requests: each 5 seconds allow one more. Wait before the next call.",
    42903: "Too many open subscriptions from this address.",
    42911: "Too many new topics from this address: one a minute comes back.",
    42904: "Too many topics are in use on this instance.",
    42905: "The attachment bandwidth of today is used up.",
    42908: "The messages of today are used up; the count starts again at midnight UTC.",
    42909: "Too many failed logins from this address: stop, one try a minute comes back.",
    50001: "On account calls this often means an account that does not exist, or one that the "
    "server's configuration fixes.",
    50002: "The instance does not take this path: check NTFY_URL.",
    50003: "The instance lacks base-url in its configuration, which files need.",
    50701: "This is a UnifiedPush topic without a subscriber.",
}

_BY_STATUS = {
    401: "The login was not accepted: check NTFY_TOKEN, or NTFY_USERNAME and NTFY_PASSWORD.",
    403: _BY_CODE[40301],
    413: _BY_CODE[41303],
    429: "Too many requests. Wait before the next call.",
}


_ROUTES: tuple[tuple[str, str, set[int | None], str], ...] = (
    ("DELETE", "/v1/users", {401}, ONLY_REGULAR),
    (".*", "/v1/users.*", {401, 403}, ADMIN_NEEDED),
    (
        ".*",
        "/v1/users.*",
        {404},
        "This instance has no user database, so there are no accounts to manage.",
    ),
    ("DELETE", "/v1/users/access", {500}, f"The account may not exist. {_BY_CODE[50001]}"),
    (
        ".*",
        "/",
        {50001},
        "A text close to the size limit can be the reason: some versions of ntfy fail on it.",
    ),
    (".*", "/v1/version", {401}, ADMIN_NEEDED),
    ("PUT|DELETE", "/(?!v1/)[^/]+/.+", {404, 40401}, _TOO_OLD),
    (".*", ".*", {404, 40401}, _ELSEWHERE),
    ("PUT", ".*", {40014}, "This instance takes no files: send the text as message."),
)
"""Methods, path, statuses or codes, and the next step; the first that fits."""


def is_reserved(status: int, code: int | str | None) -> bool:
    """Tell whether a refusal says that an instance keeps the name of a topic for itself."""
    return status == 404 or code in {40009, 40010}


def past_delay(moment: str) -> str:
    """Explain 40004 for a delay that was a number."""
    return (
        f"The problem is delay: that time is not in the future by the instance's clock ({moment})."
    )


def hint(method: str, path: str, status: int, code: int | None) -> str:
    """Return the next step for an error answer."""
    for methods, pattern, numbers, words in _ROUTES:
        if (
            numbers & {status, code}
            and re.fullmatch(methods, method)
            and re.fullmatch(pattern, path)
        ):
            return words
    return _BY_CODE.get(code or 0) or _BY_STATUS.get(status, "")


def hint_after(
    method: str, path: str, status: int, code: int | None, outcome: Outcome | None
) -> str:
    """Return the next step, and where to look when nobody knows what became of a write."""
    look = where_to_look(path) if outcome == "unknown" else ""
    return f"{hint(method, path, status, code)} {look}".strip()


def where_to_look(path: str) -> str:
    """Return what shows whether a write happened whose answer is lost."""
    if path.startswith("/v1/users"):
        return "list_users shows accounts and access rules."
    return "list_messages shows what arrived."
