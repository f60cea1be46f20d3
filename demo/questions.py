"""One real question of each server, for the READMEs and the picture: nothing leaves the machine."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple, cast

import mcp_types as types
from mcp.client.session import ElicitationFnT

from hetzner_dns_mcp.definition import HETZNER_DNS
from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.definition import Definition
from mcp_serverkit.server import build_server
from ntfy_mcp.definition import NTFY
from smtp_mcp.definition import SMTP
from tests.backends.hetzner import HetznerBackend
from tests.backends.ntfy import NtfyBackend
from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import accept, connect, question
from woodpecker_ci_mcp.definition import WOODPECKER

Environ = Mapping[str, str]


class Scene(NamedTuple):
    """A call that asks.

    Attributes:
        definition: The server.
        behind: Opens what stands behind it, and names the settings to reach it.
        tool: The tool.
        arguments: Its arguments.
    """

    definition: Definition
    behind: Callable[[], AbstractAsyncContextManager[Environ]]
    tool: str
    arguments: Mapping[str, object]


@asynccontextmanager
async def _ntfy() -> AsyncIterator[Environ]:
    with NtfyBackend() as backend:
        backend.add_user("ada", "ada-password", role="admin")
        backend.add_user("eve", "eve-password")
        yield {"NTFY_URL": backend.url, "NTFY_TOKEN": backend.add_token("ada")}


@asynccontextmanager
async def _mail() -> AsyncIterator[Environ]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "figures.pdf").write_bytes(b"%PDF-1.7\n" + b"figures\n" * 6_025)
        yield {
            "SMTP_HOST": "mail.example.org",
            "SMTP_USER": "ada",
            "SMTP_PASSWORD": "a password",
            "SMTP_FROM": "Ada Ember <ada@example.org>",
            "SMTP_ALLOW_SEND": "true",
            "SMTP_ALLOWED_RECIPIENTS": "@example.org,@example.net",
            "SMTP_ATTACHMENT_DIR": folder,
        }


@asynccontextmanager
async def _hetzner() -> AsyncIterator[Environ]:
    with HetznerBackend() as backend:
        backend.add_zone("example.com")
        backend.add_rrset("example.com", "www", "A", ["203.0.113.7", "203.0.113.8"], ttl=300)
        yield {"HETZNER_API_TOKEN": backend.token, "HETZNER_API_BASE_URL": backend.url}


@asynccontextmanager
async def _woodpecker() -> AsyncIterator[Environ]:
    with WoodpeckerBackend() as backend:
        state = backend.state
        state.add_user("ada", admin=True, token="token-of-ada")
        state.add_repo(21, "acme/web")
        state.add_pipeline(21, status="blocked", event="pull_request", from_fork=True)
        for number, name in enumerate(("deploy_key", "registry_password", "signing_key"), 1):
            state.secrets.append(
                {
                    "id": number,
                    "org_id": 0,
                    "repo_id": 21,
                    "name": name,
                    "value": "stored",
                    "events": ["push", "pull_request"],
                    "images": [],
                    "note": "",
                }
            )
        yield {"WOODPECKER_URL": backend.url, "WOODPECKER_TOKEN": "token-of-ada"}


MAIL = Scene(
    SMTP,
    _mail,
    "send_mail",
    {
        "to": ["anna@example.org"],
        "bcc": ["office@example.net"],
        "subject": "Quarterly figures",
        "body": "Dear Anna,\n\nplease find the figures attached.\n\nAda",
        "attachments": ["figures.pdf"],
    },
)

SCENES: Mapping[str, Scene] = {
    scene.definition.name: scene
    for scene in (
        MAIL,
        Scene(
            NTFY,
            _ntfy,
            "manage_user_access",
            {"action": "read_only", "username": "eve", "topic": "alerts"},
        ),
        Scene(
            HETZNER_DNS,
            _hetzner,
            "set_records",
            {
                "zone": "example.com",
                "name": "www",
                "type": "A",
                "records": [{"value": "198.51.100.7"}],
            },
        ),
        Scene(WOODPECKER, _woodpecker, "approve_pipeline", {"repo": "acme/web", "number": 1}),
    )
}


async def asked(scene: Scene) -> types.ElicitRequestFormParams:
    """Make the call, and return the question."""
    known = scene.definition
    async with scene.behind() as environ:
        reading = read_settings(known.variables, known.prefix, dict(environ))
        known.cross_check(reading.values, reading)
        server = build_server(known, reading.values)
        async with connect(server, "2026-07-28", cast("ElicitationFnT", _never)) as client:
            result = await question(client, scene.tool, scene.arguments)
    params = (result.input_requests or {})["confirm"].params
    assert isinstance(params, types.ElicitRequestFormParams)
    return params


async def _never(_context: object, _params: object) -> types.ElicitResult:
    return accept(False)


def dialog(definition: Definition) -> str:
    """A server's question as its README shows it."""
    params = asyncio.run(asked(SCENES[definition.name]))
    box = params.requested_schema["properties"]["confirm"]
    message = params.message.replace("```", "'''")
    return f"```\n{message}\n\n☐ {box['title']}\n```"
