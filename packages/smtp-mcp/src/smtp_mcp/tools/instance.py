"""Tools that look at settings, recipients and the connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.tools.registry import Call
from smtp_mcp import __version__
from smtp_mcp.argument_types import entries
from smtp_mcp.file_types import extensions_of
from smtp_mcp.mailbox import parse
from smtp_mcp.policy.allowlist import VARIABLE
from smtp_mcp.registry import TOOLS
from smtp_mcp.settings import GATES

if TYPE_CHECKING:
    from smtp_mcp.app import Smtp
    from smtp_mcp.policy.allowlist import RecipientAllowlist

# RFC 5321, 4.5.3.1.4: longer words are no capability of a real server.
CAPABILITY_CHARS = 200


class ServerInfo(TypedDict):
    """How this server is set up, in short."""

    can_send: bool
    sending_gate: str
    confirmation: str


ServerInfoInFull = TypedDict(
    "ServerInfoInFull",
    {
        "can_send": bool,
        "sending_enabled": bool,
        "sending_gate": str,
        "configured": bool,
        "missing_environment_variables": list[str],
        "smtp": dict[str, object],
        "from": str | None,
        "from_is_fixed": bool,
        "allowed_recipients": str,
        "limits": dict[str, int],
        "attachments": dict[str, object],
        "signature_configured": bool,
        "audit_log_configured": bool,
        "tools_registered": list[str],
        "elicitation_enabled": bool,
        "confirmation": str,
        "confirmation_available": bool,
        "ehlo_name": str,
        "auth_mode": str,
        "sent_copy": str,
        "auto_submitted": str,
        "extras": bool,
        "drafts_enabled": bool,
        "version": str,
    },
)
"""How this server is set up; no secret, no user name."""


class Recipient(TypedDict):
    """Whether one address may be written to."""

    address: str
    allowed: bool
    reason: NotRequired[str]
    normalized: NotRequired[str]


class Recipients(TypedDict):
    """Whether addresses may be written to, in short."""

    allowed_count: int
    refused_count: int
    results: list[Recipient]


class RecipientsInFull(Recipients):
    """Whether addresses may be written to, and by which rule."""

    allowlist: str
    allowlist_variable: str
    max_recipients_per_message: int
    note: NotRequired[str]


class Connection(TypedDict):
    """What a login without a mail showed, in short."""

    reachable: bool
    authenticated: bool
    cached: bool


class ConnectionInFull(Connection):
    """What a login without a mail showed."""

    host: str
    port: int
    tls: str
    auth_mode: str
    tls_version: NotRequired[str]
    cipher: NotRequired[str]
    certificate_expires: NotRequired[str]
    server_greeting: str
    capabilities: dict[str, str]
    note: str


@TOOLS.read("Get server information", offline=True)
async def get_server_info(call: Call[Smtp]) -> ServerInfo:
    """Tell whether mail can be sent, from whom, to whom, within which limits. No network."""
    app = call.app
    settings, endpoint, outbox = app.settings, app.endpoint, app.outbox
    result: ServerInfoInFull = {
        "can_send": app.sending and not app.missing,
        "sending_enabled": app.sending,
        "sending_gate": GATES[app.gate],
        "configured": not app.missing,
        "missing_environment_variables": list(app.missing),
        "smtp": {
            "host": endpoint.host,
            "port": endpoint.port,
            "tls": endpoint.tls,
            "insecure_tls": settings.insecure_tls,
        },
        "from": app.sender,
        "from_is_fixed": True,
        "allowed_recipients": outbox.allowlist.shown,
        "limits": {
            "max_recipients_per_message": settings.max_recipients,
            "max_sends_per_hour": settings.max_sends_per_hour,
            "sends_remaining_this_hour": outbox.limit.remaining,
            "max_message_bytes": settings.max_message_bytes,
            "max_attachment_bytes": settings.max_attachment_bytes,
        },
        "attachments": {
            "enabled": settings.attachment_dir is not None,
            "gate": "SMTP_ATTACHMENT_DIR",
            "allowed_extensions": extensions_of(settings.attachment_types),
        },
        "signature_configured": settings.signature is not None,
        "audit_log_configured": settings.audit_log is not None,
        "tools_registered": list(app.tools),
        "elicitation_enabled": settings.elicitation,
        "confirmation": _confirmation(enabled=settings.elicitation, how=call.approval.how),
        "confirmation_available": bool(call.approval.how),
        "ehlo_name": app.ehlo_name,
        "auth_mode": endpoint.auth,
        "sent_copy": app.sent_copy,
        "auto_submitted": settings.submitted,
        "extras": settings.extras,
        "drafts_enabled": app.drafts.enabled and "save_draft" in app.tools,
        "version": __version__,
    }
    return result


@TOOLS.read("Check recipients", offline=True)
async def validate_recipients(
    call: Call[Smtp], addresses: Annotated[list[str], "Addresses to check", entries(1, 100)]
) -> Recipients:
    """Tell which addresses the operator's list allows. No network."""
    allowlist = call.app.outbox.allowlist
    results = [_recipient(allowlist, address) for address in addresses]
    allowed = sum(entry["allowed"] for entry in results)
    result: RecipientsInFull = {
        "allowlist": allowlist.shown,
        "allowlist_variable": VARIABLE,
        "max_recipients_per_message": allowlist.max_recipients,
        "allowed_count": allowed,
        "refused_count": len(results) - allowed,
        "results": results,
    }
    if allowed < len(results):
        result["note"] = "Only the operator can widen the list."
    return result


@TOOLS.read("Test the connection", foreign=True)
async def test_connection(call: Call[Smtp]) -> Connection:
    """Connect and log in without sending; at most once in 10 seconds, else the last outcome."""
    app = call.app
    probe, cached = await app.connection_probe.probe()
    result: ConnectionInFull = {
        "reachable": True,
        "host": app.endpoint.host or "",
        "port": app.endpoint.port,
        "tls": app.endpoint.tls,
        "authenticated": probe.mechanism != "none",
        "auth_mode": probe.mechanism,
        "cached": cached,
        "server_greeting": probe.greeting[:CAPABILITY_CHARS],
        "capabilities": {
            name[:CAPABILITY_CHARS]: words[:CAPABILITY_CHARS]
            for name, words in list(probe.capabilities.items())[:50]
        },
        "note": "Connected, logged in and left. Nothing was sent.",
    }
    if probe.tls_version is not None:
        result["tls_version"] = probe.tls_version
    if probe.cipher is not None:
        result["cipher"] = probe.cipher
    if probe.certificate_expires is not None:
        result["certificate_expires"] = probe.certificate_expires
    return result


def _confirmation(*, enabled: bool, how: str) -> str:
    if how:
        return f"a person is asked {how} before each mail"
    if enabled:
        return "this client shows no dialog: a second call with a token sends, nobody is asked"
    return "ELICITATION=false: a second call with a token sends, nobody is asked"


def _recipient(allowlist: RecipientAllowlist, address: str) -> Recipient:
    try:
        mailbox = parse(address)
    except ValueError:
        return {"address": address[:320], "allowed": False, "reason": "malformed"}
    entry: Recipient = {"address": address, "allowed": True, "normalized": mailbox.folded}
    if reasons := allowlist.reasons(mailbox):
        entry["allowed"] = False
        entry["reason"] = reasons[0]
    return entry
