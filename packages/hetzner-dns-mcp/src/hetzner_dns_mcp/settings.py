"""The table of variables, and the checks that concern several of them."""

from __future__ import annotations

import os
import re
from typing import cast
from urllib.parse import urlsplit

from hetzner_dns_mcp import names
from hetzner_dns_mcp.addresses import resolver_list
from hetzner_dns_mcp.order import EXTRAS
from hetzner_dns_mcp.records.types import TYPES
from mcp_approval.limits import Limits
from mcp_serverkit.config import parsers
from mcp_serverkit.config.settings import (
    Reading,
    Values,
    Variable,
    common_variables,
    extras_variable,
)

API_URL = "https://api.hetzner.cloud/v1"
# An import of a large zone takes the API longer than the 15 s of other servers.
REQUEST_SECONDS = 30

_OLD_TOKEN_CHARS = 32
"""Length of a token of the old DNS console, which was switched off in May 2026."""

LIMITS = Limits(lines=120, value_chars=1_000, total_chars=32_000)
"""What a dialog holds: fifty records with comments must be seen whole, and a long DKIM key."""

ZONE_CONTENT = "create_zone_content"
"""Entry of HETZNER_ASK_ALSO that makes `create_zone` ask about what it brings along."""

# A list that a person can still read over; more is rather a project of its own.
_LISTED_ZONES = 256
# As many as a person can still read over.
_TRIGGERS = 64


def token(value: str, warnings: list[str]) -> str:
    """Check the API token: visible ASCII, without a blank inside."""
    if not 8 <= len(value) <= 512:
        raise ValueError(f"must have 8 to 512 characters, not {len(value)}")
    for position, character in enumerate(value, 1):
        if not "!" <= character <= "~":
            raise ValueError(
                f"character {position} of {len(value)} is not visible ASCII; check for a line "
                "break or a blank from copying"
            )
    if len(value) == _OLD_TOKEN_CHARS:
        warnings.append(
            "has 32 characters like the tokens of the old DNS console, which work no more; a "
            "Cloud API token has 64"
        )
    return value


def base_url(value: str, warnings: list[str]) -> str:
    """Check the API's address: https, or http on this machine."""
    url = parsers.http_url(value, warnings)
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "http" and not _is_local(host):
        raise ValueError("must begin with https://; http:// is taken for this machine only")
    if parts.scheme == "https" and host != urlsplit(API_URL).hostname and not _is_local(host):
        warnings.append(f"sends the token to {host}, which is not Hetzner's address")
    return url


def zone_list(value: str, warnings: list[str]) -> tuple[str, ...]:
    """Read an allowlist of zone names and ids."""
    entries = parsers.comma_list(value, warnings)
    if len(entries) > _LISTED_ZONES:
        raise ValueError(f"lists {len(entries)} zones; at most {_LISTED_ZONES} are possible")
    zones = []
    for position, entry in enumerate(entries, 1):
        try:
            zones.append(names.zone_name(entry))
        except ValueError:
            raise ValueError(f"entry {position} is neither a zone name nor an id") from None
    return tuple(dict.fromkeys(zones))


def triggers(value: str, warnings: list[str]) -> tuple[str, ...]:
    """Read further triggers: record types, names, prefixes with a trailing `*`."""
    entries = parsers.comma_list(value, warnings)
    if len(entries) > _TRIGGERS:
        raise ValueError(f"lists {len(entries)} triggers; at most {_TRIGGERS} are possible")
    found = []
    for position, entry in enumerate(entries, 1):
        if entry in TYPES or entry == ZONE_CONTENT:
            found.append(entry)
            continue
        trigger = entry.lower()
        if not re.fullmatch(r"[a-z0-9._-]{1,253}\*?|[@*]", trigger):
            raise ValueError(
                f"entry {position} is neither a record type, a name, a prefix with a trailing * "
                f"nor {ZONE_CONTENT}"
            )
        if trigger_hits(trigger, "_acme-challenge", "TXT"):
            warnings.append(
                f"entry {position} also holds for _acme-challenge TXT, so certificate renewals "
                "will ask"
            )
        found.append(trigger)
    if "TXT" in found:
        warnings.append("TXT also holds for _acme-challenge, so certificate renewals will ask")
    return tuple(dict.fromkeys(found))


def trigger_hits(trigger: str, name: str, record_type: str) -> bool:
    """Tell whether an entry of HETZNER_ASK_ALSO is about a record set."""
    if trigger.endswith("*"):
        return name.startswith(trigger[:-1])
    return trigger in {name, record_type}


def directory(value: str, _warnings: list[str]) -> str:
    """Check that a directory for backups is there and can be written."""
    path = os.path.expanduser(value)
    if not os.path.isdir(path):
        raise ValueError("is no existing directory")
    if not os.access(path, os.W_OK | os.X_OK):
        raise ValueError("is a directory that this server may not write to")
    return path


