"""The variables of the copy in the Sent folder, and of drafts."""

from __future__ import annotations

from mcp_serverkit.config import parsers
from mcp_serverkit.config.settings import Variable
from smtp_mcp import setting_parsers

SENT_VARIABLES: tuple[Variable, ...] = (
    Variable(
        "SMTP_SENT_IMAP_HOST",
        "sent_imap_host",
        "host name or address",
        "none: no copies",
        "IMAP server whose Sent folder gets a copy of each sent mail.",
        setting_parsers.host,
        title="Sent copies: IMAP server",
        one_line=True,
    ),
    Variable(
        "SMTP_SENT_IMAP_PORT",
        "sent_imap_port",
        "1-65535",
        "993, or 143 with starttls or none",
        "Its port.",
        parsers.integer(1, 65_535),
        title="Sent copies: port",
    ),
    Variable(
        "SMTP_SENT_IMAP_TLS",
        "sent_imap_tls",
        "implicit, starttls, none",
        "implicit",
        "How that connection is encrypted; `none` for a server on this machine only.",
        setting_parsers.exact("implicit", "starttls", "none"),
        "implicit",
        title="Sent copies: encryption",
    ),
    Variable(
        "SMTP_SENT_IMAP_USER",
        "sent_imap_user",
        "secret",
        "SMTP_USER",
        "Login name there.",
        parsers.password,
        title="Sent copies: login name",
        secret="password",  # noqa: S106 (a kind)
    ),
    Variable(
        "SMTP_SENT_IMAP_PASSWORD",
        "sent_imap_password",
        "secret",
        "SMTP_PASSWORD",
        "Password there.",
        parsers.password,
        title="Sent copies: password",
        secret="password",  # noqa: S106 (a kind)
    ),
    Variable(
        "SMTP_SENT_IMAP_FOLDER",
        "sent_imap_folder",
        "folder name",
        r"the one marked \Sent, else Sent",
        "Folder for the copies; it is never made.",
        setting_parsers.one_line,
        title="Sent copies: folder",
    ),
    Variable(
        "SMTP_DRAFT_DIR",
        "draft_dir",
        "directory",
        "none",
        "Where `save_draft` writes files if there is no `SMTP_SENT_IMAP_HOST`, whose Drafts folder "
        "it uses otherwise. Not `SMTP_ATTACHMENT_DIR`, nor inside or around it.",
        setting_parsers.writable_directory,
        one_line=True,
        title="Folder of drafts",
    ),
)
