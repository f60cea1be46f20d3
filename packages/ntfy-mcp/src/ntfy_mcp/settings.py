"""The table of variables, and the checks that concern several of them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from mcp_approval.wording import counted
from mcp_serverkit.config import parsers
from mcp_serverkit.config.settings import (
    Reading,
    Values,
    Variable,
    common_variables,
    extras_variable,
)
from ntfy_mcp.order import EXTRAS

# A list that a person can still read over.
MAX_TOPICS = 256

MESSAGE_LIMIT = 4096
"""ntfy's default for the size of one message; a text must stay below it."""

TOPIC = r"[-_A-Za-z0-9]{1,64}"


def topics(value: str, warnings: list[str]) -> tuple[str, ...]:
    """Read the allowlist; a refused entry is named by position, since topic names are secrets."""
    entries = parsers.comma_list(value, warnings)
    if len(entries) > MAX_TOPICS:
        raise ValueError(f"lists {len(entries)} topics; at most {MAX_TOPICS} are possible")
    for position, entry in enumerate(entries, 1):
        if not re.fullmatch(TOPIC, entry):
            raise ValueError(
                f"entry {position} of NTFY_TOPICS is no topic name: "
                "1 to 64 letters, digits, - and _"
            )
    return tuple(dict.fromkeys(entries))


def topic(value: str, _warnings: list[str]) -> str:
    """Read the name of one topic, which is never repeated."""
    if not re.fullmatch(TOPIC, value):
        raise ValueError("is no topic name: 1 to 64 letters, digits, - and _")
    return value


VARIABLES: tuple[Variable, ...] = (
    Variable(
        "NTFY_URL",
        "url",
        "URL",
        "none",
        "Address of the ntfy instance, such as `https://ntfy.example.org`. There is no "
        "default: nothing is sent to a public instance by accident.",
        parsers.http_url,
        title="Address of ntfy",
        example="https://ntfy.example.org",
        required=True,
        listed=True,
    ),
    Variable(
        "NTFY_TOKEN",
        "token",
        "secret",
        "none",
        "Access token (`tk_...`).",
        parsers.bearer,
        title="Access token",
        secret="token",  # noqa: S106 (a kind, not a secret)
        listed=True,
    ),
    Variable(
        "NTFY_USERNAME",
        "username",
        "text",
        "none",
        "Account name, together with `NTFY_PASSWORD`; not with a token.",
        parsers.password,
        title="Account name",
    ),
    Variable(
        "NTFY_PASSWORD",
        "password",
        "secret",
        "none",
        "Password of that account.",
        parsers.password,
        title="Password of the account",
        secret="password",  # noqa: S106
    ),
    Variable(
        "NTFY_TOPICS",
        "topics",
        "comma list",
        "any topic",
        "The only topics that any tool may touch. The first is the default topic.",
        topics,
        (),
        title="Topics it may touch",
        fence=True,
        example="alerts",
        listed=True,
    ),
    Variable(
        "NTFY_MESSAGE_LIMIT",
        "message_limit",
        "bytes",
        str(MESSAGE_LIMIT),
        "Size limit of one message, if the instance has another `message-size-limit`.",
        parsers.integer(256, 1_000_000),
        MESSAGE_LIMIT,
        title="Size limit of a message, in bytes",
    ),
    extras_variable("NTFY", EXTRAS),
    Variable(
        "NTFY_REPLY_TOPIC",
        "reply_topic",
        "topic",
        "none",
        "Where answers of `ask_person` arrive; the tools do not write to it.",
        topic,
        title="Topic for answers",
    ),
    Variable(
        "NTFY_REPLY_TOKEN",
        "reply_token",
        "secret",
        "none",
        "The login inside the buttons of `ask_person`: may write to that topic, and nothing else.",
        parsers.bearer,
        title="Access token for buttons",
        secret="token",  # noqa: S106
    ),
    Variable(
        "NTFY_REPLY_URL",
        "reply_url",
        "URL",
        "`NTFY_URL`",
        "The address under which a phone reaches the instance.",
        parsers.http_url,
        title="Address of ntfy for phones",
    ),
    *common_variables("NTFY"),
)