VARIABLES: tuple[Variable, ...] = (
    Variable(
        "HETZNER_API_TOKEN",
        "token",
        "secret",
        "none",
        "API token of one Hetzner Cloud project: Console, project, Security, API tokens. Read & "
        "write for all tools.",
        token,
        title="API token",
        secret="token",  # noqa: S106 (a kind, not a secret)
        required=True,
        listed=True,
        elsewhere=("HCLOUD_TOKEN", "HETZNER_DNS_TOKEN"),
    ),
    Variable(
        "HETZNER_API_BASE_URL",
        "base_url",
        "URL",
        f"`{API_URL}`",
        "Address of the API: https, or http on this machine.",
        base_url,
        API_URL,
        title="Address of the API",
    ),
    Variable(
        "HETZNER_ZONE_ALLOWLIST",
        "zone_allowlist",
        "comma list",
        "any zone",
        "The only zones that any tool may touch: names or ids. A token reaches every zone of "
        "its project.",
        zone_list,
        (),
        title="Zones it may touch",
        fence=True,
        example="example.org",
        listed=True,
    ),
    Variable(
        "HETZNER_VALIDATION",
        "validation",
        "strict, warn, off",
        "strict",
        "What happens to a record value that cannot be right: refused, sent with a warning, or "
        "not looked at.",
        parsers.choice("strict", "warn", "off"),
        "strict",
        title="Check of record values",
    ),
    Variable(
        "HETZNER_ASK_ALSO",
        "ask_also",
        "comma list",
        "none",
        "Further records whose addition asks: a type (`A`), a name (`_dmarc`), a prefix "
        f"(`mail*`); `{ZONE_CONTENT}` makes `create_zone` ask about zone file and primaries.",
        triggers,
        (),
        title="Further records that ask",
        fence=True,
    ),
    Variable(
        "HETZNER_ACTION_WAIT",
        "action_wait",
        "seconds, 0-300",
        "10",
        "How long a write is followed until Hetzner has carried it out; 0 returns at once.",
        parsers.integer(0, 300),
        10,
        title="How long a write is followed, in seconds",
    ),
    Variable(
        "HETZNER_BACKUP_DIR",
        "backup_dir",
        "directory",
        "none",
        "Where the zone file is stored before a zone is deleted or replaced.",
        directory,
        title="Folder for zone files",
    ),
    Variable(
        "HETZNER_RESOLVERS",
        "resolvers",
        "comma list",
        "none",
        "The only resolvers that `check_dns` may ask: `ADDRESS`, `ADDRESS:PORT` or "
        "`[ADDRESS]:PORT`, at most 4.",
        resolver_list,
        (),
        title="Resolvers it may ask",
        fence=True,
    ),
    extras_variable("HETZNER", EXTRAS),
    *(
        variable._replace(default=str(REQUEST_SECONDS), fallback=REQUEST_SECONDS)
        if variable.field == "timeout"
        else variable
        for variable in common_variables("HETZNER")
    ),
)


def missing(values: Values) -> str:
    """Say what a call lacks."""
    if values["token"]:
        return ""
    return (
        "HETZNER_API_TOKEN is not set, so no tool can be called. Create a token in the Hetzner "
        "Console: project, Security, API tokens; read & write for all tools. Tokens of the old "
        "DNS console do not work"
    )


def cross_check(values: Values, reading: Reading) -> None:
    """Warn where leaving one tool out leaves its effect in."""
    entries = [entry.lower() for entry in cast("tuple[str, ...]", values["deny_tools"])]
    for tool, other, reason in _LEAKS:
        if _denies(entries, tool) and not _denies(entries, other) and not values["read_only"]:
            reading.warn("HETZNER_DENY_TOOLS", f"{tool} is left out and {other} is not: {reason}")


def _denies(entries: list[str], tool: str) -> bool:
    return any(
        tool.startswith(entry[:-1]) if entry.endswith("*") else tool == entry for entry in entries
    )


_LEAKS = (
    ("delete_rrset", "remove_records", "removing the last value deletes the record set"),
    ("create_rrset", "add_records", "adding to a name that has no record set creates one"),
)


def start_lines(values: Values) -> list[str]:
    """Compose the lines for stderr at start."""
    said = []
    if values["insecure_tls"]:
        said.append("HETZNER_INSECURE_TLS=true — certificates are not checked")
    if values["read_only"]:
        said.append("HETZNER_READ_ONLY is on — only tools that read are offered")
    if values["validation"] != "strict":
        said.append(f"HETZNER_VALIDATION={values['validation']} — faulty values are not refused")
    allowlist = cast("tuple[str, ...]", values["zone_allowlist"])
    if allowlist:
        said.append(
            f"HETZNER_ZONE_ALLOWLIST allows {len(allowlist)} zone{'s' * (len(allowlist) > 1)}"
        )
    if values["token"]:
        said.append(f"targeting {values['base_url']}")
    return said


def instance(values: Values) -> str:
    """Name the API's host for the tick box of a dialog."""
    return urlsplit(cast("str", values["base_url"])).netloc


def _is_local(host: str) -> bool:
    name = host.lower().removesuffix(".")
    return name == "localhost" or name.endswith(".localhost") or parsers.is_loopback(name)
