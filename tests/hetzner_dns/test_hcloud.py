"""Hetzner's own client against the stand-in: an independent judge of its honesty."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import pytest
from hcloud import APIException, Client
from hcloud.zones.client import BoundZone
from hcloud.zones.domain import ZonePrimaryNameserver, ZoneRecord

from tests.backends.hetzner import ASSIGNED, HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.hetzner_dns.support import GOOD_FILE, outcome, record
from tests.support.clients import structured


@pytest.fixture
def hcloud(backend: HetznerBackend) -> Iterator[Client]:
    client = Client(backend.token, backend.url, poll_interval=0.01)
    yield client
    client._client._session.close()
    client._client_hetzner._session.close()


def zone_named(hcloud: Client, name: str) -> BoundZone:
    return hcloud.zones.get(name)


def test_the_life_of_a_zone(hcloud: Client, backend: HetznerBackend) -> None:
    created = hcloud.zones.create(name="new.example", mode="primary", labels={"env": "test"})
    created.action.wait_until_finished()
    zone = created.zone
    assert (zone.ttl, zone.record_count) == (3600, 4)
    zone.update(labels={"env": "prod"})
    zone.change_ttl(7200).wait_until_finished()
    zone.change_protection(delete=True).wait_until_finished()
    with pytest.raises(APIException, match="delete protected") as refused:
        zone.delete()
    assert refused.value.code == "protected"
    zone.change_protection(delete=False).wait_until_finished()
    zone.import_zonefile(GOOD_FILE.replace("example.com", "new.example")).wait_until_finished()
    assert "10 mx.example.net." in zone.export_zonefile().zonefile
    zone = zone_named(hcloud, "new.example")
    assert (zone.ttl, zone.labels) == (3600, {"env": "prod"})
    assert [entry.command for entry in zone.get_actions()][-1] == "import_zonefile"
    zone.delete().action.wait_until_finished()
    with pytest.raises(APIException, match="not found"):
        zone_named(hcloud, "new.example")


def test_the_life_of_a_record_set(hcloud: Client, backend: HetznerBackend) -> None:
    zone = zone_named(hcloud, "example.com")
    created = zone.create_rrset(name="@", type="MX", records=[ZoneRecord("10 a.example.net.")])
    created.action.wait_until_finished()
    rrset = created.rrset
    rrset.add_rrset_records([ZoneRecord("20 b.example.net.", "second")]).wait_until_finished()
    with pytest.raises(APIException, match="duplicate value"):
        rrset.add_rrset_records([ZoneRecord("20 b.example.net.")])
    rrset.change_rrset_ttl(300).wait_until_finished()
    with pytest.raises(APIException, match="must match the TTL"):
        rrset.add_rrset_records([ZoneRecord("30 c.example.net.")], ttl=600)
    rrset.update_rrset_records([ZoneRecord("20 b.example.net.", "other")]).wait_until_finished()
    rrset.remove_rrset_records([ZoneRecord("10 a.example.net.")]).wait_until_finished()
    rrset.reload()
    assert rrset.records is not None
    assert [(r.value, r.comment) for r in rrset.records] == [("20 b.example.net.", "other")]
    rrset.set_rrset_records([ZoneRecord("5 d.example.net.")]).wait_until_finished()
    rrset.update_rrset(labels={"a": "b"})
    rrset.change_rrset_protection(change=True).wait_until_finished()
    with pytest.raises(APIException, match="change protected"):
        rrset.delete_rrset()
    with pytest.raises(APIException, match="change protected"):
        zone.delete()
    with pytest.raises(APIException, match="change protected"):
        zone.import_zonefile(GOOD_FILE)
    rrset.change_rrset_protection(change=False).wait_until_finished()
    rrset.remove_rrset_records([ZoneRecord("5 d.example.net.")]).wait_until_finished()
    assert backend.values("example.com", "@", "MX") == []


def test_lists_and_selectors(hcloud: Client, backend: HetznerBackend) -> None:
    zone = zone_named(hcloud, "example.com")
    for number in range(120):
        labels = {"even": "yes"} if number % 2 == 0 else {"env": "dev"}
        backend.add_rrset("example.com", f"n{number:03}", "A", ["198.51.100.9"], labels=labels)
    assert len(zone.get_rrset_all()) == 123
    assert len(zone.get_rrset_all(type=["A"], label_selector="even")) == 60
    assert len(zone.get_rrset_all(label_selector="env=dev")) == 60
    assert len(zone.get_rrset_all(label_selector="env in (dev, prod)")) == 60
    assert len(zone.get_rrset_all(label_selector="env notin (dev),!even")) == 3
    assert len(zone.get_rrset_all(label_selector="env!=dev")) == 63
    wildcard = zone.create_rrset(name="*.dev", type="A", records=[ZoneRecord("198.51.100.1")])
    assert wildcard.rrset.id == "*.dev/A"
    assert zone.get_rrset("*.dev", "A").records is not None
    assert [z.name for z in hcloud.zones.get_all(mode="secondary")] == ["secondary.example"]


def test_what_the_real_one_refuses_is_refused(hcloud: Client, backend: HetznerBackend) -> None:
    zone = zone_named(hcloud, "example.com")
    many = [ZoneRecord(f"198.51.100.{n}") for n in range(51)]
    attempts: dict[str, Callable[[], object]] = {
        "already exists": lambda: zone.create_rrset(name="www", type="A", records=many[:1]),
        "at most 50": lambda: zone.get_rrset("www", "A").set_rrset_records(many),
        "cannot be created": lambda: zone.create_rrset(name="@", type="SOA", records=many[:1]),
        "not relative": lambda: zone.create_rrset(name="a.example.com", type="A", records=many[:1]),
        "coexist": lambda: zone.create_rrset(name="www", type="CNAME", records=[ZoneRecord("x.")]),
        "255 characters": lambda: zone.create_rrset(
            name="t", type="TXT", records=[ZoneRecord(f'"{"x" * 256}"')]
        ),
        "must be quoted": lambda: zone.create_rrset(
            name="t", type="TXT", records=[ZoneRecord("x")]
        ),
        "secondary mode": lambda: zone_named(hcloud, "secondary.example").export_zonefile(),
        "primary mode": lambda: zone.change_primary_nameservers(
            [ZonePrimaryNameserver("198.51.100.2")]
        ),
        "nameservers are missing": lambda: zone.import_zonefile(
            GOOD_FILE.replace(f"@ IN NS {ASSIGNED[0]}\n", "")
        ),
        "SOA record is missing": lambda: zone.import_zonefile("www 60 IN A 198.51.100.1"),
        "invalid characters": lambda: hcloud.zones.create(name="UPPER.example", mode="primary"),
        "between 60": lambda: zone.change_ttl(59),
    }
    for words, attempt in attempts.items():
        with pytest.raises(APIException, match=words):
            attempt()


def test_an_escaped_apex_is_not_found(hcloud: Client) -> None:
    request: Callable[[str, str], object] = hcloud.request
    for method in ("GET", "DELETE"):
        with pytest.raises(APIException, match="no such path"):
            request(method, "/zones/example.com/rrsets/%40/NS")


def test_tokens_and_locks(hcloud: Client, backend: HetznerBackend) -> None:
    reader = Client(backend.read_only_token, backend.url)
    with pytest.raises(APIException) as refused:
        zone_named(reader, "example.com").change_ttl(300)
    assert refused.value.code == "token_readonly"
    stranger = Client("x" * 64, backend.url)
    with pytest.raises(APIException) as refused:
        zone_named(stranger, "example.com")
    assert refused.value.code == "unauthorized"
    backend.slow_actions(60.0)
    zone = zone_named(hcloud, "example.com")
    zone.change_ttl(300)
    with pytest.raises(APIException) as refused:
        zone.change_ttl(600)
    assert refused.value.code == "locked"
    for client in (reader, stranger):
        client._client._session.close()
        client._client_hetzner._session.close()


async def test_what_this_server_writes_hetzners_client_reads(
    hcloud: Client, make_server: MakeServer
) -> None:
    arguments = record("TXT", "note", 'say "hi" \\ bye')
    structured(await outcome(make_server(), "create_rrset", arguments))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = zone_named(hcloud, "example.com").get_rrset("note", "TXT")
    assert found.records is not None
    assert [entry.value for entry in found.records] == ['"say \\"hi\\" \\\\ bye"']
