"""What became of an attempt to hand in mail, in words that are true.

Only when the connection broke after the final dot was on its way is the outcome unknown;
everything before it was not sent, and an answer behind it is an answer.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from mcp_serverkit.errors import Refused
from mcp_serverkit.text.sanitize import clean_text

WORDS_CHARS = 500

Code = Literal[
    "unreachable",
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


class Reply(NamedTuple):
    """A server's reply."""

    code: int
    words: str

    @property
    def ok(self) -> bool:
        """Whether it is a positive completion."""
        return 200 <= self.code < 300

    @property
    def temporary(self) -> bool:
        """Whether it says that the same may work later."""
        return 400 <= self.code < 500

    @property
    def enhanced(self) -> str:
        """The enhanced status code (RFC 3463), if it begins with one."""
        found = re.match(r"[245]\.[0-9]{1,3}\.[0-9]{1,3}(?= |$)", self.words)
        return found[0] if found else ""

    @property
    def shown(self) -> str:
        """The words, cleaned and cut; a page of HTML is not repeated."""
        if re.search(r"<(?:html|body|!doctype)", self.words, re.IGNORECASE):
            return "(an HTML page)"
        return clean_text(self.words)[:WORDS_CHARS]


class Rejection(NamedTuple):
    """A recipient that the server did not take."""

    address: str
    reply: Reply


class NotDelivered(Refused):
    """The server did not take the message, or nobody knows."""

    def __init__(
        self,
        code: Code,
        text: str,
        *,
        reply: Reply | None = None,
        body: str = "",
        hint: str = "",
    ) -> None:
        given = reply or Reply(0, "")
        super().__init__(
            text,
            status=given.code,
            error_code=given.enhanced or None,
            body=body or (f"{given.code} {given.shown}" if reply else ""),
            hint=hint,
        )
        self.code = code
        self.outcome = "unknown" if code == "outcome_unknown" else "not_done"


NOTHING = "Nothing was sent."
DO_NOT_REPEAT = "Do not try again on your own; ask the user."

_PAIRING = "Port 465 goes with SMTP_TLS=implicit, 587 with starttls, 25 with none or starttls"


def unreachable(where: str, reason: str, *, hint: str = "") -> NotDelivered:
    """No usable connection came about."""
    return NotDelivered(
        "unreachable",
        f"The mail server at {where} could not be reached: {reason}. {NOTHING}",
        hint=hint or f"Check SMTP_HOST, SMTP_PORT and SMTP_TLS. {_PAIRING}.",
    )


def silent(where: str, tls: str, port: int) -> NotDelivered:
    """The connection stood and no greeting came."""
    likely = (
        "A server for implicit TLS waits like this: set SMTP_TLS=implicit."
        if tls != "implicit" and port == 465
        else "It may expect TLS from the first byte (SMTP_TLS=implicit), or be overloaded."
    )
    return unreachable(where, "it accepted the connection and said nothing", hint=likely)


def no_tls(where: str, tls: str) -> NotDelivered:
    """The TLS handshake failed for another reason than the certificate."""
    hint = (
        "It speaks plain text first: set SMTP_TLS=starttls, or the port of its TLS service."
        if tls == "implicit"
        else "The server offered STARTTLS and then failed; its operator must look."
    )
    return unreachable(where, "no TLS connection came about (wrong mode for this port?)", hint=hint)


def greeting_refused(where: str, reply: Reply) -> NotDelivered:
    """The server answered the connection, or EHLO, with an error."""
    return NotDelivered(
        "unreachable",
        f"The mail server at {where} turned this client away with {reply.code}. {NOTHING}",
        reply=reply,
    )


def tls_required(where: str, reply: Reply | None = None) -> NotDelivered:
    """STARTTLS is not to be had."""
    said = "does not offer STARTTLS" if reply is None else "refused STARTTLS"
    return NotDelivered(
        "tls_required",
        f"The mail server at {where} {said}, and SMTP_TLS=starttls demands it. No credentials "
        f"and no mail were sent. {NOTHING}",
        reply=reply,
        hint=f"{_PAIRING}.",
    )


def untrusted_certificate(where: str, reason: str) -> NotDelivered:
    """The certificate does not prove that this is the server."""
    return NotDelivered(
        "tls_certificate",
        f"The certificate of the mail server at {where} is not accepted: {reason}. {NOTHING}",
        hint="A private authority belongs into SMTP_CA_FILE; the name must be that of SMTP_HOST.",
    )


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
    if reply.code == 552 or reply.enhanced in {"5.3.4", "5.2.3"}:
        return NotDelivered(
            "too_large",
            f"The mail server does not take a message of this size ({reply.code}). {NOTHING}",
            reply=reply,
        )
    if reply.temporary:
        return temporary(reply, "the sender")
    wants = "a login or encryption first" if reply.code == 530 else "another sender"
    return NotDelivered(
        "sender_refused",
        f"The mail server refused the sender with {reply.code}; it wants {wants}. {NOTHING}",
        reply=reply,
        hint="SMTP_FROM must be an address that this account may use.",
    )


def too_large(size: int, limit: int) -> NotDelivered:
    """The server announced a limit that the message exceeds."""
    return NotDelivered(
        "too_large",
        f"The message has {size} bytes and the mail server takes at most {limit}. {NOTHING}",
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
        hint=f"4xx replies are temporary. {DO_NOT_REPEAT}" if later else "",
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
    if reply.temporary:
        return temporary(reply, "the message")
    return NotDelivered(
        "message_refused",
        f"The mail server refused the message with {reply.code}. {NOTHING}",
        reply=reply,
    )


def not_sent(reason: str, reply: Reply | None = None) -> NotDelivered:
    """The attempt broke off while it was certain that nothing could have been taken."""
    return NotDelivered("not_sent", f"The connection broke off {reason}. {NOTHING}", reply=reply)


def unknown(reason: str) -> NotDelivered:
    """The message had left when the connection failed."""
    return NotDelivered(
        "outcome_unknown",
        f"The message had left completely when {reason}: whether the mail server took it is "
        "unknown. It may have been delivered.",
        hint=f"{DO_NOT_REPEAT} A repeat carries the same Message-ID.",
    )
