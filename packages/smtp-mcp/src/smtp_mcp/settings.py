"""Checks that concern several variables, and what is said about them at start."""

from __future__ import annotations

import os
import re
from typing import Literal, NamedTuple, TypeAlias, cast

from mcp_serverkit.config import parsers
from mcp_serverkit.config.settings import Reading, Values
from smtp_mcp.mailbox import Sender
from smtp_mcp.providers import Preset

DEFAULT_PORTS = {"starttls": 587, "implicit": 465, "none": 25}

Gate: TypeAlias = Literal["on", "off", "read_only"]

GATES: dict[Gate, str] = {
    "on": "sending is on by SMTP_ALLOW_SEND",
    "off": "SMTP_ALLOW_SEND is not true, so this server composes and previews only; set it and "
    "SMTP_ALLOWED_RECIPIENTS to send",
    "read_only": "SMTP_READ_ONLY leaves out the three tools that send",
}
"""Whether sending is on, and what decides it."""

_OAUTH = ("oauth_client_id", "oauth_refresh_token", "oauth_token_url")
_SHOWN_ADDRESS = r"[A-Za-z0-9._@+-]{1,254}"


class Endpoint(NamedTuple):
    """Where mail is handed in, presets and defaults applied."""

    host: str | None
    port: int
    tls: str
    auth: str

    @property
    def shown(self) -> str:
        """Host, port and mode in words."""
        host = f"[{self.host}]" if ":" in (self.host or "") else self.host
        return f"{host}:{self.port} ({self.tls})"


def endpoint(values: Values) -> Endpoint:
    """Work out where mail is handed in."""
    preset = cast("Preset | None", values["provider"])
    host = cast("str | None", values["host"]) or (preset and preset.host)
    by_port = "implicit" if values["port"] == DEFAULT_PORTS["implicit"] else None
    otherwise = preset.tls if preset else "starttls"
    tls = cast("str | None", values["tls"]) or by_port or otherwise
    same_mode = preset is not None and preset.tls == tls
    port = cast("int | None", values["port"]) or (
        preset.port if preset is not None and same_mode else DEFAULT_PORTS[tls]
    )
    auth = cast("str", values["auth"])
    if auth == "auto" and preset is not None and not values["user"]:
        auth = preset.auth
    return Endpoint(host, port, tls, auth)


KEEPS_COPIES = frozenset({"smtp.gmail.com", "smtp.office365.com"})
"""Providers that file sent mail themselves; a copy would be a second one."""


def sent_copy(values: Values) -> Literal["off", "on", "by the provider"]:
    """Say who keeps copies of sent mail."""
    if values["sent_imap_host"] is None:
        return "off"
    return "by the provider" if endpoint(values).host in KEEPS_COPIES else "on"


def uses_oauth(values: Values) -> bool:
    """Tell whether an access token is configured rather than a password."""
    return bool(values["oauth_token_file"] or values["oauth_refresh_token"])


def gate(values: Values) -> Gate:
    """Tell whether sending is on, or what keeps it off."""
    if not values["allow_send"]:
        return "off"
    return "read_only" if values["read_only"] else "on"


def suppressed(values: Values) -> str:
    """Name the setting of this server's own that leaves the sending tools out."""
    return "" if values["allow_send"] else "SMTP_ALLOW_SEND is not true"


def cross_check(values: Values, reading: Reading) -> None:
    """Check what concerns more than one variable."""
    if values["allow_send"] and not values["allowed_recipients"]:
        reading.problem(
            "SMTP_ALLOWED_RECIPIENTS",
            "is needed with SMTP_ALLOW_SEND=true: list addresses or @domains; to "
            "allow everyone, write *",
        )
    if values["client_key"] and not values["client_cert"]:
        reading.problem("SMTP_CLIENT_CERT", "is needed together with SMTP_CLIENT_KEY")
    _check_oauth(values, reading)
    _check_sent_copy(values, reading)
    _check_drafts(values, reading)
    target = endpoint(values)
    if values["tls"] == "starttls" and target.port == DEFAULT_PORTS["implicit"]:
        reading.warn(
            "SMTP_TLS",
            "is starttls, and port 465 speaks TLS from the first byte nearly "
            "everywhere: leave SMTP_TLS unset for that",
        )
    local = target.host is not None and parsers.is_loopback(target.host)
    if target.auth == "none" and target.tls == "none" and target.host is not None and not local:
        reading.problem("SMTP_AUTH", "none needs encryption or a server on this machine")
    elif target.tls == "none" and target.host is not None and not local:
        reading.warn("SMTP_TLS", "is none, so password and mail travel unencrypted")


