"""A zone file that is longer than a result comes in parts, and the parts make the whole."""

from __future__ import annotations

import hashlib

import pytest

from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.support.clients import ERAS, Arguments, Era, call, connect, structured, text

ZONE: Arguments = {"zone": "example.com"}
FILES = {
    "plain": "".join(f"n{number:05} IN A 198.51.100.1 ; ö\n" for number in range(12_000)),
    "escapes": '"\\' * 149_000,
    "short": "www IN A 198.51.100.1\n",
    "empty": "",
}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", FILES)
async def test_the_parts_of_a_zone_file_make_the_whole(
    name: str, era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    file = FILES[name]
    backend.respond_next(200, {"zonefile": file}, path="*/zonefile", times=100)
    parts, offset = [], 0
    async with connect(make_server(), era) as client:
        while True:
            result = await call(client, "export_zonefile", {**ZONE, "offset": offset})
            shown = structured(result)
            parts.append(str(shown["zonefile"]))
            assert shown["total"] == len(file)
            assert shown["sha256"] == hashlib.sha256(file.encode()).hexdigest()
            assert len(text(result).encode()) <= 200_000
            if "next_offset" not in shown:
                break
            offset = int(str(shown["next_offset"]))
    assert "".join(parts) == file
    assert (len(parts) > 1) is (len(file) > 150_000)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("offset", [22, 23, 1_000_000])
async def test_a_beginning_past_the_end_is_refused_and_the_total_named(
    offset: int, era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.respond_next(200, {"zonefile": FILES["short"]}, path="*/zonefile")
    async with connect(make_server(), era) as client:
        result = await call(client, "export_zonefile", {**ZONE, "offset": offset})
    assert result.is_error
    assert "offset: is past the end: the zone file has 22 characters" in text(result)


@pytest.mark.parametrize("offset", [-1, "next"])
async def test_a_beginning_is_a_number_from_zero(
    offset: object, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28") as client:
        result = await call(client, "export_zonefile", {**ZONE, "offset": offset})
    assert result.is_error
    assert "offset" in text(result)
    assert backend.requests == []
