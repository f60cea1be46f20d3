"""The proxy variables of a desktop: which one counts, and what of it is told."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest

from mcp_serverkit.errors import NotConfigured, Unreachable
from mcp_serverkit.http.client import HTTP, Method
from mcp_serverkit.http.connection import _proxy_context
from mcp_serverkit.http.proxies import proxy_for
from tests.serverkit.service import Waits, answer, client, connection, serving


@pytest.mark.requirement("R-23")
@pytest.mark.parametrize(
    ("environ", "proxy"),
    [
        ({}, None),
        ({"http_proxy": "http://p.example:3128"}, "http://p.example:3128"),
        ({"HTTP_PROXY": "http://p.example:3128"}, "http://p.example:3128"),
        ({"http_proxy": "p.example:3128"}, "http://p.example:3128"),
        ({"http_proxy": "http://lower:1", "HTTP_PROXY": "http://upper:1"}, "http://lower:1"),
        ({"all_proxy": "http://all:1"}, "http://all:1"),
        ({"all_proxy": "http://all:1", "http_proxy": "http://own:1"}, "http://own:1"),
        ({"https_proxy": "http://p.example:1"}, None),
        ({"http_proxy": "  "}, None),
        ({"http_proxy": "http://p:1", "no_proxy": "*"}, None),
        ({"http_proxy": "http://p:1", "no_proxy": "kit.example"}, None),
        ({"http_proxy": "http://p:1", "no_proxy": ".example"}, None),
        ({"http_proxy": "http://p:1", "no_proxy": "*.example"}, None),
        ({"http_proxy": "http://p:1", "NO_PROXY": "other,KIT.example"}, None),
        ({"http_proxy": "http://p:1", "no_proxy": "localhost\nkit.example"}, None),
        ({"http_proxy": "http://p:1", "no_proxy": "kit.example:80"}, "http://p:1"),
        ({"http_proxy": "http://p:1", "no_proxy": "kit.example:8080"}, None),
        ({"http_proxy": "http://p:1", "no_proxy": "it.example"}, "http://p:1"),
        ({"http_proxy": "http://p:1", "no_proxy": "10.0.0.0/8,,*:1"}, "http://p:1"),
    ],
)
def test_the_usual_variables_decide_about_a_proxy(
    environ: dict[str, str], proxy: str | None
) -> None:
    assert proxy_for("http://kit.example:8080/x", environ) == proxy


@pytest.mark.requirement("R-23")
@pytest.mark.parametrize(
    ("url", "exempt"),
    [
        ("http://10.1.2.3", True),
        ("http://11.1.2.3", False),
        ("http://[fd00::1]", True),
        ("http://[fe80::1]", False),
    ],
)
def test_an_address_may_be_exempt_by_its_network(url: str, exempt: bool) -> None:
    environ = {"http_proxy": "http://p:1", "no_proxy": "10.0.0.0/8 [fd00::]/8,fd00::/8"}
    assert (proxy_for(url, environ) is None) is exempt


@pytest.mark.requirement("R-23")
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_loopback_never_goes_through_a_proxy(host: str) -> None:
    assert proxy_for(f"http://{host}:80", {"all_proxy": "socks://127.0.0.1:10808"}) is None


@pytest.mark.requirement("R-23")
@pytest.mark.parametrize(
    "value",
    [
        "socks://127.0.0.1:10808",
        "socks5://user:geheim@127.0.0.1:1",
        "http://",
        "http://:3128",
        "http://user:ge heim@p:1",
        "http://user:geheim@p\n:1",
        "http://p:99999",
        "http://p:0",
        "http://[::1",
        "http://-ä-.geheim:1",
        "http://p:geheim",
    ],
)
async def test_a_proxy_of_no_use_is_told_by_its_variable_and_not_repeated(value: str) -> None:
    async with client("http://kit.example", environ={"ALL_PROXY": value}) as http:
        with pytest.raises(NotConfigured, match=r"^ALL_PROXY holds no http") as caught:
            await http.request("GET", "x")
    assert "geheim" not in caught.value.text


@pytest.mark.requirement("R-23")
async def test_a_request_goes_through_the_proxy_and_its_password_stays_out_of_errors() -> None:
    async with serving(answer("403 No", b"geheim")) as proxy:
        environ = {"http_proxy": f"http://user:geheim@127.0.0.1:{proxy.port}"}
        async with client("http://kit.example", environ=environ) as http:
            assert (await http.request("GET", "x")).status == 403
    assert proxy.lines == ["GET http://kit.example/x HTTP/1.1"]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("status", ["407 Proxy Authentication Required", "403 geheim", "502 Bad"])
async def test_a_tunnel_that_a_proxy_refuses_carried_nothing(status: str, method: Method) -> None:
    waits = Waits()
    async with serving(answer(status)) as proxy:
        environ = {"https_proxy": f"http://user:geheim@127.0.0.1:{proxy.port}"}
        async with client("https://kit.example", environ=environ, waits=waits) as http:
            with pytest.raises(Unreachable) as caught:
                await http.request(method, "x", json={})
    assert caught.value.code == "not_sent"
    assert caught.value.text == "kit could not be reached: the proxy refused."
    assert len(waits.seconds) == (2 if method == "GET" else 0)
    assert {line.split(" ")[0] for line in proxy.lines} == {"CONNECT"}


def test_the_process_environment_is_the_source_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "nonsense://")
    http = HTTP(connection("http://kit.example"))
    with pytest.raises(NotConfigured, match="HTTP_PROXY"):
        asyncio.run(http.request("GET", "x"))


async def test_no_library_reads_the_process_environment_behind_our_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login user password geheim\n", encoding="utf-8")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with serving() as service, client(service.url) as http:
        assert (await http.request("GET", "x")).ok
    assert "authorization" not in service.heads[0].lower()


def test_a_proxy_that_is_reached_by_tls_must_show_a_known_certificate() -> None:
    context = _proxy_context("https://proxy.example:3128")
    assert context is not None
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert _proxy_context("http://proxy.example:3128") is None
