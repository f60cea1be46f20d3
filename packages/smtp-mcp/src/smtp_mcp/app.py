"""The objects behind the tools: settings, limits, outbox, mail server."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import SecretStr

from mcp_serverkit.config.settings import Values
from mcp_serverkit.config.typed_settings import ServerSettings, secret
from smtp_mcp import __version__
from smtp_mcp import settings as checks
from smtp_mcp.api.authentication import Credentials, TokenSource
from smtp_mcp.api.client import MailServer
from smtp_mcp.api.connection import Connector, LoginGuard
from smtp_mcp.api.drafts_folder import DraftsFolder
from smtp_mcp.api.envelope import DEFAULT_TIMEOUTS, DeliveryTimeouts
from smtp_mcp.api.imap_account import ImapAccount, ImapLogin
from smtp_mcp.api.oauth import Client, RefreshedToken, TokenFile
from smtp_mcp.api.probe import ConnectionProbe
from smtp_mcp.api.sent_folder import SentFolder
from smtp_mcp.api.server_address import ServerAddress
from smtp_mcp.mailbox import Sender
from smtp_mcp.message.attachments import AttachmentDirectory
from smtp_mcp.message.draft_directory import DraftDirectory
from smtp_mcp.message.drafts import Drafter
from smtp_mcp.message.message import BY_ITSELF, SenderIdentity
from smtp_mcp.message.previews import Previews
from smtp_mcp.message.sent_messages import SentMessages
from smtp_mcp.policy.allowlist import RecipientAllowlist
from smtp_mcp.policy.audit import Audit
from smtp_mcp.policy.drafts import Drafts
from smtp_mcp.policy.limiter import HourlyLimit
from smtp_mcp.policy.outbox import Outbox
from smtp_mcp.providers import Preset
from smtp_mcp.settings import Endpoint


class SmtpSettings(ServerSettings):
    """Settings of this server."""

    host: str | None
    port: int | None
    tls: str | None
    provider: Preset | None
    ehlo_name: str | None
    client_cert: str | None
    client_key: str | None
    user: SecretStr | None
    password: SecretStr | None
    auth: str
    oauth_client_id: str | None
    oauth_client_secret: SecretStr | None
    oauth_refresh_token: SecretStr | None
    oauth_token_url: str | None
    oauth_scope: str | None
    oauth_token_file: str | None
    sender: Sender | None
    reply_to: Sender | None
    signature: str | None
    auto_submitted: str | None
    allow_send: bool
    allowed_recipients: tuple[str, ...]
    max_recipients: int
    max_sends_per_hour: int
    max_message_bytes: int
    max_attachment_bytes: int
    attachment_dir: str | None
    attachment_types: tuple[str, ...]
    allow_smtputf8: bool
    audit_log: str | None
    sent_imap_host: str | None
    sent_imap_port: int | None
    sent_imap_tls: str
    sent_imap_user: SecretStr | None
    sent_imap_password: SecretStr | None
    sent_imap_folder: str | None
    draft_dir: str | None

    @property
    def submitted(self) -> str:
        """What Auto-Submitted says of all mail of this server."""
        return self.auto_submitted or ("no" if self.elicitation else BY_ITSELF)


@dataclass(frozen=True, slots=True)
class Smtp:
    """What a tool of this server works with.

    Attributes:
        settings: The settings.
        endpoint: Where mail is handed in.
        gate: Whether sending is on, or what keeps it off.
        missing: Variables without which nothing can be sent.
        tools: Names of the tools that are offered.
        outbox: The way out.
        connection_probe: Tries the connection.
        sent_copy: Who keeps copies of sent mail, in words.
        mailbox: The account that copies and drafts are saved to, if there is one.
        drafts: Where drafts go.
    """

    settings: SmtpSettings
    endpoint: Endpoint
    gate: checks.Gate
    missing: tuple[str, ...]
    tools: tuple[str, ...]
    outbox: Outbox
    connection_probe: ConnectionProbe
    sent_copy: str
    mailbox: ImapAccount | None
    drafts: Drafts

    @property
    def sending(self) -> bool:
        """Whether the operator opened the first gate."""
        return self.gate == "on"

    @property
    def sender(self) -> str | None:
        """The fixed sender, as people read it."""
        return self.settings.sender.shown if self.settings.sender else None

    @property
    def ehlo_name(self) -> str:
        """How this client names itself to the server."""
        return self.settings.ehlo_name or "address literal"

    def blocked_by(self) -> list[str]:
        """Name what would keep a message from being sent."""
        blocked = [] if self.sending else [checks.GATES[self.gate]]
        if not self.outbox.allowlist.entries:
            blocked.append("SMTP_ALLOWED_RECIPIENTS is not set")
        return blocked + [f"{name} is not set" for name in self.missing]

    async def aclose(self) -> None:
        """Close what is open."""
        await self.outbox.server.aclose()
        if self.mailbox is not None:
            await self.mailbox.aclose()

    async def check(self) -> list[str]:
        """Connect, log in and leave; say what was found."""
        probe, _ = await self.connection_probe.probe()
        encrypted = probe.tls_version or "no encryption"
        offers = ", ".join(sorted(probe.capabilities)) or "nothing"
        folder = self.outbox.sent_folder
        return [
            f"reached {self.endpoint.shown} with {encrypted}",
            f"certificate good until {probe.certificate_expires or '(not checked)'}",
            f"login: {probe.mechanism}",
            f"the server offers: {offers}",
            f"sender: {self.sender}",
            f"recipients: {self.outbox.allowlist.shown}",
            checks.GATES[self.gate],
            *([] if folder is None else [await folder.check()]),
            *(await self.drafts.check() if "save_draft" in self.tools else []),
        ]


def build(
    values: Values,
    offered: Sequence[str],
    *,
    clock: Callable[[], float] = time.monotonic,
    timeouts: DeliveryTimeouts = DEFAULT_TIMEOUTS,
) -> Smtp:
    """Build the app from parsed settings.

    Args:
        values: The settings.
        offered: Names of the tools on offer.
        clock: Monotonic seconds.
        timeouts: How long a server may take with a message.
    """
    settings = SmtpSettings.from_values(values)
    endpoint = checks.endpoint(values)
    sender = settings.sender
    sent_messages = SentMessages(clock=clock)
    tokens = _tokens(settings, clock)
    credentials = Credentials(
        endpoint.auth, secret(settings.user), secret(settings.password), tokens
    )
    connector = Connector(_place(settings, endpoint), credentials, LoginGuard(clock))
    copies = checks.sent_copy(values)
    account = _account(settings, tokens) if settings.sent_imap_host else None
    server = MailServer(connector, timeouts)
    outbox = Outbox(
        allowlist=RecipientAllowlist(
            settings.allowed_recipients, settings.max_recipients, settings.allow_smtputf8
        ),
        drafter=_drafter(settings, sent_messages),
        sent_messages=sent_messages,
        limit=HourlyLimit(settings.max_sends_per_hour, clock),
        server=server,
        audit=Audit(str(sender.mailbox) if sender else None, settings.audit_log),
        sender=sender.mailbox if sender else None,
        previews=Previews(clock=clock),
        sent_copy=copies,
        sent_folder=(
            SentFolder(account, settings.sent_imap_folder) if account and copies == "on" else None
        ),
    )
    return Smtp(
        settings=settings,
        endpoint=endpoint,
        gate=checks.gate(values),
        missing=tuple(checks.missing_variables(values)),
        tools=tuple(offered),
        outbox=outbox,
        connection_probe=ConnectionProbe(server, clock),
        sent_copy=copies,
        mailbox=account,
        drafts=_drafts(settings, account, clock),
    )


def _drafts(
    settings: SmtpSettings, account: ImapAccount | None, clock: Callable[[], float]
) -> Drafts:
    return Drafts(
        DraftsFolder(account, clock) if account else None,
        DraftDirectory(settings.draft_dir) if settings.draft_dir else None,
    )


def _drafter(settings: SmtpSettings, sent_messages: SentMessages) -> Drafter:
    directory = AttachmentDirectory(
        settings.attachment_dir, settings.attachment_types, settings.max_attachment_bytes
    )
    identity = SenderIdentity(
        settings.sender,
        settings.reply_to,
        settings.signature,
        f"smtp-mcp/{__version__}",
        settings.submitted,
    )
    return Drafter(identity, directory, sent_messages, settings.max_message_bytes)


def _place(settings: SmtpSettings, endpoint: Endpoint) -> ServerAddress:
    return ServerAddress(
        host=endpoint.host or "unset.invalid",
        port=endpoint.port,
        tls=endpoint.tls,
        ehlo=settings.ehlo_name,
        timeout=settings.timeout,
        insecure_tls=settings.insecure_tls,
        ca_file=settings.ca_file,
        client_cert=settings.client_cert,
        client_key=settings.client_key,
    )


def _account(settings: SmtpSettings, tokens: TokenSource | None) -> ImapAccount:
    tls = settings.sent_imap_tls
    address = ServerAddress(
        host=settings.sent_imap_host or "unset.invalid",
        port=settings.sent_imap_port or (993 if tls == "implicit" else 143),
        tls=tls,
        ehlo=None,
        timeout=settings.timeout,
        insecure_tls=settings.insecure_tls,
        ca_file=settings.ca_file,
        client_cert=settings.client_cert,
        client_key=settings.client_key,
    )
    own = secret(settings.sent_imap_password)
    login = ImapLogin(
        user=secret(settings.sent_imap_user) or secret(settings.user) or "",
        password=own or secret(settings.password) or "",
        tokens=None if own else tokens,
    )
    return ImapAccount(address, login)


def _tokens(settings: SmtpSettings, clock: Callable[[], float]) -> TokenSource | None:
    if settings.oauth_token_file is not None:
        return TokenFile(settings.oauth_token_file)
    refresh = secret(settings.oauth_refresh_token)
    if refresh is None:
        return None
    client = Client(
        url=settings.oauth_token_url or "",
        client_id=settings.oauth_client_id or "",
        client_secret=secret(settings.oauth_client_secret),
        refresh_token=refresh,
        scope=settings.oauth_scope,
    )
    agent = f"smtp-mcp/{__version__}"
    return RefreshedToken.of(client, settings, clock=clock, agent=agent)
