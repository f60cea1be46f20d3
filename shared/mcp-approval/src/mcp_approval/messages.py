"""The words that every guarded tool of every server uses."""

from __future__ import annotations

from mcp_approval.asking_client import Answer
from mcp_approval.tokens import LIFETIME_SECONDS

REFUSED = (
    "confirm_token refused: it is unknown, expired, already used, or issued for different "
    "arguments or an earlier state. {nothing} To get a token, leave confirm_token out and call "
    "{tool} with the arguments you mean."
)

ALREADY_ASKED = (
    "This very call is already being asked about or carried out. {nothing} Wait for its end."
)

TOO_MANY_OPEN = (
    "{limit} questions are already waiting for an answer. {nothing} Wait until some are answered."
)

FACTS_CHANGED = (
    "What the question quotes changed while it was being answered, {times} times in a row. "
    "{nothing} Read the present state before trying again."
)


def not_approved(answer: Answer, nothing: str) -> str:
    """Say that no yes came, without claiming to know who or what answered."""
    said = {
        "accept": 'the client answered "accept" without the tick',
        "decline": 'the client answered "decline"',
        "cancel": 'the client answered "cancel"',
        "timeout": "the client answered nothing in time",
        "failed": "the client failed to answer",
        "unsupported": "the client announced dialogs and then did not know the request",
    }[answer.action]
    return (
        f"Not approved: {said}. {nothing} If no dialog was visible, this client answers by "
        "itself; the operator of this server finds the setting in its README."
    )


def token_prompt(
    message: str, tool: str, token: str, *, nothing: str, unbound: tuple[str, ...], note: str
) -> str:
    """Compose the answer to the first of two calls."""
    apart = f" ({', '.join(unbound)} may differ)" if unbound else ""
    return (
        f"Confirmation needed. {nothing}\n\n{message}\n\n"
        f"To go on, call {tool} again with the same arguments{apart} and "
        f'confirm_token="{token}". The token works once, within '
        f"{LIFETIME_SECONDS // 60} minutes.\n\n{note}"
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
