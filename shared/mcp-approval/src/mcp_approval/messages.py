"""The words that every guarded tool of every server uses."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_approval.asking_client import Answer
from mcp_approval.quoting import ASKED_AGAIN
from mcp_approval.seal import LIFETIME_SECONDS
from mcp_approval.tokens import LIFETIME_SECONDS as TOKEN_SECONDS

REFUSED = (
    "confirm_token refused: it is unknown, expired, already used, or issued for different "
    "arguments or an earlier state. {nothing} To get a token, leave confirm_token out and call "
    "{tool} with the arguments you mean."
)

ALREADY_ACTING = "This very call is already being carried out. {nothing} Wait for its end."

TAKEN_OVER = "Superseded: the same call was made again and the question moved to it. {nothing}"

MADE_ROOM = "Superseded: its place was needed for a newer question. {nothing}"


def too_many_open(limit: int, nothing: str, wait: str = "") -> str:
    """Say that as many questions are open as may be.

    Args:
        limit: How many those are.
        nothing: The server's sentence for "it did not happen".
        wait: How long until the oldest gives way; empty where none does.
    """
    way = f", or {wait}: then the oldest gives way." if wait else "."
    return (
        f"{limit} questions are already waiting for an answer. {nothing} Wait until some are "
        f"answered{way}"
    )


def not_in_time(seconds: float) -> str:
    """Say why a question is asked again that nobody answered in time."""
    return (
        f"{ASKED_AGAIN}: no answer came within the {round(seconds / 60)} minutes of the earlier "
        "question."
    )


NOT_IN_TIME = not_in_time(LIFETIME_SECONDS)

CALLED_AGAIN = f"{ASKED_AGAIN}: the same call was made again while this question was open."

NOT_ASKED = "Not asked: the record of approvals cannot be written ({reason}). {nothing}"

ANSWER_NOT_RECORDED = "Not approved: the answer could not be recorded ({reason}). {nothing}"

FACTS_CHANGED = (
    "What the question quotes changed while it was being answered, {times} times in a row. "
    "{nothing} Read the present state before trying again."
)


DECISIONS = {
    "accept": "not_ticked",
    "decline": "declined",
    "cancel": "cancelled",
    "timeout": "timed_out",
    "failed": "client_error",
    "unsupported": "client_unsupported",
    "withdrawn": "client_error",
}
"""The word of the log for each answer that is no yes."""


def not_approved(answer: Answer, nothing: str) -> str:
    """Say that no yes came, without claiming to know who or what answered."""
    said = {
        "accept": 'the client answered "accept" without the tick',
        "decline": 'the client answered "decline"',
        "cancel": 'the client answered "cancel"',
        "timeout": "the client answered nothing in time",
        "failed": "the client failed to answer",
        "unsupported": "the client announced dialogs and then did not know the request",
        "withdrawn": "the question was taken back",
    }[answer.action]
    again = " Calling again asks again." if answer.action == "timeout" else ""
    return (
        f"Not approved: {said}. {nothing} If no dialog was visible, this client answers by "
        f"itself; the operator of this server finds the setting in its README.{again}"
    )


def facts_changed(names: Sequence[str]) -> str:
    """Say why a question is asked again whose facts are others now."""
    which = f" ({', '.join(name.replace('_', ' ') for name in names)})" if names else ""
    return f"{ASKED_AGAIN}: what this question quotes has changed{which}."


def token_prompt(
    message: str, tool: str, token: str, *, nothing: str, unbound: tuple[str, ...], note: str
) -> str:
    """Compose the answer to the first of two calls."""
    apart = f" ({', '.join(unbound)} may differ)" if unbound else ""
    return (
        f"Confirmation needed. {nothing}\n\n{message}\n\n"
        f"To go on, call {tool} again with the same arguments{apart} and "
        f'confirm_token="{token}". The token works once, within '
        f"{TOKEN_SECONDS // 60} minutes.\n\n{note}"
    )


def token_note(server: str, *, dialog: bool) -> str:
    """Say honestly why nobody was asked and what the token is worth."""
    reason = (
        "This client cannot show a dialog, so no person was asked."
        if dialog
        else f"{server} was started with ELICITATION=false, so this server asked no person."
    )
    return (
        f"{reason} The token proves that the call was made twice with the same arguments, and "
        "nothing more: it is not a person's approval."
    )
