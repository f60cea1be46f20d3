"""The table of variables, and the checks that concern several of them."""

from __future__ import annotations

from urllib.parse import urlsplit

from mcp_serverkit.config import parsers
from mcp_serverkit.config.settings import (
    Reading,
    Values,
    Variable,
    common_variables,
    extras_variable,
)
from woodpecker_ci_mcp.order import EXTRAS

# A server that asks its forge answers later than others.
TIMEOUT_SECONDS = 30
# The end of a failed step, where its cause stands.
LOG_LINES = 200
# About 10,000 tokens of one log.
LOG_BYTES = 40_000


def root_url(value: str, warnings: list[str]) -> str:
    """Read the server's address; a trailing `/api` is this server's own to add."""
    return parsers.http_url(value, warnings).removesuffix("/api").rstrip("/")


def server_url(value: str, warnings: list[str]) -> str:
    """Read the command line tool's name for the address, which an agent uses otherwise."""
    if "://" not in value:
        raise ValueError(
            "must be a URL with a scheme; an address without one is what a Woodpecker agent "
            "takes under this name, and this is no agent"
        )
    return root_url(value, warnings)


def _common() -> tuple[Variable, ...]:
    """Take the common variables, with more time: many calls wait for the forge behind."""
    changes: dict[str, dict[str, object]] = {
        "timeout": {"default": str(TIMEOUT_SECONDS), "fallback": TIMEOUT_SECONDS},
        "allow_tools": {
            "meaning": "Offer only these tools: names, prefixes with a trailing `*`, or one of "
            "`essential`, `read`, `diagnose`, `operate`, `maintain`, `admin`.",
            "example": "operate",
        },
    }
    return tuple(
        variable._replace(**changes.get(variable.field, {}))  # type: ignore[arg-type]
        for variable in common_variables("WOODPECKER")
    )


VARIABLES: tuple[Variable, ...] = (
    Variable(
        "WOODPECKER_URL",
        "url",
        "URL",
        "none",
        "Address of the Woodpecker server, such as `https://ci.example.org`.",
        root_url,
        title="Address of Woodpecker",
        example="https://ci.example.org",
        required=True,
        listed=True,
    ),
    Variable(
        "WOODPECKER_SERVER",
        "server",
        "URL",
        "none",
        "Another name for `WOODPECKER_URL`, the one that woodpecker-cli uses.",
        server_url,
        title="Address of Woodpecker, other name",
    ),
    Variable(
        "WOODPECKER_TOKEN",
        "token",
        "secret",
        "none",
        "Personal access token of a Woodpecker account; its rights are what the tools may do.",
        parsers.bearer,
        title="Access token",
        secret="token",  # noqa: S106 (a kind, not a secret)
        required=True,
        listed=True,
    ),
    Variable(
        "WOODPECKER_LOG_LINES",
        "log_lines",
        "1-5000",
        str(LOG_LINES),
        "Lines that `get_step_logs` returns unless told otherwise.",
        parsers.integer(1, 5000),
        LOG_LINES,
        title="Log lines in a result",
    ),
    Variable(
        "WOODPECKER_LOG_MAX_BYTES",
        "log_max_bytes",
        "1000-400000",
        str(LOG_BYTES),
        "Most bytes of log text in one result; a whole result stays under 200000 all the same.",
        parsers.integer(1_000, 400_000),
        LOG_BYTES,
        title="Log text in a result, in bytes",
    ),
    Variable(
        "WOODPECKER_STRICT",
        "strict",
        "switch",
        "off",
        "Also ask before `create_forge`, before `create_secret` opens a secret to pull requests, "
        "and before `restart_pipeline` runs a fork's code again that nobody reviewed.",
        parsers.protecting_switch,
        False,
        title="Ask more often",
        fence=True,
    ),
    extras_variable("WOODPECKER", EXTRAS),
    *_common(),
)


def cross_check(values: Values, reading: Reading) -> None:
    """Check what concerns more than one variable, and settle on one address."""
    url, server = values["url"], values.pop("server")
    if url and server and url != server:
        reading.problem("WOODPECKER_SERVER", "and WOODPECKER_URL differ; set one of them")
    values["url"] = url or server
    if not isinstance(values["url"], str):
        return
    parts = urlsplit(values["url"])
    if parts.scheme == "http" and not parsers.is_loopback(parts.hostname or ""):
        name = "WOODPECKER_URL" if url else "WOODPECKER_SERVER"
        reading.warn(name, "is http://, so the token and all logs travel in clear")


def missing(values: Values) -> str:
    """Say what a call lacks."""
    absent = [
        name
        for name, field in (("WOODPECKER_URL", "url"), ("WOODPECKER_TOKEN", "token"))
        if not values[field]
    ]
    if not absent:
        return ""
    return (
        f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} not set, so no tool "
        "can be called. The token is made on the user page of the Woodpecker server. Optional: "
        "WOODPECKER_READ_ONLY, WOODPECKER_ALLOW_TOOLS and WOODPECKER_DENY_TOOLS bound what is "
        "offered."
    )


def start_lines(values: Values) -> list[str]:
    """Compose the lines for stderr at start."""
    said = []
    if values["insecure_tls"]:
        said.append("WOODPECKER_INSECURE_TLS=true — certificates are not checked")
    if values["read_only"]:
        said.append("WOODPECKER_READ_ONLY is on — only tools that read are offered")
    if values["strict"]:
        said.append("WOODPECKER_STRICT is on — three more tools may ask")
    if values["url"]:
        said.append(f"targeting {values['url']}")
    return said


def instance(values: Values) -> str:
    """Name the instance for the tick box of a dialog."""
    url = values["url"]
    return urlsplit(url).netloc if isinstance(url, str) else ""
