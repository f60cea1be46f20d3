from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import mcp_types as types
import pytest
from mcp.server import Server

from hetzner_dns_mcp.addresses import Address, LookUp
from hetzner_dns_mcp.api.client import HetznerClient
from hetzner_dns_mcp.app import Hetzner, build
from hetzner_dns_mcp.definition import HETZNER_DNS
from mcp_serverkit.config.settings import Values
from tests.backends.hetzner import HetznerBackend
from tests.support.person import Person
from tests.support.servers import serve, values_of
from tests.support.time import FakeClock

MakeServer = Callable[..., Server[object]]
MakeApp = Callable[..., Hetzner]

NOW = 1_796_000_000.0


async def no_look_up(host: str) -> list[Address]:
    raise AssertionError(f"{host} may not be looked up")


class Waiting:
    """Waits in no time, and moves the clocks as if it had."""

    def __init__(self) -> None:
        self.clock = FakeClock(NOW)
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.clock.advance(seconds)


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


@pytest.fixture
def person() -> Person:
    return Person()


@pytest.fixture
def backend(waiting: Waiting) -> Iterator[HetznerBackend]:
    """A project with a primary zone 42 example.com and a secondary zone."""
    with HetznerBackend(now=waiting.clock) as running:
        running.add_zone("example.com", zone_id=42)
        running.add_zone("other.example", zone_id=43)
        running.add_zone("secondary.example", mode="secondary", zone_id=44)
        running.add_rrset("example.com", "www", "A", ["198.51.100.1"], ttl=300)
        yield running


@pytest.fixture
def make_values(backend: HetznerBackend) -> Callable[..., Values]:
    def make(**environ: str) -> Values:
        given = {
            "HETZNER_API_TOKEN": backend.token,
            "HETZNER_API_BASE_URL": backend.url,
            **environ,
        }
        return values_of(HETZNER_DNS, {name: value for name, value in given.items() if value})

    return make


@pytest.fixture
def make_app(make_values: Callable[..., Values], waiting: Waiting) -> MakeApp:
    """Build the app against the stand-in, with time that costs nothing."""

    def make(look_up: LookUp = no_look_up, **environ: str) -> Hetzner:
        values = make_values(**environ)
        offered = HETZNER_DNS.select(values).names
        return build(
            values,
            offered,
            sleep=waiting.sleep,
            clock=waiting.clock,
            now=waiting.clock,
            look_up=look_up,
        )

    return make


@pytest.fixture
def make_server(
    make_values: Callable[..., Values], make_app: MakeApp
) -> Callable[..., Server[object]]:
    """Build a server against the stand-in; variables go in by keyword."""

    def make(
        log: Callable[[str], None] | None = None,
        wait: float = 10.0,
        look_up: LookUp = no_look_up,
        **environ: str,
    ) -> Server[object]:
        return serve(
            HETZNER_DNS,
            make_values(**environ),
            app=make_app(look_up, **environ),
            wait_seconds=wait,
            log=log,
        )

    return make


@pytest.fixture
async def client(make_app: MakeApp) -> AsyncIterator[HetznerClient]:
    app = make_app()
    yield app.client
    await app.aclose()


async def refuse_to_answer(context: object, params: object) -> types.ElicitResult:
    raise AssertionError("nobody may be asked")


@pytest.fixture
def odd_zone() -> str:
    """A zone file with every legal oddity."""
    return (Path(__file__).parent / "files" / "zone-odd-syntax.zone").read_bytes().decode("utf-8")
