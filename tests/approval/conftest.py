from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from mcp.server import Server

from mcp_approval.approver import Approver
from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.server import build_server
from tests.approval.fixture_server import SHOP, Shop
from tests.support.time import FakeClock, FakeRandom

# The same examples in every run, and no deadline: nothing here is measured.


@dataclass
class Stand:
    """One server process in miniature, with all that a test may turn or look at."""

    server: Server[object]
    approver: Approver
    shop: Shop
    clock: FakeClock
    lines: list[str] = field(default_factory=list)

    @property
    def decisions(self) -> list[str]:
        """The decisions that were logged, in order."""
        return [line.partition("decision=")[2].partition(" ")[0] for line in self.lines]


MakeStand = Callable[..., Stand]


def build_stand(*, dialog: bool = True, seed: str = "seed", wait_seconds: float = 5.0) -> Stand:
    """Build a server with a clock and a source of randomness of its own."""
    values = read_settings(SHOP.variables, SHOP.prefix, {}).values
    clock, lines, shop = FakeClock(), list[str](), Shop()
    approver = Approver(
        SHOP.name,
        dialog=dialog,
        instance=SHOP.instance(values),
        wait_seconds=wait_seconds,
        clock=clock,
        random_bytes=FakeRandom(seed),
        log=lines.append,
    )
    server = build_server(SHOP, values, app=shop, approver=approver)
    return Stand(server, approver, shop, clock, lines)


@pytest.fixture
def make_stand() -> MakeStand:
    return build_stand


@pytest.fixture
def stand() -> Stand:
    """A server whose dialogs are on."""
    return build_stand()
