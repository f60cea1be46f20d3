"""Why there is no connection that mail could be handed in by; nothing was sent, always."""

from __future__ import annotations

from smtp_mcp.api.reply import Reply
from smtp_mcp.api.smtp_errors import NOTHING, Code, NotDelivered

_PAIRING = "Port 465 goes with SMTP_TLS=implicit, 587 with starttls, 25 with none or starttls"


def unreachable(where: str, reason: str, *, hint: str = "") -> NotDelivered:
    """No usable connection came about."""
    return NotDelivered(
        "unreachable",
        f"The mail server at {where} could not be reached: {reason.rstrip('. ')}. {NOTHING}",
        hint=hint or f"Check SMTP_HOST, SMTP_PORT and SMTP_TLS. {_PAIRING}.",
    )


def gave_up(code: Code, what: str, seconds: float, *, hint: str = "") -> NotDelivered:
    """This client waited as long as it may, and the server said nothing.

    Args:
        code: `unreachable` before a login, `not_sent` afterwards.
        what: What did not come, such as "reply to EHLO".
        seconds: How long it was waited for.
        hint: What to do, if more is known than to wait longer.
    """
    return NotDelivered(
        code,
        f"No {what} within {seconds:g} s, so this client gave up (SMTP_TIMEOUT). {NOTHING}",
        hint=hint or "A larger SMTP_TIMEOUT waits longer; some servers delay strangers on purpose.",
    )


def silent(tls: str, port: int, seconds: float) -> NotDelivered:
    """The connection stood and no greeting came."""
    likely = (
        "A server for implicit TLS waits like this: set SMTP_TLS=implicit."
        if tls != "implicit" and port == 465
        else "It may expect TLS from the first byte (SMTP_TLS=implicit), or need a larger "
        "SMTP_TIMEOUT."
    )
    return gave_up("unreachable", "greeting", seconds, hint=likely)


def no_tls(where: str, tls: str) -> NotDelivered:
    """The TLS handshake failed for another reason than the certificate."""
    hint = (
        "It speaks plain text first: set SMTP_TLS=starttls, or the port of its TLS service."
        if tls == "implicit"
        else "No variable cures this: the server offered STARTTLS and then failed."
    )
    return unreachable(where, "no TLS connection came about (wrong mode for this port?)", hint=hint)


def greeting_refused(where: str, reply: Reply) -> NotDelivered:
    """The server answered the connection with an error."""
    return NotDelivered(
        "unreachable",
        f"The mail server at {where} turned this client away with {reply.code}. {NOTHING}",
        reply=reply,
        hint="Its words say why; no variable here cures a block of this address.",
    )


def client_refused(where: str, reply: Reply) -> NotDelivered:
    """The server answered EHLO with an error."""
    if reply.temporary:
        return greeting_refused(where, reply)
    return NotDelivered(
        "client_refused",
        f"The mail server at {where} refused this client's EHLO with {reply.code}. {NOTHING}",
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
        f"The certificate of the mail server at {where} is not accepted: {reason.rstrip('. ')}. "
        f"{NOTHING}",
        hint="A private authority belongs in SMTP_CA_FILE; the name must be that of SMTP_HOST.",
    )
