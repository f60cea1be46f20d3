"""A zone of 20,000 records: everything is read, and others get their turn meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from mcp_serverkit.tools.results import LIST_BYTES
from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.hetzner_dns.support import dialog, refusal
from tests.support.clients import call, connect, structured, text

COUNT = 20_000
LINES = [f"h{n}\tIN\t300\tA\t10.{n >> 16}.{n >> 8 & 255}.{n & 255}\n" for n in range(COUNT)]


class Turns:
    """Counts the turns that the event loop gives to others."""

    def __init__(self) -> None:
        self.count = 0

    async def during(self, work: Awaitable[object]) -> None:
        counting = asyncio.create_task(self._count())
        await work
        counting.cancel()

    async def _count(self) -> None:
        while True:
            self.count += 1
            await asyncio.sleep(0.001)


async def test_an_import_is_compared_in_full_while_others_get_their_turn(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    exported = backend.zonefile("example.com") + "".join(LINES[: COUNT // 2])
    backend.respond_next(200, {"zonefile": exported}, path="*/zonefile", times=9)
    file = exported.replace("A\t10.0.0.7\n", "A\t203.0.113.7\n")
    file = file.replace(LINES[9], "").replace("h11\tIN\t300", "h11\tIN\t60")
    turns = Turns()
    said: list[str] = []

    async def ask() -> None:
        arguments = {"zone": "example.com", "zonefile": file}
        said.append(await dialog(make_server(), "import_zonefile", arguments))

    await turns.during(ask())
    assert "2 sets are changed, 0 are new, 1 is gone and 10000 are as they are" in said[0]
    assert "Gone: h9/A (1 record)." in said[0]
    assert said[0].partition("this server:\n  h11")[2].splitlines() == [
        "/A (stays): 10.0.0.11",
        "  h11/A TTL (was 300): 60",
        "  h7/A (new, 1 of 1 goes): 203.0.113.7",
    ]
    assert turns.count > 100


async def test_changes_that_do_not_fit_are_named_or_refused(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    exported = backend.zonefile("example.com") + "".join(LINES[: COUNT // 5])
    backend.respond_next(200, {"zonefile": exported}, path="*/zonefile", times=9)
    arguments = {"zone": "example.com", "zonefile": exported.replace("A\t10.0", "A\t10.1")}
    said = await dialog(make_server(), "import_zonefile", arguments)
    assert "A, 4000 sets, values not shown: h0, h1, h10, " in said
    arguments = {"zone": "example.com", "zonefile": backend.zonefile("example.com")}
    said = await refusal(make_server(), "import_zonefile", arguments)
    assert "Change single sets with set_records and add_records" in said
    assert backend.writes == []


async def test_a_page_of_large_sets_is_cut_to_whole_entries_between_turns(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    for number in range(100):
        values = [f"10.{number}.{n >> 8}.{n & 255}" for n in range(200)]
        backend.add_rrset("example.com", f"n{number}", "A", values)
    async with connect(make_server(), "2026-07-28") as client:
        arguments = {"zone": "example.com", "type": ["A"], "per_page": 100}
        result = await call(client, "list_rrsets", arguments)
    shown = structured(result)
    rrsets = shown["rrsets"]
    assert isinstance(rrsets, list)
    assert len(rrsets) + int(str(shown["dropped"])) == 100
    assert all(len(entry["records"]) in {1, 200} for entry in rrsets)
    assert len(text(result).encode()) <= LIST_BYTES + 2_000


async def test_a_large_zone_is_exported_up_to_the_ceiling(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    exported = "".join(LINES)
    backend.respond_next(200, {"zonefile": exported}, path="*/zonefile")
    async with connect(make_server(), "2026-07-28") as client:
        shown = structured(await call(client, "export_zonefile", {"zone": "example.com"}))
    assert f"of {len(exported)} characters" in str(shown["note"])


async def test_one_very_large_set_does_not_hide_the_others(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    values = [f'"{number:05}{"v" * 200}"' for number in range(1_000)]
    backend.project.zone("example.com").sets.clear()
    backend.add_rrset("example.com", "large", "TXT", values)
    backend.add_rrset("example.com", "small", "A", ["198.51.100.1"])
    async with connect(make_server(), "2026-07-28") as client:
        shown = structured(await call(client, "list_rrsets", {"zone": "example.com"}))
    rrsets = shown["rrsets"]
    assert isinstance(rrsets, list)
    assert [entry["name"] for entry in rrsets] == ["large", "small"]
    assert len(rrsets[0]["records"]) + rrsets[0]["dropped"] == 1_000
    assert "dropped" not in shown
