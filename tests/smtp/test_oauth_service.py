"""The token service as it may misbehave: over real connections, and never at the memory's cost."""

from __future__ import annotations

import gzip
import json
import ssl
import tracemalloc
from pathlib import Path
from urllib.parse import parse_qs

import pytest
import trustme

from mcp_serverkit.http.client import HTTP
from smtp_mcp.api.oauth import Client, RefreshedToken
from tests.serverkit.service import Service, answer, connection, serving
from tests.smtp.support import MAIL, Desk
from tests.support.clients import structured, text
from tests.support.time import FakeClock

JSON = "content-type: application/json"


def token(**more: object) -> bytes:
    """An answer with a token."""
    body = json.dumps({"access_token": "access-1", "expires_in": 3600, **more}).encode()
    return answer("200 OK", body, JSON)


def variables(url: str, **more: str) -> dict[str, str]:
    """A login by refresh token."""
    return {
        "SMTP_PASSWORD": "",
        "SMTP_OAUTH_CLIENT_ID": "client",
        "SMTP_OAUTH_CLIENT_SECRET": "client-secret",
        "SMTP_OAUTH_REFRESH_TOKEN": "refresh-1",
        "SMTP_OAUTH_TOKEN_URL": url,
        **more,
    }


def source(service: Service, **more: object) -> RefreshedToken:
    """Tokens of a service on loopback."""
    http = HTTP(connection(f"{service.url}/token?tenant=a", whole=True, **more), environ={})
    client = Client(service.url, "client", "client-secret", "refresh-1")
    return RefreshedToken(client, http, clock=FakeClock())


@pytest.mark.requirement("S-14")
async def test_the_form_goes_to_exactly_the_address_that_was_set() -> None:
    async with serving(token()) as service:
        assert await source(service).token() == "access-1"
    assert service.lines == ["POST /token?tenant=a HTTP/1.1"]
    head = service.heads[0].lower()
    assert "content-type: application/x-www-form-urlencoded\r\n" in head
    assert "accept-encoding: identity\r\n" in head
    assert parse_qs(service.bodies[0].decode()) == {
        "grant_type": ["refresh_token"],
        "client_id": ["client"],
        "client_secret": ["client-secret"],
        "refresh_token": ["refresh-1"],
    }


@pytest.mark.requirement("S-14")
@pytest.mark.parametrize("seconds", [3599, "3599", 3599.5])
async def test_a_lifetime_may_be_decimal_text_and_spares_the_second_request(
    seconds: object,
) -> None:
    async with serving(token(expires_in=seconds)) as service:
        tokens = source(service)
        assert [await tokens.token(), await tokens.token()] == ["access-1", "access-1"]
    assert len(service.heads) == 1


@pytest.mark.parametrize("seconds", [None, True, "soon", "-1", "\u0663", [3600], "9" * 400])
async def test_a_lifetime_that_is_none_keeps_no_token(seconds: object) -> None:
    async with serving(token(expires_in=seconds)) as service:
        tokens = source(service)
        assert [await tokens.token(), await tokens.token()] == ["access-1", "access-1"]
    assert len(service.heads) == 2


HOSTILE = {
    "20 MB of blanks": (
        answer("200 OK", b" " * 20_000_000 + b"{}", JSON),
        "larger than 65536 bytes",
    ),
    "20 MB of an error": (answer("500 No", b" " * 20_000_000, JSON), "HTTP 500"),
    "compressed": (
        answer("200 OK", gzip.compress(b" " * 150_000_000), JSON, "content-encoding: GZIP"),
        "compressed its answer",
    ),
    "a redirect": (
        answer("307 Moved", b"", "location: https://elsewhere.test/"),
        "redirect (HTTP 307)",
    ),
    "nested": (answer("200 OK", b"[" * 60_000, JSON), "with no JSON"),
    "a page": (answer("200 OK", b"<html>log in</html>", "content-type: text/html"), "a web page"),
    "no object": (answer("200 OK", b"[1]", JSON), "JSON that is no object"),
    "cut off": (answer("200 OK", b'{"a"', JSON).replace(b": 4\r", b": 40\r"), "did not finish"),
    "another grant": (
        answer("400 No", b'{"error":"invalid_grant","error_description":"refresh-1"}', JSON),
        "invalid_grant",
    ),
}


@pytest.mark.requirement("C-10", "S-14")
@pytest.mark.parametrize("kind", HOSTILE)
async def test_an_answer_of_no_use_is_told_by_its_variable_and_nothing_is_sent(
    kind: str, desk: Desk
) -> None:
    reply, words = HOSTILE[kind]
    desk.backend.mechanisms = ("XOAUTH2",)
    async with serving(reply) as service:
        tracemalloc.start()
        result = await desk.ask("send_mail", MAIL, **variables(f"{service.url}/token"))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    said = text(result)
    assert result.is_error
    unusable = kind not in {"20 MB of an error", "cut off", "another grant"}
    assert said.startswith("code: auth_failed\n") is unusable
    assert words in said
    assert "Nothing was sent." in said
    assert "SMTP_OAUTH_TOKEN_URL" in said
    assert "unknown" not in said
    assert "refresh-1" not in said
    assert "client-secret" not in said
    assert len(service.heads) == 1
    assert "MAIL" not in desk.backend.verbs()
    # The stand-in itself holds what it has not sent yet.
    assert peak < 45_000_000


@pytest.mark.requirement("C-10", "S-14")
async def test_a_service_that_only_the_file_with_authorities_knows_is_trusted(
    desk: Desk, tmp_path: Path
) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    desk.backend.mechanisms, desk.backend.token = ("XOAUTH2",), "access-1"
    async with serving(token(), tls=context) as service:
        url = f"https://127.0.0.1:{service.port}/token"
        refused = await desk.ask("send_mail", MAIL, **variables(url))
        taken = await desk.ask("send_mail", MAIL, **variables(url, SMTP_CA_FILE=str(file)))
    assert "its certificate is not trusted" in text(refused)
    assert "Nothing was sent." in text(refused)
    assert structured(taken)["sent"] is True