def _check_sent_copy(values: Values, reading: Reading) -> None:
    host = cast("str | None", values["sent_imap_host"])
    if host is None:
        return
    if values["sent_imap_tls"] == "none" and not parsers.is_loopback(host):
        reading.problem("SMTP_SENT_IMAP_TLS", "none is for an IMAP server on this machine only")
    if not values["sent_imap_user"] and not values["user"]:
        reading.problem("SMTP_SENT_IMAP_USER", "is needed where SMTP_USER is not set")
    elif not (values["sent_imap_password"] or values["password"] or uses_oauth(values)):
        reading.problem("SMTP_SENT_IMAP_PASSWORD", "is needed where SMTP_PASSWORD is not set")


def _check_drafts(values: Values, reading: Reading) -> None:
    folder = cast("str | None", values["draft_dir"])
    if folder is None:
        return
    other = cast("str | None", values["attachment_dir"])
    if other is not None and _overlap(folder, other):
        reading.problem(
            "SMTP_DRAFT_DIR", "must not be SMTP_ATTACHMENT_DIR, nor lie inside or around it"
        )
    if not values["extras"]:
        reading.warn("SMTP_DRAFT_DIR", "has no use without SMTP_EXTRAS=true")
    elif values["sent_imap_host"] is not None:
        reading.warn("SMTP_DRAFT_DIR", "has no use beside SMTP_SENT_IMAP_HOST: drafts go there")


def _overlap(one: str, other: str) -> bool:
    """Tell whether one of two real paths lies in the other, or is it."""
    inner, outer = (os.path.join(path, "") for path in (one, other))
    return inner.startswith(outer) or outer.startswith(inner)


def _check_oauth(values: Values, reading: Reading) -> None:
    given = [name for name in _OAUTH if values[name]]
    if given and values["oauth_token_file"]:
        reading.problem(
            "SMTP_OAUTH_TOKEN_FILE", "is set, so the refresh token and its service are not used"
        )
    elif given and len(given) < len(_OAUTH):
        absent = [f"SMTP_{name.upper()}" for name in _OAUTH if not values[name]]
        reading.problem(absent[0], "is needed too: client id, refresh token and URL go together")
    if values["auth"] in {"xoauth2", "oauthbearer"} and not uses_oauth(values):
        reading.problem("SMTP_AUTH", "needs SMTP_OAUTH_TOKEN_FILE or SMTP_OAUTH_REFRESH_TOKEN")
    if values["auth"] in {"plain", "login", "cram-md5"} and uses_oauth(values):
        reading.problem("SMTP_AUTH", "takes a password, and an OAuth token is configured")


def missing_variables(values: Values) -> list[str]:
    """List the variables without which nothing can be sent."""
    target = endpoint(values)
    absent = [] if target.host else ["SMTP_HOST"]
    if target.auth != "none":
        absent += [] if values["user"] else ["SMTP_USER"]
        absent += [] if values["password"] or uses_oauth(values) else ["SMTP_PASSWORD"]
    return absent + ([] if values["sender"] else ["SMTP_FROM"])


def missing(values: Values) -> str:
    """Say what a call lacks."""
    absent = missing_variables(values)
    if not absent:
        return ""
    verb = "is" if len(absent) == 1 else "are"
    return f"{', '.join(absent)} {verb} not set, so no mail can be handed in; previews work"


def start_lines(values: Values) -> list[str]:
    """Compose the lines for stderr at start."""
    if (state := gate(values)) != "on":
        said = [GATES[state]]
    else:
        allowed = cast("tuple[str, ...]", values["allowed_recipients"])
        said = [
            "send_mail, reply_mail and forward_mail are offered; each mail needs confirmation; "
            f"SMTP_ALLOWED_RECIPIENTS={','.join(allowed)}"
        ]
    if values["insecure_tls"]:
        said.append("SMTP_INSECURE_TLS=true — certificates are not checked")
    if not missing(values):
        said.append(f"mail is handed in at {endpoint(values).shown}")
    return said


def instance(values: Values) -> str:
    """Name the sender for the tick box of a dialog."""
    sender = cast("Sender | None", values["sender"])
    if sender is None:
        return ""
    address = str(sender.mailbox)
    return address if re.fullmatch(_SHOWN_ADDRESS, address) else f"@{sender.mailbox.domain}"
