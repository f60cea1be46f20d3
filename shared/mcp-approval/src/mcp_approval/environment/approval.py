"""The variables that say who is asked outside the client, and what is recorded.

They are the same for every server, so they carry no prefix of one. Plain standard
library: they are read before anything else is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast
from urllib.parse import urlsplit

from mcp_approval.environment import parsers
from mcp_approval.environment.private_file import problem_with
from mcp_approval.environment.reading import Reading, Values
from mcp_approval.environment.variable import Variable

PREFIX = "APPROVAL"
WORDS = ("phone", "window")

_APPROVER = r"[A-Za-z0-9 ._@-]{1,40}"
_TOPIC = r"[-_A-Za-z0-9]{1,64}"
_NEEDED_BY_PHONE = ("url", "ask_topic", "answer_topic", "token", "button_token")


def channels(value: str, warnings: list[str]) -> tuple[str, ...]:
    """Read the list of ways to a person, in order."""
    words = tuple(word.lower() for word in parsers.comma_list(value, warnings))
    for position, word in enumerate(words, 1):
        if word not in WORDS:
            raise ValueError(f"entry {position} is none of {', '.join(WORDS)}")
    if len(set(words)) != len(words):
        raise ValueError("names a way twice")
    return words


def approver(value: str, _warnings: list[str]) -> str:
    """Read who is asked."""
    if not re.fullmatch(_APPROVER, value):
        raise ValueError("must be 1 to 40 of letters, digits, blank, . _ @ and -")
    return value


def topic(value: str, _warnings: list[str]) -> str:
    """Read the name of a topic, which is never repeated."""
    if not re.fullmatch(_TOPIC, value):
        raise ValueError("is no topic name: 1 to 64 letters, digits, - and _")
    return value


VARIABLES: tuple[Variable, ...] = (
    Variable(
        "APPROVAL_REACH",
        "approval_reach",
        "comma list of phone, window",
        "none",
        "Where a person is asked outside the client, tried in this order.",
        channels,
        (),
        title="Ask outside the client",
        fence=True,
    ),
    Variable(
        "APPROVAL_REACH_WHEN",
        "approval_reach_when",
        "no_dialog, instead, always",
        "no_dialog",
        "Only where the client shows no dialog, instead of its dialogs, or beside them.",
        parsers.choice("no_dialog", "instead", "always"),
        "no_dialog",
        title="When to ask outside the client",
    ),
    Variable(
        "APPROVAL_APPROVER",
        "approval_approver",
        "text",
        "a person",
        "Who is asked, as texts name them.",
        approver,
        "a person",
        title="Who is asked",
    ),
    Variable(
        "APPROVAL_WAIT_SECONDS",
        "approval_wait_seconds",
        "seconds, 0-600",
        "45",
        "How long a call waits for the answer; less than the client's own time limit.",
        parsers.integer(0, 600),
        45,
        title="How long a call waits, in seconds",
    ),
    Variable(
        "APPROVAL_EXPIRES_SECONDS",
        "approval_expires_seconds",
        "seconds, 60-3600",
        "900",
        "How long a question stays open.",
        parsers.integer(60, 3_600),
        900,
        title="How long a question stays open, in seconds",
    ),
    Variable(
        "APPROVAL_NTFY_URL",
        "approval_ntfy_url",
        "URL",
        "none",
        "The ntfy instance for `phone`; the phone must reach it under this address.",
        parsers.http_url,
        title="Approval by phone: address of ntfy",
    ),
    Variable(
        "APPROVAL_NTFY_ASK_TOPIC",
        "approval_ntfy_ask_topic",
        "topic",
        "none",
        "Where questions go.",
        topic,
        title="Approval by phone: topic of questions",
    ),
    Variable(
        "APPROVAL_NTFY_ANSWER_TOPIC",
        "approval_ntfy_answer_topic",
        "topic",
        "none",
        "Where answers come from.",
        topic,
        title="Approval by phone: topic of answers",
    ),
    Variable(
        "APPROVAL_NTFY_TOKEN",
        "approval_ntfy_token",
        "secret",
        "none",
        "The server's login: may write questions and read answers, and nothing else.",
        parsers.bearer,
        title="Approval by phone: access token",
        secret="token",  # noqa: S106 (a kind, not a secret)
    ),
    Variable(
        "APPROVAL_NTFY_BUTTON_TOKEN",
        "approval_ntfy_button_token",
        "secret",
        "none",
        "The login inside the buttons: may write answers, and nothing else.",
        parsers.bearer,
        title="Approval by phone: access token for buttons",
        secret="token",  # noqa: S106
    ),
    Variable(
        "APPROVAL_NTFY_CA_FILE",
        "approval_ntfy_ca_file",
        "path",
        "none",
        "PEM file with further certificate authorities to trust for that instance.",
        parsers.readable_file,
        title="Approval by phone: further certificate authorities",
    ),
    Variable(
        "APPROVAL_RECORD",
        "approval_record",
        "path",
        "none",
        "File in which questions, answers and outcomes are recorded as a chain.",
        parsers.text,
        title="Record of decisions",
        fence=True,
    ),
    Variable(
        "APPROVAL_RECORD_TEXT",
        "approval_record_text",
        "true, false",
        "false",
        "Keep the shown texts too, one file each, in a folder beside that file.",
        parsers.permitting_switch,
        False,
        title="Keep the shown texts too",
    ),
)


def start_lines(server: str, values: Mapping[str, object]) -> list[str]:
    """Say at the start who is asked outside the client, and that a record is kept."""
    said: list[str] = []
    if values.get("approval_reach"):
        from mcp_approval.environment.outside import Outside  # few servers have such a way

        said.append(Outside.of(values).start_line(server))
    if values.get("approval_record"):
        said.append(f"{server}: approvals are recorded")
    return said


def cross_check(values: Values, reading: Reading) -> None:
    """Check what concerns more than one of these variables, or the switch for dialogs."""
    _check_record(values, reading)
    words = values["approval_reach"]
    if not words:
        for variable in VARIABLES:
            if variable.fence or values[variable.field] in {None, variable.fallback}:
                continue
            if variable.name == "APPROVAL_RECORD_TEXT":
                continue
            reading.warn(variable.name, "asks nobody without APPROVAL_REACH")
        return
    if not values["elicitation"]:
        reading.problem(
            "ELICITATION",
            "false asks nobody, and APPROVAL_REACH asks outside the client; unset one of them",
        )
    if cast("int", values["approval_wait_seconds"]) > cast(
        "int", values["approval_expires_seconds"]
    ):
        reading.problem("APPROVAL_WAIT_SECONDS", "is above APPROVAL_EXPIRES_SECONDS")
    if "phone" in cast("tuple[str, ...]", words):
        _check_phone(values, reading)


def _check_phone(values: Values, reading: Reading) -> None:
    # What was given and is wrong is not missing.
    told = {line.partition(":")[0] for line in reading.problems}
    for name in _NEEDED_BY_PHONE:
        variable = f"APPROVAL_NTFY_{name.upper()}"
        if not values[variable.lower()] and variable not in told:
            reading.problem(variable, "is needed to ask by phone")
    ask, answer = values["approval_ntfy_ask_topic"], values["approval_ntfy_answer_topic"]
    if ask and answer and str(ask).lower() == str(answer).lower():
        reading.problem("APPROVAL_NTFY_ANSWER_TOPIC", "is the same as APPROVAL_NTFY_ASK_TOPIC")
    token = values["approval_ntfy_token"]
    if token and token == values["approval_ntfy_button_token"]:
        reading.problem("APPROVAL_NTFY_BUTTON_TOKEN", "is the same as APPROVAL_NTFY_TOKEN")
    url = values["approval_ntfy_url"]
    if isinstance(url, str):
        parts = urlsplit(url)
        if parsers.is_loopback(parts.hostname or ""):
            reading.warn(
                "APPROVAL_NTFY_URL", "is this machine's own address; no phone can reach its buttons"
            )
        elif parts.scheme == "http":
            reading.warn(
                "APPROVAL_NTFY_URL", "is http://, so questions and answers travel in clear"
            )


def _check_record(values: Values, reading: Reading) -> None:
    path = values["approval_record"]
    if not isinstance(path, str):
        if values["approval_record_text"]:
            reading.warn("APPROVAL_RECORD_TEXT", "keeps nothing without APPROVAL_RECORD")
        return
    if problem := problem_with(path):
        reading.problem("APPROVAL_RECORD", problem)
