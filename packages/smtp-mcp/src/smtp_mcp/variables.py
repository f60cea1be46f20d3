"""The table of variables."""

from __future__ import annotations

from mcp_serverkit.config import parsers
from mcp_serverkit.config.settings import Variable, common_variables, extras_variable
from smtp_mcp import providers, setting_parsers
from smtp_mcp.file_types import DEFAULT_TYPES
from smtp_mcp.login_variables import LOGIN_VARIABLES
from smtp_mcp.mailbox import parse_allowlist, parse_sender
from smtp_mcp.order import EXTRAS
from smtp_mcp.sent_variables import SENT_VARIABLES

# A larger number can only be a typing error.
LARGEST = 999_999_999

_SERVER: tuple[Variable, ...] = (
    Variable(
        "SMTP_HOST",
        "host",
        "host name or address",
        "none",
        "Where mail is handed in; no scheme, no port. This or `SMTP_PROVIDER`.",
        setting_parsers.host,
        title="Mail server",
        one_line=True,
        listed=True,
    ),
    Variable(
        "SMTP_PORT",
        "port",
        "1-65535",
        "587, 465 or 25, by SMTP_TLS",
        "Port of that service.",
        parsers.integer(1, 65_535),
        title="Port of the mail server",
    ),
    Variable(
        "SMTP_TLS",
        "tls",
        "starttls, implicit, none",
        "implicit with port 465, else starttls",
        "How the connection is encrypted; never opportunistic. With `starttls`, a server that "
        "does not offer it gets neither login nor mail.",
        setting_parsers.exact("starttls", "implicit", "none"),
        title="Encryption",
    ),
    Variable(
        "SMTP_PROVIDER",
        "provider",
        providers.NAMES,
        "none",
        "Host, port and TLS mode of a known provider; variables that are set win. This or "
        "`SMTP_HOST`.",
        providers.preset,
        title="Mail provider",
        example="fastmail",
        listed=True,
    ),
    Variable(
        "SMTP_EHLO_NAME",
        "ehlo_name",
        "host name or address literal",
        "address of the own socket",
        "How this client names itself to the server.",
        setting_parsers.domain,
        title="Own name before the mail server",
    ),
    Variable(
        "SMTP_CLIENT_CERT",
        "client_cert",
        "path",
        "none",
        "PEM file with a client certificate.",
        parsers.readable_file,
        title="Client certificate",
    ),
    Variable(
        "SMTP_CLIENT_KEY",
        "client_key",
        "path",
        "in SMTP_CLIENT_CERT",
        "PEM file with the key of the client certificate.",
        setting_parsers.readable,
        title="Key of the client certificate",
    ),
)

_SENDER: tuple[Variable, ...] = (
    Variable(
        "SMTP_FROM",
        "sender",
        "address, or Name <address>",
        "none",
        "The one sender; no tool can choose another.",
        parse_sender,
        title="Sender",
        one_line=True,
        example="Ada Ember <ada@example.org>",
        required=True,
        listed=True,
    ),
    Variable(
        "SMTP_REPLY_TO",
        "reply_to",
        "address, or Name <address>",
        "none",
        "Where answers go, if not to the sender.",
        parse_sender,
        title="Address for answers",
        one_line=True,
    ),
    Variable(
        "SMTP_SIGNATURE",
        "signature",
        "text, at most 2000 characters",
        "none",
        "Put below each message.",
        setting_parsers.signature,
        title="Signature",
    ),
    Variable(
        "SMTP_AUTO_SUBMITTED",
        "auto_submitted",
        "auto-generated, auto-replied, no",
        "none, unless ELICITATION=false",
        "What the field Auto-Submitted says, so that nobody's holiday notice answers; `no` leaves "
        "it out. With ELICITATION=false it is set by itself, since nobody was asked.",
        setting_parsers.exact("auto-generated", "auto-replied", "no"),
        title="Mark mail as automatic",
    ),
)

_LIMITS: tuple[Variable, ...] = (
    Variable(
        "SMTP_ALLOW_SEND",
        "allow_send",
        "`true`",
        "off",
        "Offer the three tools that send. On for exactly `true`.",
        parsers.permitting_switch,
        False,
        title="Offer sending",
        example="true",
        listed=True,
    ),
    Variable(
        "SMTP_ALLOWED_RECIPIENTS",
        "allowed_recipients",
        "comma list",
        "nobody",
        "Who may be written to: addresses, `@domain` (not its subdomains), or `*` alone.",
        parse_allowlist,
        (),
        title="Who may be written to",
        fence=True,
        example="@example.org",
        listed=True,
    ),
    Variable(
        "SMTP_MAX_RECIPIENTS",
        "max_recipients",
        "number",
        "10",
        "Distinct recipients of one message.",
        parsers.integer(1, 1_000),
        10,
        title="Most recipients of a message",
    ),
    Variable(
        "SMTP_MAX_SENDS_PER_HOUR",
        "max_sends_per_hour",
        "number",
        "20",
        "Questions raised, and sends without one, in any hour.",
        parsers.integer(1, 100_000),
        20,
        title="Most sends in an hour",
    ),
    Variable(
        "SMTP_MAX_MESSAGE_BYTES",
        "max_message_bytes",
        "bytes",
        "10485760",
        "Size of one composed message.",
        parsers.integer(1, LARGEST),
        10485760,
        title="Size limit of a message, in bytes",
    ),
    Variable(
        "SMTP_MAX_ATTACHMENT_BYTES",
        "max_attachment_bytes",
        "bytes",
        "5242880",
        "Size of one file before encoding.",
        parsers.integer(1, LARGEST),
        5242880,
        title="Size limit of a file, in bytes",
    ),
    Variable(
        "SMTP_ATTACHMENT_DIR",
        "attachment_dir",
        "directory",
        "none: no attachments",
        "The one directory that files are taken from.",
        setting_parsers.directory,
        title="Folder for attachments",
        one_line=True,
    ),
    Variable(
        "SMTP_ATTACHMENT_TYPES",
        "attachment_types",
        "comma list",
        "all known but HTML, ZIP and EML",
        "Content types that may be attached.",
        setting_parsers.content_types,
        DEFAULT_TYPES,
        title="Types that may be attached",
        fence=True,
    ),
    Variable(
        "SMTP_ALLOW_SMTPUTF8",
        "allow_smtputf8",
        "`true`",
        "off",
        "Permit recipients with non-ASCII letters before the @, where SMTPUTF8 is offered.",
        parsers.permitting_switch,
        False,
        title="Recipients with non-ASCII letters",
    ),
    Variable(
        "SMTP_AUDIT_LOG",
        "audit_log",
        "path",
        "none",
        "File that gets the audit lines too.",
        setting_parsers.one_line,
        title="File for audit lines",
        one_line=True,
    ),
)

_TIMEOUT = Variable(
    "SMTP_TIMEOUT",
    "timeout",
    "seconds, 1-600",
    "60",
    "Wait for the greeting and for each reply; connecting takes at most 15 of them.",
    parsers.integer(1, 600),
    60,
    title="Time limit of a reply, in seconds",
)

VARIABLES: tuple[Variable, ...] = (
    *_SERVER,
    *LOGIN_VARIABLES,
    *_SENDER,
    *_LIMITS,
    *SENT_VARIABLES,
    extras_variable("SMTP", EXTRAS),
    *(
        _TIMEOUT if variable.name == _TIMEOUT.name else variable
        for variable in common_variables("SMTP")
    ),
)
