"""Logging in with access tokens."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
import respx

from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.client import HTTP
from smtp_mcp.api.oauth import Client, RefreshedToken, TokenFile
from tests.serverkit.service import connection
from tests.smtp.support import LEGACY, MAIL, Desk
from tests.support.clients import call, connect, structured, text
from tests.support.person import Person
from tests.support.time import FakeClock

URL = "https://tokens.example.test/token"
REFRESH = {
    "SMTP_PASSWORD": "",
    "SMTP_OAUTH_CLIENT_ID": "client",
    "SMTP_OAUTH_CLIENT_SECRET": "client-secret",
    "SMTP_OAUTH_REFRESH_TOKEN": "refresh-1",
    "SMTP_OAUTH_TOKEN_URL": URL,
    "SMTP_OAUTH_SCOPE": "mail.send",
}


def answer(token: str, **more: object) -> httpx.Response:
    return httpx.Response(200, json={"access_token": token, "expires_in": 3600, **more})


@pytest.mark.parametrize("mechanism", ["XOAUTH2", "OAUTHBEARER"])
async def test_a_refresh_token_logs_in_with_whatever_the_server_offers(
    mechanism: str, desk: Desk
) -> None:
    desk.backend.token, desk.backend.mechanisms = "access-1", (mechanism, "PLAIN")
    with respx.mock(assert_all_called=True) as service:
        route = service.post(URL).mock(return_value=answer("access-1"))
        structured(await desk.ask("send_mail", MAIL, **REFRESH))
    form = dict(httpx.QueryParams(route.calls[0].request.content.decode()))
    assert form == {
        "grant_type": "refresh_token",
        "client_id": "client",
        "client_secret": "client-secret",
        "refresh_token": "refresh-1",
        "scope": "mail.send",
    }
    assert f"AUTH {mechanism}" in " ".join(desk.backend.commands)


@pytest.mark.parametrize("auth", ["xoauth2", "oauthbearer"])
async def test_a_token_is_kept_and_fetched_anew_when_the_server_no_longer_takes_it(
    auth: str, desk: Desk
) -> None:
    desk.backend.mechanisms = ("XOAUTH2", "OAUTHBEARER")
    desk.backend.token = "access-1"
    server = desk.server(**REFRESH, SMTP_AUTH=auth)
    with respx.mock() as service:
        route = service.post(URL).mock(
            side_effect=[answer("access-1", refresh_token="refresh-2"), answer("access-2")]
        )
        structured(await desk.ask_at(server, "send_mail", MAIL))
        structured(await desk.ask_at(server, "send_mail", {**MAIL, "body": "2"}))
        assert route.call_count == 1
        desk.backend.token = "access-2"
        structured(await desk.ask_at(server, "send_mail", {**MAIL, "body": "3"}))
        assert route.call_count == 2
        assert "refresh-2" in route.calls[1].request.content.decode()
    assert desk.backend.verbs().count("AUTH") == 4


async def test_a_fresh_token_that_is_refused_is_not_tried_twice(desk: Desk) -> None:
    desk.backend.mechanisms, desk.backend.token = ("XOAUTH2",), "another"
    with respx.mock() as service:
        service.post(URL).mock(return_value=answer("access-1"))
        result = text(await desk.ask("send_mail", MAIL, **REFRESH))
    assert result.startswith("code: auth_failed\n")
    assert "access token was refused" in result
    assert desk.backend.verbs().count("AUTH") == 1
    assert "access-1" not in result


async def test_an_expired_token_is_fetched_before_it_is_used() -> None:
    clock = FakeClock()
    http = HTTP(connection(URL, whole=True), environ={})
    source = RefreshedToken(Client(URL, "c", refresh_token="r"), http, clock=clock)
    with respx.mock() as service:
        route = service.post(URL).mock(side_effect=[answer("one"), answer("two")])
        assert [await source.token(), await source.token()] == ["one", "one"]
        clock.advance(3_541)
        assert await source.token() == "two"
        assert route.call_count == 2


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (
            httpx.Response(400, json={"error": "invalid_grant", "error_description": "refresh-1"}),
            "invalid_grant",
        ),
        (httpx.Response(400, text="refresh-1"), "HTTP 400"),
        (httpx.Response(400, json={"error": "no grant for the scope Mail"}), "HTTP 400. Nothing"),
        (httpx.Response(200, text="<html>"), "with a web page"),
        (httpx.Response(200, json=["access_token"]), "JSON that is no object"),
        (httpx.Response(200, json={"access_token": "a b"}), "no usable access token"),
        (httpx.Response(200, json={}), "no usable access token"),
        (
            httpx.Response(302, headers={"location": "https://elsewhere.test"}),
            "with a redirect (HTTP 302)",
        ),
    ],
)
async def test_a_service_that_gives_no_token_is_told_without_secrets(
    response: httpx.Response, words: str, desk: Desk
) -> None:
    desk.backend.mechanisms = ("XOAUTH2",)
    with respx.mock() as service:
        service.post(URL).mock(return_value=response)
        result = text(await desk.ask("send_mail", MAIL, **REFRESH))
    assert words in result
    assert "scope Mail" not in result
    assert "refresh-1" not in result
    assert "client-secret" not in result
    assert "MAIL" not in desk.backend.verbs()


async def test_a_service_out_of_reach_is_told(desk: Desk) -> None:
    desk.backend.mechanisms = ("XOAUTH2",)
    with respx.mock() as service:
        service.post(URL).mock(side_effect=httpx.ConnectError("no refresh-1"))
        result = text(await desk.ask("send_mail", MAIL, **REFRESH))
    assert "could not be reached" in result
    assert "refresh-1" not in result


async def test_a_token_file_is_read_for_each_login(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("first\n", encoding="utf-8")
    desk.backend.mechanisms, desk.backend.token = ("XOAUTH2",), "first"
    changes = {"SMTP_PASSWORD": "", "SMTP_OAUTH_TOKEN_FILE": str(path)}
    server = desk.server(**changes)
    structured(await desk.ask_at(server, "send_mail", MAIL))
    path.write_text("second", encoding="utf-8")
    desk.backend.token = "second"
    structured(await desk.ask_at(server, "send_mail", {**MAIL, "body": "2"}))
    desk.backend.token = "third"
    assert "auth_failed" in text(await desk.ask_at(server, "send_mail", {**MAIL, "body": "3"}))
    assert desk.backend.verbs().count("AUTH") == 3


@pytest.mark.parametrize("content", [None, "", "a b", "x" * 17_000])
async def test_a_token_file_without_a_token_is_told_by_its_variable(
    content: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "token"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(ToolFailure, match="SMTP_OAUTH_TOKEN_FILE"):
        await TokenFile(str(path)).token()


async def test_a_server_without_token_logins_gets_none(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("first", encoding="utf-8")
    changes = {"SMTP_PASSWORD": "", "SMTP_OAUTH_TOKEN_FILE": str(path)}
    async with connect(desk.server(**changes), LEGACY, Person()) as client:
        result = text(await call(client, "test_connection"))
    assert result.startswith("code: auth_failed\n")
    assert "AUTH" not in desk.backend.verbs()
