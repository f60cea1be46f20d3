"""What became of an attempt to hand in mail, in words that are true.

Only when the connection broke after the final dot was on its way is the outcome unknown;
everything before it was not sent, and an answer behind it is an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from mcp_serverkit.errors import Refused
from smtp_mcp.api.reply import WORDS_CHARS, Rejection, Reply

Code = Literal[
    "unreachable",
    "client_refused",
    "smtputf8_not_offered",
    "tls_required",
    "tls_certificate",
    "auth_failed",
    "sender_refused",
    "too_large",
    "recipients_refused",
    "temporary_failure",
    "message_refused",
    "outcome_unknown",
    "not_sent",
]


class NotDelivered(Refused):
    """The server did not take the message, or nobody knows.

    Attributes:
        rejections: Recipients that it refused, if that is why.
    """

    def __init__(
        self,
        code: Code,
        text: str,
        *,
        reply: Reply | None = None,
        body: str = "",
        hint: str = "",
        rejections: Sequence[Rejection] = (),
    ) -> None:
        given = reply or Reply(0, "")
        if code == "client_refused" or given.about_name:
            hint = f"{_NAME_HINT} {hint}".strip()
        super().__init__(
            text,
            status=given.code,
            error_code=given.enhanced or None,
            body=body or (f"{given.code} {given.shown}" if reply else ""),
            hint=hint,
        )
        self.code = code
        self.rejections = tuple(rejections)
        self.outcome = "unknown" if code == "outcome_unknown" else "not_done"


_NAME_HINT = (
    "The mail server may not like how this client names itself: set SMTP_EHLO_NAME to a host name "
    "that belongs to this machine."
)
NOTHING = "Nothing was sent."
DO_NOT_REPEAT = "Do not try again on your own; ask the user."

_SMALLER = "Send fewer or smaller attachments."


def auth_failed(reply: Reply, mechanism: str) -> NotDelivered:
    """The login was refused."""
    oauth = mechanism in {"xoauth2", "oauthbearer"}
    hint = (
        "The access token was refused: check scope, user and expiry."
        if oauth
        else "Many providers want an app password here; Outlook and Microsoft 365 switched "
        "passwords off and want SMTP_AUTH=xoauth2."
    )
    return NotDelivered(
        "auth_failed",
        f"The mail server refused the login ({mechanism}, one attempt) with {reply.code}. "
        f"{NOTHING}",
        reply=reply,
        hint=hint,
    )


def no_mechanism(wanted: str, offered: list[str]) -> NotDelivered:
    """Server and settings have no way to log in in common."""
    return NotDelivered(
        "auth_failed",
        f"The mail server does not offer a way to log in that fits SMTP_AUTH={wanted}. {NOTHING}",
        body=f"offered: {', '.join(offered)[:WORDS_CHARS] or 'none'}",
        hint="Servers often offer a login only after TLS; see SMTP_TLS and SMTP_AUTH.",
    )


def sender_refused(reply: Reply) -> NotDelivered:
    """MAIL FROM was refused; some replies there mean something else."""
    if reply.about_size:
        return _size_refused(reply)
    if reply.temporary:
        return temporary(reply, "the sender")
    wants = "a login or encryption first" if reply.code == 530 else "another sender"
    return NotDelivered(
        "sender_refused",
        f"The mail server refused the sender with {reply.code}; it wants {wants}. {NOTHING}",
        reply=reply,
        hint="SMTP_FROM must be an address that this account may use."
        if reply.code != 530
        else "See SMTP_AUTH and SMTP_TLS.",
    )


def _size_refused(reply: Reply) -> NotDelivered:
    return NotDelivered(
        "too_large",
        f"The mail server does not take a message of this size ({reply.code}). {NOTHING}",
        reply=reply,
        hint=_SMALLER,
    )


def too_large(size: int, limit: int) -> NotDelivered:
    """The server announced a limit that the message exceeds."""
    return NotDelivered(
        "too_large",
        f"The message has {size} bytes and the mail server takes at most {limit}. {NOTHING}",
        hint=_SMALLER,
    )


def no_smtputf8() -> NotDelivered:
    """An address needs SMTPUTF8, and the server does not offer it."""
    return NotDelivered(
        "smtputf8_not_offered",
        "A recipient has letters beyond ASCII before the @, and the mail server offers no "
        f"SMTPUTF8. {NOTHING}",
        hint="No variable cures this: leave that recipient out, or use another mail server.",
    )


def ambiguous_address() -> NotDelivered:
    """What would be written to the server is not the address that was approved."""
    return NotDelivered(
        "not_sent",
        f"An address would be read as another one by the mail server. {NOTHING}",
        hint="No variable cures this: leave that recipient out.",
    )


def recipients_refused(rejections: list[Rejection]) -> NotDelivered:
    """Nobody was accepted."""
    lines = [f"{r.address}: {r.reply.code} {r.reply.shown}" for r in rejections]
    later = any(rejection.reply.temporary for rejection in rejections)
    return NotDelivered(
        "recipients_refused",
        f"The mail server accepted none of {len(rejections)} recipients. {NOTHING}",
        reply=rejections[0].reply,
        body="\n".join(lines),
        rejections=rejections,
        hint=f"4xx replies are temporary. {DO_NOT_REPEAT}"
        if later
        else "Check the addresses in to, cc and bcc; no variable here cures it.",
    )


def temporary(reply: Reply, what: str) -> NotDelivered:
    """A 4xx reply: nothing was taken, and later it may be."""
    return NotDelivered(
        "temporary_failure",
        f"The mail server put {what} off with {reply.code}; it accepted nothing. {NOTHING}",
        reply=reply,
        hint=f"The same may work later. {DO_NOT_REPEAT}",
    )


def message_refused(reply: Reply) -> NotDelivered:
    """DATA or the content was refused for good."""
    if reply.about_size:
        return _size_refused(reply)
    if reply.temporary:
        return temporary(reply, "the message")
    return NotDelivered(
        "message_refused",
        f"The mail server refused the message with {reply.code}. {NOTHING}",
        reply=reply,
        hint="Its words say why; change the message, no variable here cures it.",
    )


def not_sent(reason: str, reply: Reply | None = None) -> NotDelivered:
    """The attempt broke off while it was certain that nothing could have been taken."""
    return NotDelivered(
        "not_sent",
        f"The connection broke off {reason.rstrip('. ')}. {NOTHING}",
        reply=reply,
        hint="No variable cures this; the same may work later.",
    )


def stalled(seconds: float) -> NotDelivered:
    """The server stopped reading in the middle of the message."""
    return NotDelivered(
        "not_sent",
        f"The mail server took nothing of the message for {seconds:g} s, so this client gave up "
        f"while the message was being uploaded. {NOTHING}",
        hint="No variable cures this; the server is overloaded, or something between drops data.",
    )


def unknown(reason: str) -> NotDelivered:
    """The message had left when the connection failed."""
    return NotDelivered(
        "outcome_unknown",
        f"The message had left completely when {reason.rstrip('. ')}. It may have been delivered.",
        hint=f"{DO_NOT_REPEAT} A repeat carries the same Message-ID.",
    )
