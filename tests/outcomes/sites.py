"""Each HTTP server before its stand-in, with a good call of every tool that writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from mcp.server import Server

from hetzner_dns_mcp.app import build as build_hetzner
from hetzner_dns_mcp.definition import HETZNER_DNS
from mcp_serverkit.config.settings import Values
from mcp_serverkit.definition import App, Definition
from ntfy_mcp.definition import NTFY
from tests.backends.hetzner import HetznerBackend
from tests.backends.ntfy import NtfyBackend
from tests.backends.woodpecker import WoodpeckerBackend
from tests.hetzner_dns.conftest import NOW, Waiting
from tests.hetzner_dns.support import GUARDED as GUARDED_DNS
from tests.hetzner_dns.support import UNGUARDED as UNGUARDED_DNS
from tests.ntfy.conftest import ADMIN
from tests.ntfy.test_personas import CALLS as NTFY_CALLS
from tests.support.clients import Arguments
from tests.support.servers import serve, values_of
from tests.support.time import FakeClock
from tests.woodpecker.calls import GUARDED, arrange
from tests.woodpecker.conftest import ADMIN_TOKEN, populate
from tests.woodpecker.harmless import HARMLESS
from woodpecker_ci_mcp.app import build as build_woodpecker
from woodpecker_ci_mcp.definition import WOODPECKER


class Recorded(Protocol):
    """A request that a stand-in recorded."""

    @property
    def method(self) -> str:
        """Its method."""


class StandIn(Protocol):
    """A service's stand-in."""

    @property
    def url(self) -> str:
        """Where it listens."""

    @property
    def requests(self) -> Sequence[Recorded]:
        """All requests that reached it."""


@dataclass(frozen=True)
class Site:
    """A server and its stand-in.

    Attributes:
        definition: The server.
        stand_in: Runs the stand-in, filled so that each call is a good one.
        environ: Settings besides the address, given the stand-in.
        address: The variable that holds the address.
        calls: Arguments by tool.
        app: Builds the app, where time would have to pass otherwise.
    """

    definition: Definition
    stand_in: Callable[[], AbstractContextManager[StandIn]]
    address: str
    environ: Mapping[str, str]
    calls: Mapping[str, Arguments]
    app: Callable[[Values, Sequence[str]], App] | None = field(default=None)

    def server(self, url: str, wait: float = 10.0) -> Server[object]:
        """Build the server, with the stand-in, or what is in front of it, at a URL.

        Args:
            url: Where that is.
            wait: Seconds that a question waits.
        """
        values = values_of(self.definition, {**self.environ, self.address: url})
        names = self.definition.select(values).names
        app = None if self.app is None else self.app(values, names)
        return serve(self.definition, values, app=app, wait_seconds=wait)


@contextmanager
def _ntfy() -> Iterator[StandIn]:
    with NtfyBackend() as backend:
        backend.add_user(*ADMIN, role="admin")
        backend.add_user("eve", "eve-password")
        yield backend


@contextmanager
def _woodpecker() -> Iterator[StandIn]:
    with WoodpeckerBackend() as backend:
        populate(backend)
        arrange(backend)
        backend.state.add_pipeline(5, status="running")
        yield backend


@contextmanager
def _hetzner() -> Iterator[StandIn]:
    with HetznerBackend(now=FakeClock(NOW)) as backend:
        backend.add_zone("example.com", zone_id=42)
        backend.add_zone("secondary.example", mode="secondary", zone_id=44)
        backend.add_rrset("example.com", "www", "A", ["198.51.100.1"], ttl=300)
        yield backend


def _hetzner_app(values: Values, names: Sequence[str]) -> App:
    waiting = Waiting()
    return build_hetzner(values, names, sleep=waiting.sleep, clock=waiting.clock, now=waiting.clock)


def _woodpecker_app(values: Values, names: Sequence[str]) -> App:
    waiting = Waiting()
    return build_woodpecker(values, names, sleep=waiting.sleep, clock=waiting.clock)


_REPO = {"repo_id": 5}

WOODPECKER_CALLS: dict[str, Arguments] = {
    "activate_repository": {"forge_remote_id": "900"},
    "trigger_pipeline": {**_REPO, "branch": "main"},
    "restart_pipeline": {**_REPO, "number": 2},
    "cancel_pipeline": {**_REPO, "number": 3},
    "decline_pipeline": {**_REPO, "number": 1},
    "create_secret": {**_REPO, "name": "key", "value": "v", "events": ["push"]},
    "create_registry": {**_REPO, "address": "r.example", "username": "u", "password": "p"},
    "create_cron": {**_REPO, "name": "weekly", "schedule": "@weekly"},
    "update_cron": {**_REPO, "cron_id": 71, "schedule": "@daily"},
    "run_cron": {**_REPO, "cron_id": 71},
    "create_agent": {"name": "runner-2"},
    "update_agent": {"agent_id": 31, "name": "renamed"},
    "create_forge": {
        "type": "gitea",
        "url": "https://two.example.org",
        "client": "c",
        "oauth_client_secret": "s",
    },
    "resume_queue": {},
    **{harmless.tool: harmless.arguments for harmless in reversed(HARMLESS)},
    **{guarded.tool: guarded.arguments for guarded in reversed(GUARDED)},
}

SITES = {
    site.definition.name: site
    for site in (
        Site(
            NTFY,
            _ntfy,
            "NTFY_URL",
            {
                "NTFY_USERNAME": ADMIN[0],
                "NTFY_PASSWORD": ADMIN[1],
                "NTFY_EXTRAS": "true",
                "NTFY_REPLY_TOPIC": "replies",
            },
            {
                "ask_person": {
                    "topic": "alerts",
                    "question": "x",
                    "answers": ["Yes"],
                    "timeout_s": 1,
                },
                "publish_message": {"topics": ["alerts"], "message": "x"},
                "mark_messages_read": {"topic": "alerts", "sequence_ids": ["nightly"]},
                **NTFY_CALLS,
            },
        ),
        Site(
            WOODPECKER,
            _woodpecker,
            "WOODPECKER_URL",
            {"WOODPECKER_TOKEN": ADMIN_TOKEN, "WOODPECKER_EXTRAS": "true"},
            WOODPECKER_CALLS,
            _woodpecker_app,
        ),
        Site(
            HETZNER_DNS,
            _hetzner,
            "HETZNER_API_BASE_URL",
            {"HETZNER_API_TOKEN": HetznerBackend.token, "HETZNER_EXTRAS": "true"},
            {
                **dict(GUARDED_DNS.values()),
                **dict(UNGUARDED_DNS.values()),
            },
            _hetzner_app,
        ),
    )
}
