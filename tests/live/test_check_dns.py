"""check_dns against a real name server: two of NSD on loopback, as two assigned servers."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import dns.exception
import dns.message
import dns.query
import pytest

from hetzner_dns_mcp.addresses import Address
from tests.backends.hetzner import ASSIGNED, HetznerBackend
from tests.hetzner_dns.conftest import (  # noqa: F401 (fixtures)
    MakeServer,
    backend,
    make_app,
    make_server,
    make_values,
    waiting,
)
from tests.live import services
from tests.support.clients import ERAS, Era, call, connect, structured

pytestmark = [pytest.mark.live("nsd"), pytest.mark.timeout(120)]

Answers = list[dict[str, object]]


def free_port() -> int:
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def nsd(folder: Path, zonefile: str, zone: str = "example.com") -> Iterator[int]:
    """Run NSD with one zone, until it answers and then as long as it is needed."""
    folder.mkdir()
    (folder / "zone").write_text(zonefile, encoding="utf-8")
    port = free_port()
    settings = [
        "server:",
        f"ip-address: 127.0.0.1@{port}",
        'username: ""',
        'chroot: ""',
        'database: ""',
        f'zonesdir: "{folder}"',
        *(f'{name}: "{folder / name}"' for name in ("pidfile", "xfrdfile", "zonelistfile")),
        f'xfrdir: "{folder}"',
        f'logfile: "{folder / "log"}"',
        "server-count: 1",
        "remote-control:",
        "control-enable: no",
        "zone:",
        f"name: {zone}",
        'zonefile: "zone"',
    ]
    file = folder / "nsd.conf"
    file.write_text("\n".join(settings) + "\n", encoding="utf-8")
    process = subprocess.Popen([str(services.nsd()), "-d", "-c", str(file)])
    try:
        while not answers_at(port):
            assert process.poll() is None, (folder / "log").read_text(encoding="utf-8")
        yield port
    finally:
        process.terminate()
        process.wait()


def answers_at(port: int) -> bool:
    """Tell whether a server answers."""
    query = dns.message.make_query("version.server.", "TXT", rdclass="CH")
    try:
        dns.query.udp(query, "127.0.0.1", timeout=1.0, port=port)
    except dns.exception.DNSException:
        return False
    return True


async def checked(
    make: MakeServer, ports: list[int], era: Era, **arguments: object
) -> tuple[Answers, dict[str, object]]:
    hosts = {host.removesuffix("."): port for host, port in zip(ASSIGNED, ports, strict=False)}

    async def look_up(host: str) -> list[Address]:
        return [Address("127.0.0.1", hosts[host])]

    server = make(HETZNER_EXTRAS="true", look_up=look_up)
    async with connect(server, era) as client:
        result = structured(await call(client, "check_dns", {"zone": "example.com", **arguments}))
    return cast("Answers", result["answers"]), result


@pytest.mark.parametrize("era", ERAS)
async def test_two_real_servers(
    era: Era,
    tmp_path: Path,
    backend: HetznerBackend,  # noqa: F811
    make_server: MakeServer,  # noqa: F811
) -> None:
    backend.project.zone("example.com").assigned = ASSIGNED[:2]
    backend.add_rrset("example.com", "@", "NS", ASSIGNED[:2])
    backend.add_rrset("example.com", "long", "TXT", [" ".join([f'"{"x" * 250}"'] * 8)])
    good = backend.zonefile("example.com")
    serial = backend.project.zone("example.com").serial
    other = good.replace("198.51.100.1", "198.51.100.9").replace(str(serial), str(serial - 1))
    with nsd(tmp_path / "one", good) as one, nsd(tmp_path / "two", good) as two:
        found, result = await checked(make_server, [one, two], era, name="www")
        assert [(answer["status"], answer["match"]) for answer in found] == [("ok", True)] * 2
        assert result["serials_agree"] is True
        found, _ = await checked(make_server, [one, two], era, name="long", type="TXT")
        assert [answer["match"] for answer in found] == [True, True]
        found, _ = await checked(make_server, [one, two], era, name="none")
        assert [(a["status"], a["match"]) for a in found] == [("nxdomain", True)] * 2
        with nsd(tmp_path / "three", other) as three:
            found, result = await checked(make_server, [one, three], era, name="www")
            assert [answer["match"] for answer in found] == [True, False]
            assert result["serials_agree"] is False
        found, _ = await checked(make_server, [one, three], era, name="www")
        assert found[0]["match"] is True
        assert found[1]["status"] in {"timeout", "unreachable"}
        foreign = good.replace("example.com", "example.net")
        with nsd(tmp_path / "four", foreign, "example.net") as four:
            found, _ = await checked(make_server, [one, four], era, name="www")
            assert (found[1]["status"], found[1]["match"]) == ("refused", False)
