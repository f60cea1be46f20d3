"""What the client makes of answers that are no success, and of those that only look like one."""

from __future__ import annotations

import pytest

from hetzner_dns_mcp.api.client import HetznerClient
from hetzner_dns_mcp.api.types import RRSetRef
from mcp_serverkit.errors import Refused, Unexpected
from mcp_serverkit.tools.results import failure_text
from tests.backends.hetzner import HetznerBackend

WWW = RRSetRef("example.com", "www", "A")
RECORDS = {"records": [{"value": "198.51.100.2"}]}


@pytest.mark.requirement("T-hetzner-29")
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("locked", "list_zone_actions"),
        ("protected", "change_rrset_protection"),
        ("uniqueness_error", "set_records"),
        ("incorrect_zone_mode", "mode"),
        ("token_readonly", "read & write"),
        ("unauthorized", "HETZNER_API_TOKEN"),
        ("maintenance", "Hetzner's side"),
        ("deprecated_api_endpoint", "update"),
        ("not_found", "list_zones"),
        ("not_found", "a zone with create_zone"),
    ],
)
async def test_the_hint_follows_the_code(
    code: str, words: str, client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.fail_next(code, method="POST", headers={"X-Correlation-Id": "abc123"})
    with pytest.raises(Refused) as refused:
        await client.rrset_action(WWW, "set_records", RECORDS)
    said = failure_text(refused.value)
    assert said.startswith(f"code: {code}\n")
    assert words in refused.value.hint
    assert "as the test wants it" in said
    assert "abc123" in said


@pytest.mark.requirement("T-hetzner-29")
async def test_a_web_page_is_never_repeated(client: HetznerClient, backend: HetznerBackend) -> None:
    page = b"<html>" + b"please log in " * 150_000 + b"</html>"
    backend.respond_next(401, page, content_type="text/html")
    with pytest.raises(Refused) as refused:
        await client.get_zone("example.com")
    said = failure_text(refused.value)
    assert "failed with HTTP 401" in said
    assert "HETZNER_API_TOKEN" in said
    assert "please log in" not in said


async def test_details_of_an_error_are_told(client: HetznerClient, backend: HetznerBackend) -> None:
    details = {
        "fields": [{"name": "records[0].value", "messages": ["too long"]}, {"messages": None}],
        "limits": [{"name": "zones"}],
        "announcement": "it ends soon",
    }
    error = {"code": "invalid_input", "message": "no", "details": details}
    backend.respond_next(422, {"error": error})
    with pytest.raises(Refused) as refused:
        await client.get_zone("example.com")
    for part in ("records[0].value: too long", "a field", "limit: zones", "it ends soon"):
        assert part in refused.value.body


@pytest.mark.parametrize("body", [b"plain words", b'{"error": "x"}', b'{"error": {"code": "E 1"}}'])
async def test_an_error_in_another_shape_is_told_by_its_status(
    body: bytes, client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.respond_next(500, body, content_type="text/plain")
    with pytest.raises(Refused) as refused:
        await client.get_zone("example.com")
    assert refused.value.error_code is None
    assert "Hetzner's side" in refused.value.hint


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_success_that_is_no_json_is_an_error_about_the_address(
    method: str, client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.respond_next(200, b"<html></html>", content_type="text/html")
    act = client.get_zone if method == "GET" else client.delete_zone
    with pytest.raises(Unexpected, match="text/html") as failure:
        await act("example.com")
    assert (failure.value.outcome == "unknown") is (method == "POST")


@pytest.mark.requirement("T-hetzner-39")
async def test_a_redirect_is_refused_and_not_followed(
    client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.respond_next(302, headers={"Location": "http://127.0.0.1:1/elsewhere"})
    with pytest.raises(Unexpected, match="redirect"):
        await client.get_zone("example.com")
    assert len(backend.requests) == 1


async def test_a_reset_beyond_the_calendar_is_told_as_unreadable(
    client: HetznerClient, backend: HetznerBackend
) -> None:
    headers = {"RateLimit-Reset": "9" * 15}
    backend.fail_next("rate_limit_exceeded", headers=headers)
    with pytest.raises(Refused) as refused:
        await client.get_zone("example.com")
    assert "an unreadable time" in refused.value.hint


@pytest.mark.parametrize("body", [b"{", b"[" * 100_000, b"nonsense"])
async def test_broken_json_is_an_error_about_the_address(
    body: bytes, client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.respond_next(200, body)
    with pytest.raises(Unexpected, match="with no JSON"):
        await client.get_zone("example.com")
