"""A server that keeps a record, and clients that answer in one way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import mcp_types as types
from mcp.client.session import ElicitationFnT
from mcp.server import Server

from mcp_approval.approver import Approver
from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.server import build_server
from tests.approval.fixture_server import SHOP, Shop
from tests.support.time import FakeClock


class Kept:
    """A server with a record."""

    def __init__(self, path: Path, **settings: object) -> None:
        self.path = path
        self.shop = Shop()
        self.lines: list[str] = []
        self.clock = FakeClock()
        self.approver = Approver(
            SHOP.name,
            instance="shop.example.org",
            clock=self.clock,
            log=self.lines.append,
            settings={"approval_record": str(path), **settings},
        )

    def server(self) -> Server[object]:
        values = read_settings(SHOP.variables, SHOP.prefix, {}).values
        return build_server(SHOP, values, app=self.shop, approver=self.approver)

    def events(self) -> list[str]:
        return [str(event["event"]) for event in self.told()]

    def told(self) -> list[dict[str, object]]:
        if not self.path.exists():
            return []
        return [json.loads(line) for line in self.path.read_bytes().splitlines()]


def answering(result: types.ElicitResult) -> ElicitationFnT:
    async def answer(*_: object) -> types.ElicitResult:
        return result

    return cast("ElicitationFnT", answer)
