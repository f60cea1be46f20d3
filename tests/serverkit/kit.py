"""A definition in one line for tests of the kit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from typing_extensions import TypedDict

from mcp_serverkit.config import parsers
from mcp_serverkit.config.settings import Reading, Values, Variable, common_variables, read_settings
from mcp_serverkit.definition import Definition
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.tools.registry import Call, Registry

TOOLS = Registry(source="kit")


class Told(TypedDict):
    """What a tool tells."""

    told: str


@dataclass
class App:
    """An app that remembers being closed.

    Attributes:
        found: What its check finds; a failure is raised.
        closed: How often it was closed.
    """

    found: list[str] | Exception = field(default_factory=lambda: ["reached the service"])
    closed: int = 0

    async def aclose(self) -> None:
        self.closed += 1

    async def check(self) -> list[str]:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


APP = App()


def build(_values: Values, _offered: Sequence[str]) -> App:
    """The app that a definition loads by path."""
    return APP


def build_broken(_values: Values, _offered: Sequence[str]) -> App:
    """An app that cannot be built."""
    raise ToolFailure("the service is configured badly")


@TOOLS.read("Read one")
async def read_one(call: Call[App]) -> Told:
    """Read one thing."""
    return {"told": "one"}


@TOOLS.read("Read two")
async def read_two(call: Call[App]) -> Told:
    """Read two things."""
    return {"told": "two"}


@TOOLS.write("Write one", destructive=False, idempotent=True)
async def write_one(call: Call[App]) -> Told:
    """Write one thing."""
    return {"told": "written"}


@TOOLS.write("Delete one", destructive=True, idempotent=True, asks="when it matters")
async def delete_one(call: Call[App]) -> Told:
    """Delete one thing."""
    return {"told": "deleted"}


VARIABLES = (
    Variable("KIT_URL", "url", "URL", "none", "Where it is.", parsers.http_url),
    Variable("KIT_TOKEN", "token", "secret", "none", "Token.", parsers.bearer, secret="token"),
    Variable(
        "KIT_PASSWORD",
        "password",
        "secret",
        "none",
        "Password.",
        parsers.password,
        secret="password",
    ),
    Variable("KIT_NAME", "name", "text", "kit", "A name.", parsers.text, "kit", one_line=True),
    *common_variables("KIT"),
)

KIT = Definition(
    name="kit-mcp",
    title="Kit",
    version="9.8.7",
    summary="Try the kit — all of it.",
    prefix="KIT",
    variables=VARIABLES,
    registry=lambda: TOOLS,
    load_app="tests.serverkit.kit:build",
    instructions=lambda offered, how: f"{len(offered)} {how}",
    presets={"essential": ("read_one", "write_one")},
    missing=lambda values: "" if values["url"] else "KIT_URL is not set",
    start_lines=lambda values: [f"targeting {values['url']}"] if values["url"] else [],
)

BROKEN = KIT._replace(load_app="tests.serverkit.kit:build_broken")


def reading(environ: Mapping[str, str]) -> Reading:
    """Read settings from an environment of its own."""
    return read_settings(VARIABLES, "KIT", dict(environ))
