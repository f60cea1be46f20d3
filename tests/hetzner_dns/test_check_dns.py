"""What name servers answer is compared with what Hetzner holds; nobody else is asked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import cast

import dns.flags
import dns.message
import dns.rcode
import pytest

from hetzner_dns_mcp import dns_check
from hetzner_dns_mcp.addresses import Address, resolver_list
from hetzner_dns_mcp.api.types import RRSetRef
from hetzner_dns_mcp.definition import HETZNER_DNS
from mcp_serverkit.config.settings import read_settings
from tests.backends.hetzner import ASSIGNED, HetznerBackend
from tests.backends.hetzner.nameserver import NameServer
from tests.hetzner_dns.conftest import MakeServer, refuse_to_answer
from tests.support.clients import ERAS, Arguments, Era, call, connect, structured, text

WWW: Arguments = {"zone": "example.com", "name": "www"}
Answer = dict[str, object]


class Servers:
    """Two name servers of the zone, and what their names lead to."""

    def __init__(self, backend: HetznerBackend) -> None:
        backend.add_rrset("example.com", "www", "A", ["198.51.100.1", "198.51.100.2"], ttl=300)
        backend.project.zone("example.com").assigned = ASSIGNED[:2]
        self.backend = backend
        self.both = [NameServer(backend.zonefile("example.com"), "example.com") for _ in range(2)]
        self.looked_up: list[str] = []
        names = [host.removesuffix(".") for host in ASSIGNED]
        self.hosts = {
            host: [Address("::1", 9), Address("127.0.0.1", server.port)]
            for host, server in zip(names, self.both, strict=False)
        }

    async def look_up(self, host: str) -> list[Address]:
        self.looked_up.append(host)
        if host not in self.hosts:
            raise OSError("no such host")
        return self.hosts[host]


@pytest.fixture
def servers(backend: HetznerBackend) -> Iterator[Servers]:
    made = Servers(backend)
    with made.both[0], made.both[1]:
        yield made


async def checked(
    make_server: MakeServer,
    servers: Servers,
    arguments: Arguments = WWW,
    era: Era = "2026-07-28",
    **environ: str,
) -> dict[str, object]:
    server = make_server(HETZNER_EXTRAS="true", look_up=servers.look_up, **environ)
    async with connect(server, era, refuse_to_answer) as client:
        return structured(await call(client, "check_dns", arguments))


def answers(result: dict[str, object]) -> list[Answer]:
    return cast("list[Answer]", result["answers"])


@pytest.mark.parametrize("zone", ["example.com", "42"])
@pytest.mark.parametrize("era", ERAS)
async def test_both_servers_answer_what_hetzner_holds(
    era: Era, zone: str, servers: Servers, make_server: MakeServer
) -> None:
    servers.backend.requests.clear()
    result = await checked(make_server, servers, {**WWW, "zone": zone}, era)
    assert sorted(cast("list[str]", result["expected"])) == ["198.51.100.1", "198.51.100.2"]
    for server, host, answer in zip(servers.both, ASSIGNED, answers(result), strict=False):
        assert sorted(cast("list[str]", answer.pop("values"))) == ["198.51.100.1", "198.51.100.2"]
        assert answer == {
            "server": host,
            "kind": "assigned",
            "address": f"127.0.0.1:{server.port}",
            "status": "ok",
            "aa": True,
            "ttl": 300,
            "serial": servers.backend.project.zone("example.com").serial,
            "match": True,
        }
        assert sorted(server.asked) == [
            ("example.com.", "SOA", "udp", False),
            ("www.example.com.", "A", "udp", False),
        ]
    assert result["serials_agree"] is True
    assert result["delegation"] == {
        "assigned": list(ASSIGNED[:2]),
        "delegated": list(ASSIGNED),
        "status": "valid",
    }
    assert (result["untrusted"], result["source"]) == (True, "dns")
    paths = [request.path for request in servers.backend.requests]
    assert paths == [f"/zones/{zone}", f"/zones/{zone}/rrsets/www/A"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_server_that_holds_something_else_is_told(
    era: Era, servers: Servers, make_server: MakeServer
) -> None:
    other = servers.backend.zonefile("example.com").replace("198.51.100.2", "198.51.100.9")
    serial = servers.backend.project.zone("example.com").serial
    servers.both[1].load(other.replace(str(serial), str(serial - 1)), "example.com")
    result = await checked(make_server, servers, era=era)
    assert [answer["match"] for answer in answers(result)] == [True, False]
    assert result["serials_agree"] is False


async def test_spelling_and_order_are_no_difference(
    servers: Servers, make_server: MakeServer
) -> None:
    values = ["10 MAIL.example.com.", "20 b"]
    servers.backend.add_rrset("example.com", "@", "MX", values)
    for server in servers.both:
        server.load(servers.backend.zonefile("example.com"), "example.com")
    result = await checked(make_server, servers, {"zone": "example.com", "type": "MX"})
    assert [answer["match"] for answer in answers(result)] == [True, True]


def refused(reply: dns.message.Message) -> bytes:
    reply.set_rcode(dns.rcode.REFUSED)
    reply.answer.clear()
    return reply.to_wire()


def failed(reply: dns.message.Message) -> bytes:
    reply.set_rcode(dns.rcode.SERVFAIL)
    reply.answer.clear()
    return reply.to_wire()


def without_authority(reply: dns.message.Message) -> bytes:
    reply.flags &= ~dns.flags.AA
    return reply.to_wire()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("fault", "status"),
    [(refused, "refused"), (failed, "servfail"), (without_authority, "ok")],
)
async def test_a_server_that_fails_is_an_entry_and_never_matches(
    fault: object, status: str, era: Era, servers: Servers, make_server: MakeServer
) -> None:
    servers.both[0].fault = fault  # type: ignore[assignment]
    result = await checked(make_server, servers, era=era)
    first, second = answers(result)
    assert (first["status"], first["aa"], first["match"]) == (
        status,
        fault is not without_authority,
        False,
    )
    assert second["match"] is True


@pytest.mark.parametrize(
    ("name", "kind", "status"), [("nowhere", "A", "nxdomain"), ("www", "AAAA", "nodata")]
)
async def test_a_set_that_is_nowhere_matches_an_answer_without_records(
    name: str, kind: str, status: str, servers: Servers, make_server: MakeServer
) -> None:
    asked = {"zone": "example.com", "name": name, "type": kind}
    result = await checked(make_server, servers, asked)
    assert result["expected"] == []
    for answer in answers(result):
        assert (answer["status"], answer["values"], answer["match"]) == (status, [], True)
    assert "Hetzner holds no such set" in str(result["note"])
    servers.both[0].fault = refused
    result = await checked(make_server, servers, asked)
    assert [answer["match"] for answer in answers(result)] == [False, True]


async def test_silence_and_answers_to_something_else_are_a_timeout(
    servers: Servers, make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dns_check, "SECONDS", 0.2)

    def other_id(reply: dns.message.Message) -> bytes:
        reply.id ^= 1
        return reply.to_wire()

    def other_question(reply: dns.message.Message) -> bytes:
        other = dns.message.make_query("other.example.com.", "A")
        reply.question = other.question
        return reply.to_wire()

    servers.both[0].fault = lambda _: None
    for fault in (other_id, other_question):
        servers.both[1].fault = fault
        result = await checked(make_server, servers)
        assert [answer["status"] for answer in answers(result)] == ["timeout", "timeout"]
        assert not any("values" in answer or answer["match"] for answer in answers(result))
        assert "serials_agree" not in result


async def test_a_long_answer_comes_by_tcp(servers: Servers, make_server: MakeServer) -> None:
    value = " ".join(f'"{letter * 250}"' for letter in "abcdefgh")
    servers.backend.add_rrset("example.com", "long", "TXT", [value])
    for server in servers.both:
        server.load(servers.backend.zonefile("example.com"), "example.com")
    asked = {"zone": "example.com", "name": "long", "type": "TXT"}
    result = await checked(make_server, servers, asked)
    assert [answer["match"] for answer in answers(result)] == [True, True]
    ways = [way for _, kind, way, _ in servers.both[0].asked if kind == "TXT"]
    assert ways == ["udp", "tcp"]


async def test_only_names_of_hetzners_are_looked_up_and_eight_at_most(
    servers: Servers, make_server: MakeServer
) -> None:
    zone = servers.backend.project.zone("example.com")
    strange = ("ns.evil.example.", "hetzner.com.evil.example.", "evilhetzner.com.")
    known = tuple(f"ns{number}.second-ns.com." for number in range(12))
    zone.assigned = (*strange, ASSIGNED[0], *known)
    asked = {**WWW, "resolvers": True}
    result = await checked(make_server, servers, asked, HETZNER_RESOLVERS="127.0.0.1:9")
    assert len(answers(result)) == 8
    assert len(servers.looked_up) == 8
    assert all(host.endswith((".hetzner.com", ".second-ns.com")) for host in servers.looked_up)
    assert "3 assigned servers bear no name of Hetzner's" in str(result["note"])
    assert {answer["status"] for answer in answers(result)} == {"ok", "unreachable"}
    assert "address" not in answers(result)[1]


@pytest.mark.parametrize("era", ERAS)
async def test_it_is_an_error_only_where_nobody_could_be_asked(
    era: Era, servers: Servers, make_server: MakeServer
) -> None:
    servers.hosts.clear()
    server = make_server(HETZNER_EXTRAS="true", look_up=servers.look_up)
    async with connect(server, era) as client:
        result = await call(client, "check_dns", WWW)
    assert result.is_error
    assert "No name server could be asked" in text(result)


@pytest.mark.parametrize("era", ERAS)
async def test_resolvers_are_asked_only_where_the_operator_names_them(
    era: Era, servers: Servers, make_server: MakeServer
) -> None:
    servers.both[1].recursive = True
    del servers.hosts[ASSIGNED[1].removesuffix(".")]
    address = f"127.0.0.1:{servers.both[1].port}"
    result = await checked(make_server, servers, WWW, era, HETZNER_RESOLVERS=address)
    assert servers.both[1].asked == []
    asked = {**WWW, "resolvers": True}
    result = await checked(make_server, servers, asked, era, HETZNER_RESOLVERS=address)
    last = answers(result)[-1]
    assert (last["server"], last["kind"], last["aa"]) == (address, "resolver", False)
    assert last["match"] is True
    assert all(recursion for *_, recursion in servers.both[1].asked)
    server = make_server(HETZNER_EXTRAS="true", look_up=servers.look_up)
    async with connect(server, era) as client:
        refusal = await call(client, "check_dns", asked)
    assert "resolvers: HETZNER_RESOLVERS is not set" in text(refusal)


async def test_a_zone_outside_the_allowlist_or_account_is_not_asked_about(
    servers: Servers, make_server: MakeServer
) -> None:
    environ = {"HETZNER_EXTRAS": "true", "HETZNER_ZONE_ALLOWLIST": "example.com"}
    server = make_server(look_up=servers.look_up, **environ)
    async with connect(server, "2026-07-28") as client:
        outside = await call(client, "check_dns", {"zone": "other.example"})
    async with connect(make_server(HETZNER_EXTRAS="true"), "2026-07-28") as client:
        missing = await call(client, "check_dns", {"zone": "missing.example"})
    assert outside.is_error
    assert missing.is_error
    assert servers.looked_up == []


def sockets() -> int:
    links = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
    return sum(os.readlink(link).startswith("socket:") for link in links if os.path.islink(link))


async def test_a_call_that_is_cancelled_closes_its_sockets(servers: Servers) -> None:
    servers.both[0].fault = servers.both[1].fault = lambda _: None
    hosts = [Address("127.0.0.1", server.port) for server in servers.both]
    asked = [dns_check.Server("x", host, "assigned") for host in hosts]
    ref = RRSetRef("example.com", "www", "A")
    before = sockets()
    task = asyncio.create_task(dns_check.compare(asked, ref, "example.com", {}))
    while sum(len(server.asked) for server in servers.both) < 4:  # noqa: ASYNC110 (threads)
        await asyncio.sleep(0.01)
    assert sockets() == before + 4
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    while sockets() > before:  # noqa: ASYNC110 (transports close at the loop's next turns)
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("192.0.2.1", [("192.0.2.1", 53)]),
        ("192.0.2.1:5353, [2001:db8::1]:54", [("192.0.2.1", 5353), ("2001:db8::1", 54)]),
        ("2001:DB8::1,[::1]", [("2001:db8::1", 53), ("::1", 53)]),
    ],
)
def test_resolvers_are_read(given: str, read: list[tuple[str, int]]) -> None:
    assert list(resolver_list(given, [])) == read


@pytest.mark.parametrize(
    "given",
    [
        *("dns.example.net", "192.0.2.1:0", "192.0.2.1:65536", "fe80::1%eth0", "a:1", "[::1]:x"),
        "192.0.2.1,192.0.2.2,192.0.2.3,192.0.2.4,192.0.2.5",
    ],
)
def test_what_is_no_resolver_ends_the_start(given: str) -> None:
    reading = read_settings(HETZNER_DNS.variables, "HETZNER", {"HETZNER_RESOLVERS": given})
    assert any("HETZNER_RESOLVERS" in problem for problem in reading.problems)
