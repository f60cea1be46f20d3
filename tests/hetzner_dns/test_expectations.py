"""Writes that happen only if the set is still what the caller saw; backups before a loss."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.hetzner_dns.support import GOOD_FILE, outcome, record, refusal
from tests.support.clients import Arguments, call, connect, structured, text

WWW: Arguments = {"zone": "example.com", "name": "www", "type": "A"}
CALLS: dict[str, Arguments] = {
    "set_records": record("A", "www"),
    "remove_records": record("A", "www", "198.51.100.1"),
    "delete_rrset": WWW,
}


async def fingerprint(make_server: MakeServer) -> object:
    async with connect(make_server(), "2026-07-28") as client:
        return structured(await call(client, "get_rrset", WWW))["fingerprint"]


@pytest.mark.parametrize("tool", CALLS)
async def test_a_write_goes_through_while_the_set_is_as_expected(
    tool: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    expected = {
        "expected_fingerprint": await fingerprint(make_server),
        "expected_record_count": 1,
    }
    structured(await outcome(make_server(), tool, {**CALLS[tool], **expected}))
    assert len(backend.writes) == 1


@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize(
    "expected", [{"expected_fingerprint": "0" * 16}, {"expected_record_count": 2}], ids=str
)
async def test_a_write_that_expects_something_else_asks_nobody(
    tool: str, expected: Arguments, backend: HetznerBackend, make_server: MakeServer
) -> None:
    said = await refusal(make_server(), tool, {**CALLS[tool], **expected})
    assert said.startswith("code: changed_meanwhile\n")
    assert "Nothing was sent" in said
    assert backend.writes == []


async def test_a_fingerprint_does_not_depend_on_the_order_of_records(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.add_rrset("example.com", "www", "A", ["198.51.100.1", "198.51.100.2"], ttl=300)
    first = await fingerprint(make_server)
    assert await fingerprint(make_server) == first
    backend.add_rrset("example.com", "www", "A", ["198.51.100.1", "198.51.100.2"], ttl=60)
    assert await fingerprint(make_server) != first


async def test_a_change_between_the_yes_and_the_write_stops_it(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    rrset = {"records": [{"value": "198.51.100.1", "comment": ""}], "ttl": 300}
    expected = {"expected_fingerprint": await fingerprint(make_server)}
    backend.add_rrset("example.com", "www", "A", ["198.51.100.9"], ttl=300)
    backend.respond_next(200, {"rrset": rrset}, path="*/www/A", times=2)
    result = await outcome(make_server(), "delete_rrset", {**WWW, **expected})
    assert result.is_error
    assert "changed_meanwhile" in text(result)
    assert backend.writes == []


def assert_stored(file: Path, directory: Path, text: str) -> None:
    assert file.parent == directory
    assert file.read_text(encoding="utf-8") == text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.name.startswith("example.com-2026")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("delete_zone", {}), ("import_zonefile", {"zonefile": GOOD_FILE})],
    ids=["delete", "import"],
)
async def test_the_zone_file_is_stored_for_this_user_before_the_loss(
    tool: str,
    arguments: Arguments,
    tmp_path: Path,
    backend: HetznerBackend,
    make_server: MakeServer,
) -> None:
    before = backend.zonefile("example.com")
    server = make_server(HETZNER_BACKUP_DIR=str(tmp_path))
    shown = structured(await outcome(server, tool, {"zone": "example.com", **arguments}))
    assert_stored(Path(str(shown["backup"])), tmp_path, before)


async def test_a_backup_that_cannot_be_made_stops_the_call(
    tmp_path: Path, backend: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = {"zone": "secondary.example"}
    server = make_server(HETZNER_BACKUP_DIR=str(tmp_path))
    result = await outcome(server, "delete_zone", arguments)
    assert "there would be no backup. Nothing was changed." in text(result)
    gone = tmp_path / "gone"
    gone.mkdir()
    server = make_server(HETZNER_BACKUP_DIR=str(gone))
    gone.rmdir()
    result = await outcome(server, "delete_zone", {"zone": "example.com"})
    assert "the backup could not be written" in text(result)
    assert backend.writes == []


async def test_a_secondary_zone_is_deleted_without_a_zone_file(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    shown = structured(await outcome(make_server(), "delete_zone", {"zone": "secondary.example"}))
    assert "previous" not in shown
    assert len(backend.writes) == 1