def cross_check(values: Values, reading: Reading) -> None:
    """Check what concerns more than one variable."""
    if values["token"] and (values["username"] or values["password"]):
        reading.problem(
            "NTFY_TOKEN",
            "set either a token or NTFY_USERNAME with NTFY_PASSWORD, not both",
        )
    elif bool(values["username"]) != bool(values["password"]):
        absent = "NTFY_PASSWORD" if values["username"] else "NTFY_USERNAME"
        reading.problem(absent, "is needed: user name and password go together")
    _check_approvals(values, reading)
    _check_replies(values, reading)
    for name in ("NTFY_URL", "NTFY_REPLY_URL") if values["extras"] else ("NTFY_URL",):
        parts = urlsplit(str(values[name.removeprefix("NTFY_").lower()] or ""))
        if parts.scheme == "http" and not parsers.is_loopback(parts.hostname or ""):
            reading.warn(name, "is http://, so credentials and messages travel in clear")
    url = values["url"]
    if not isinstance(url, str):
        return
    host = urlsplit(url).hostname or ""
    public = host == "ntfy.sh" or host.endswith(".ntfy.sh")
    anonymous = not (values["token"] or values["username"])
    if public and anonymous and not (values["read_only"] or values["topics"]):
        reading.warn(
            "NTFY_URL",
            "is the public instance, used without an account: set NTFY_TOPICS or NTFY_READ_ONLY",
        )


def _check_approvals(values: Values, reading: Reading) -> None:
    """Keep the topics and logins of approvals apart from those that tools use."""
    listed = values["topics"]
    topics = {name.lower() for name in listed} if isinstance(listed, tuple) else set()
    for word in ("ask", "answer"):
        name = values[f"approval_ntfy_{word}_topic"]
        if isinstance(name, str) and name.lower() in topics:
            reading.problem(f"APPROVAL_NTFY_{word.upper()}_TOPIC", "is also listed in NTFY_TOPICS")
    for word in ("", "button_"):
        token = values[f"approval_ntfy_{word}token"]
        if token and token == values["token"]:
            reading.problem(f"APPROVAL_NTFY_{word.upper()}TOKEN", "is the same as NTFY_TOKEN")


def _check_replies(values: Values, reading: Reading) -> None:
    """Keep the answers of people apart from what tools write, and from approvals."""
    named = [word for word in ("topic", "token", "url") if values[f"reply_{word}"]]
    if named and not values["extras"]:
        reading.warn(f"NTFY_REPLY_{named[0].upper()}", "has no use without NTFY_EXTRAS=true")
    if values["reply_token"] and values["reply_token"] == values["token"]:
        reading.problem("NTFY_REPLY_TOKEN", "is the same as NTFY_TOKEN")
    name, listed = values["reply_topic"], values["topics"]
    if not isinstance(name, str):
        return
    if isinstance(listed, tuple) and listed and name not in listed[1:]:
        reading.problem("NTFY_REPLY_TOPIC", "must be listed in NTFY_TOPICS, and not as its first")
    for word in ("ask", "answer"):
        if name.lower() == str(values[f"approval_ntfy_{word}_topic"] or "").lower():
            reading.problem("NTFY_REPLY_TOPIC", "is a topic of approvals")


def missing(values: Values) -> str:
    """Say what a call lacks."""
    if values["url"]:
        return ""
    others = "NTFY_TOKEN, NTFY_USERNAME with NTFY_PASSWORD, and NTFY_TOPICS are optional"
    return f"NTFY_URL is not set, so no tool can be called; {others}"


def start_lines(values: Values) -> list[str]:
    """Compose the lines for stderr at start."""
    said = []
    if values["insecure_tls"]:
        said.append("NTFY_INSECURE_TLS=true — certificates are not checked")
    if values["read_only"]:
        said.append("NTFY_READ_ONLY is on — only tools that read are offered")
    allowlist = values["topics"]
    if isinstance(allowlist, tuple) and allowlist:
        said.append(f"NTFY_TOPICS allows {counted(len(allowlist), 'topic')}")
    if values["url"]:
        said.append(f"targeting {values['url']}")
    return said


def instance(values: Values) -> str:
    """Name the instance for the tick box of a dialog."""
    url = values["url"]
    return urlsplit(url).netloc if isinstance(url, str) else ""
