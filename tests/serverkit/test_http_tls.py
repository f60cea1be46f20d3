"""Certificates: whom an HTTP client trusts, and how it says that it does not."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest
import trustme

from mcp_serverkit.errors import ToolFailure, Unreachable
from tests.serverkit.service import client, serving


async def _talk_nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)
    writer.write(b"220 mail.example ESMTP secret-of-the-server\r\n")
    await writer.drain()


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def _server_context(authority: trustme.CA, host: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(context)
    return context


async def test_a_certificate_that_nobody_vouches_for_is_refused_and_nothing_is_sent(
    authority: trustme.CA,
) -> None:
    async with (
        serving(tls=_server_context(authority, "127.0.0.1")) as service,
        client(f"https://127.0.0.1:{service.port}") as http,
    ):
        with pytest.raises(Unreachable, match="its certificate is not trusted") as caught:
            await http.request("POST", "x")
    assert caught.value.code == "not_sent"
    assert service.heads == []


async def test_a_certificate_of_an_authority_in_the_file_is_trusted(
    authority: trustme.CA, tmp_path: Path
) -> None:
    file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    async with (
        serving(tls=_server_context(authority, "127.0.0.1")) as service,
        client(f"https://127.0.0.1:{service.port}", ca_file=str(file)) as http,
    ):
        assert (await http.request("GET", "x")).ok


async def test_a_certificate_for_another_host_is_refused(
    authority: trustme.CA, tmp_path: Path
) -> None:
    file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    async with (
        serving(tls=_server_context(authority, "other.example")) as service,
        client(f"https://127.0.0.1:{service.port}", ca_file=str(file)) as http,
    ):
        with pytest.raises(Unreachable, match="certificate is not trusted"):
            await http.request("GET", "x")


async def test_insecure_tls_takes_any_certificate(authority: trustme.CA) -> None:
    async with (
        serving(tls=_server_context(authority, "other.example")) as service,
        client(f"https://127.0.0.1:{service.port}", insecure_tls=True) as http,
    ):
        assert (await http.request("GET", "x")).ok


async def test_tls_to_a_plain_port_is_explained() -> None:
    async with (
        serving(behaviour=_talk_nonsense) as service,
        client(f"https://127.0.0.1:{service.port}") as http,
    ):
        with pytest.raises(Unreachable, match="http:// rather than https://"):
            await http.request("GET", "x")


@pytest.mark.parametrize("content", [b"", b"nothing", b"-----BEGIN CERTIFICATE-----\nxx\n"])
async def test_an_authority_file_of_no_use_is_told_by_its_variable(
    content: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "ca.pem"
    file.write_bytes(content)
    async with client("https://kit.example", ca_file=str(file)) as http:
        with pytest.raises(
            ToolFailure, match=r"^KIT_CA_FILE: the file holds no usable certificate"
        ):
            await http.request("GET", "x")
