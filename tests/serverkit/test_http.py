"""HTTP that works: what goes out on the wire, and what of an answer is read."""

from __future__ import annotations

import gzip

import httpx
import pytest
import respx

from mcp_serverkit.errors import (
    BadArgument,
    DoneUnreadable,
    NotConfigured,
    Unexpected,
    UpstreamFailure,
)
from mcp_serverkit.http.addresses import encode_segment
from mcp_serverkit.http.client import HTTP, Method
from mcp_serverkit.http.reading import ERROR_BODY_BYTES
from mcp_serverkit.http.response import Response, expect_object
from mcp_serverkit.outcome import Outcome
from tests.serverkit.service import Waits, answer, client, connection, serving

WRITES: tuple[Method, ...] = ("POST", "PUT", "PATCH", "DELETE")


@pytest.mark.requirement("R-25")
@pytest.mark.parametrize(
    ("segments", "path"),
    [
        (("repos", "5", "secrets", "ci/token"), "/repos/5/secrets/ci%2Ftoken"),
        (("a?b",), "/a%3Fb"),
        (("a#b",), "/a%23b"),
        (("a%2Fb",), "/a%252Fb"),
        (("a b",), "/a%20b"),
        (("ä",), "/%C3%A4"),
        (("...", ".hidden", "a..b"), "/.../.hidden/a..b"),
        (("%2e%2e",), "/%252e%252e"),
        (("@", "*"), "/%40/%2A"),
        (("a;b=c", "a+b", "a&b"), "/a%3Bb%3Dc/a%2Bb/a%26b"),
        (("a\\b", "~x"), "/a%5Cb/~x"),
        (("https://reg.example:5000/",), "/https%3A%2F%2Freg.example%3A5000%2F"),
        ((), "/"),
    ],
)
async def test_the_raw_path_is_exactly_the_encoded_segments(
    segments: tuple[str, ...], path: str
) -> None:
    async with serving() as service, client(service.url) as http:
        await http.request("GET", *segments)
    assert service.lines == [f"GET {path} HTTP/1.1"]


async def test_characters_that_the_service_wants_raw_stay_raw() -> None:
    async with serving() as service, client(service.url, path_safe="@*") as http:
        await http.request("GET", "zones", "@", "*.a/b")
    assert service.lines == ["GET /zones/@/*.a%2Fb HTTP/1.1"]


@pytest.mark.parametrize("base", ["/api", "/api/v1", "/%C3%A4"])
async def test_segments_follow_the_path_of_the_base_url(base: str) -> None:
    async with serving() as service, client(f"{service.url}{base}") as http:
        await http.request("GET", "x")
    assert service.lines == [f"GET {base}/x HTTP/1.1"]


@pytest.mark.requirement("R-25")
@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("segment", ["", ".", ".."])
async def test_a_segment_that_would_climb_is_refused_and_nothing_is_sent(
    segment: str, method: Method
) -> None:
    async with serving() as service, client(service.url) as http:
        with pytest.raises(BadArgument, match=r'must not be empty, "\." or "\.\."'):
            await http.request(method, "repos", "5", segment)
    assert service.heads == []


def test_half_a_surrogate_pair_is_no_segment() -> None:
    with pytest.raises(BadArgument, match="surrogate"):
        encode_segment("a\ud800")


async def test_query_body_and_headers_go_out_as_given() -> None:
    async with serving() as service, client(service.url) as http:
        await http.request(
            "POST",
            "x",
            query=[("a", "1 2"), ("a", "ä&b")],
            json={"text": "ä😀", "n": None},
            headers={"authorization": "Bearer tk"},
        )
    head = service.heads[0].lower()
    assert service.lines == ["POST /x?a=1+2&a=%C3%A4%26b HTTP/1.1"]
    assert service.bodies == ['{"text":"ä😀","n":null}'.encode()]
    assert "content-type: application/json\r\n" in head
    assert "authorization: bearer tk\r\n" in head
    assert "user-agent: kit-mcp/1\r\n" in head
    assert "accept: application/json\r\n" in head
    assert "accept-encoding: identity\r\n" in head


@pytest.mark.requirement("C-10", "HO-6")
async def test_a_form_goes_out_urlencoded_and_excludes_json() -> None:
    async with serving() as service, client(service.url) as http:
        await http.request("POST", "x", form={"a b": "ä&=+", "c": ""})
        with pytest.raises(TypeError, match="json or form"):
            await http.request("POST", "x", form={"a": "b"}, json={})
    assert service.bodies == [b"a+b=%C3%A4%26%3D%2B&c="]
    assert "content-type: application/x-www-form-urlencoded\r\n" in service.heads[0].lower()


async def test_content_goes_out_as_it_is_under_the_type_that_is_given() -> None:
    async with serving() as service, client(service.url) as http:
        await http.request(
            "PUT", "x", content=b"\xc3\xa4\n", headers={"content-type": "text/plain"}
        )
    assert service.bodies == [b"\xc3\xa4\n"]
    assert service.heads[0].lower().count("content-type: text/plain\r\n") == 1


@pytest.mark.parametrize("value", [float("inf"), float("nan"), "\ud800"])
async def test_what_a_service_reported_and_json_cannot_carry_is_not_sent_back(
    value: object,
) -> None:
    async with serving() as service, client(service.url) as http:
        with pytest.raises(Unexpected, match="cannot be sent back") as caught:
            await http.request("PATCH", "x", json={"kept": value})
    assert caught.value.outcome == "not_done"
    assert service.heads == []


@pytest.mark.requirement("C-10")
@pytest.mark.parametrize("status", ["503 Busy", "200 OK"])
async def test_what_is_not_asked_for_itself_has_no_outcome_and_is_not_repeated(
    status: str,
) -> None:
    waits = Waits()
    bad = answer(status, b"", "content-encoding: br")
    async with serving(bad) as service, client(service.url, waits=waits) as http:
        with pytest.raises(Unexpected, match="compressed") as caught:
            await http.request("POST", "x", form={"a": "b"}, effect=False)
        assert caught.value.outcome is None
        with pytest.raises(UpstreamFailure) as with_effect:
            await http.request("POST", "x", form={"a": "b"})
        assert with_effect.value.outcome == ("unknown" if status.startswith("503") else "done")
    assert len(service.heads) == 2
    assert waits.seconds == []


@pytest.mark.requirement("C-10")
@pytest.mark.parametrize("coding", ["identity", "Identity", "IDENTITY", ""])
async def test_no_compression_may_be_written_in_any_way(coding: str) -> None:
    plain = answer("200 OK", b"{}", f"content-encoding: {coding}")
    async with serving(plain) as service, client(service.url) as http:
        assert (await http.request("GET", "x")).body == b"{}"


@pytest.mark.parametrize("coding", ["gzip", "GZip", "identity, gzip", "x"])
async def test_any_other_coding_is_refused_and_a_write_was_done(coding: str) -> None:
    coded = answer("200 OK", b"{}", f"content-encoding: {coding}", "content-type: application/json")
    async with serving(coded) as service, client(service.url) as http:
        with pytest.raises(Unexpected):
            await http.request("GET", "x")
        with pytest.raises(DoneUnreadable, match="compressed"):
            await http.request("POST", "x")


async def test_a_success_of_another_type_than_the_announced_is_none_of_the_service() -> None:
    page = answer("200 OK", b"fine", "content-type: Text/Plain; charset=utf-8")
    async with serving(page) as service, client(service.url) as http:
        assert (await http.request("GET", "x")).ok
        with pytest.raises(Unexpected, match=r"did not answer POST itself.*text/plain") as caught:
            await http.request("POST", "x")
    assert caught.value.outcome == "unknown"
    assert "KIT_URL" in caught.value.hint


async def test_a_whole_address_is_taken_as_it_stands() -> None:
    async with serving() as service:
        async with client(f"{service.url}/token?a=b", whole=True) as http:
            await http.request("POST", form={"c": "d"})
        async with client(f"{service.url}/base") as http:
            await http.request("GET")
    assert service.lines == ["POST /token?a=b HTTP/1.1", "GET /base/ HTTP/1.1"]


@pytest.mark.requirement("HO-6")
@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Response(200, {"content-type": "text/html"}, b"{}"), "with a web page (text/html)."),
        (Response(200, {"content-type": "application/xml"}, b""), "a web page (application/xml)."),
        (Response(200, {}, b" \n<a>"), "with a web page (no content type)."),
        (Response(200, {"content-type": "a/b"}, b"{"), "with no JSON (a/b)."),
        (Response(200, {}, b"[1]"), "with JSON that is no object."),
    ],
)
@pytest.mark.parametrize("outcome", [None, "unknown", "done"])
def test_an_answer_of_no_use_is_told_in_one_way(
    reply: Response, text: str, outcome: Outcome | None
) -> None:
    with pytest.raises(UpstreamFailure) as caught:
        expect_object(reply.with_outcome(outcome), "kit", "KIT_URL", "GET /x")
    assert caught.value.text.startswith("kit answered GET /x ")
    assert caught.value.text.endswith(text)
    assert caught.value.outcome == outcome
    assert ("KIT_URL" in caught.value.hint) is (outcome != "done")


def test_an_answer_tells_whether_it_is_blank_and_its_error_fields() -> None:
    assert Response(200, {}, b" \n" * 100).is_blank
    assert not Response(200, {}, b" " * 100 + b"x").is_blank
    assert expect_object(Response(200, {}, b'{"a":1}'), "kit", "KIT_URL", "GET /x") == {"a": 1}
    assert Response(400, {}, b'{"code":7}').error_field("code") == 7
    for body in (b"", b"[1]", b"[" * 200_000, b'{"other":1}'):
        assert Response(400, {}, body).error_field("code") is None


async def test_a_request_without_a_body_names_no_content_type() -> None:
    async with serving() as service, client(service.url) as http:
        await http.request("DELETE", "x", headers={"accept": "text/plain"})
    assert "content-type" not in service.heads[0].lower()
    assert "accept: text/plain\r\n" in service.heads[0].lower()


@pytest.mark.parametrize("value", ["tk\nx: y", "tk\r", "tkä", "tk\x00", "tk\t"])
async def test_a_header_that_cannot_stand_is_refused_and_not_repeated(value: str) -> None:
    async with serving() as service, client(service.url) as http:
        with pytest.raises(NotConfigured, match="authorization header") as caught:
            await http.request("GET", "x", headers={"authorization": f"Bearer {value}"})
    assert "tk" not in str(caught.value)
    assert service.heads == []


@pytest.mark.parametrize("status", [300, 301, 302, 304, 307, 308, 399])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_redirect_is_an_error_about_the_address_and_not_followed(
    status: int, method: Method
) -> None:
    async with serving() as target:
        moved = answer(f"{status} Moved", b"secret page", f"location: {target.url}/x")
        async with serving(moved) as service, client(service.url) as http:
            with pytest.raises(Unexpected, match=rf"redirect \(HTTP {status}\)") as caught:
                await http.request(method, "x", headers={"authorization": "Bearer tk"})
    assert caught.value.hint == "Set KIT_URL to the final address."
    assert "secret" not in caught.value.text
    assert target.heads == []


async def test_a_body_up_to_the_bound_is_read_and_a_longer_one_refused() -> None:
    async with serving(answer("200 OK", b"x" * 100)) as service, client(service.url) as http:
        reply = await http.request("GET", "x", max_bytes=100)
        assert reply.body == b"x" * 100
        with pytest.raises(Unexpected, match="larger than 99 bytes"):
            await http.request("GET", "x", max_bytes=99)


async def test_of_an_error_only_a_part_is_read_and_the_status_comes_first() -> None:
    huge = b"e" * (ERROR_BODY_BYTES * 3)
    async with serving(answer("422 No", huge)) as service, client(service.url) as http:
        reply = await http.request("GET", "x", max_bytes=10)
    assert reply.status == 422
    assert not reply.ok
    assert len(reply.body) == ERROR_BODY_BYTES


@pytest.mark.parametrize("status", ["200 OK", "500 No"])
async def test_a_compressed_answer_that_could_outgrow_every_bound_is_refused(status: str) -> None:
    bomb = gzip.compress(b"0" * 10_000_000)
    async with (
        serving(answer(status, bomb, "content-encoding: gzip")) as service,
        client(service.url) as http,
    ):
        with pytest.raises(Unexpected, match="kit compressed its answer"):
            await http.request("GET", "x")


async def test_an_answer_without_length_is_bounded_all_the_same() -> None:
    endless = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10_000
    async with serving(endless) as service, client(service.url) as http:
        with pytest.raises(Unexpected, match="larger than 1000 bytes"):
            await http.request("GET", "x", max_bytes=1_000)
        assert (await http.request("GET", "x")).body == b"x" * 10_000


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_a_get_is_repeated_twice_on_a_passing_error(status: int) -> None:
    waits = Waits()
    bad = answer(f"{status} Bad")
    async with (
        serving(bad, bad, answer("200 OK", b"{}")) as service,
        client(service.url, waits=waits) as http,
    ):
        assert (await http.request("GET", "x")).ok
    assert len(service.heads) == 3
    assert waits.seconds == [0.3, 1.0]


async def test_after_two_repeats_the_error_is_the_answer() -> None:
    async with serving(answer("503 Busy")) as service, client(service.url) as http:
        assert (await http.request("GET", "x")).status == 503
    assert len(service.heads) == 3


@pytest.mark.parametrize("status", [500, 501, 400, 401, 403, 404, 409, 408, 425])
async def test_a_get_is_not_repeated_on_any_other_error(status: int) -> None:
    async with serving(answer(f"{status} No")) as service, client(service.url) as http:
        assert (await http.request("GET", "x")).status == status
    assert len(service.heads) == 1


@pytest.mark.parametrize("method", WRITES)
@pytest.mark.parametrize("status", ["502 Bad", "503 Busy", "504 Late", "429 Slow"])
async def test_a_write_is_never_repeated(status: str, method: Method) -> None:
    async with (
        serving(answer(status, b"", "retry-after: 0")) as service,
        client(service.url) as http,
    ):
        await http.request(method, "x")
    assert len(service.heads) == 1


@pytest.mark.parametrize(
    ("header", "waited"),
    [
        ("retry-after: 0", [0.0, 0.0]),
        ("retry-after: 5", [5.0, 5.0]),
        ("retry-after: 6", []),
        ("retry-after: 999999999999", []),
        ("x-none: 1", [0.3, 1.0]),
        ("retry-after: Wed, 21 Oct 2099 07:28:00 GMT", []),
        ("retry-after: \u00b2", []),
        ("retry-after: soon", []),
    ],
)
async def test_a_get_waits_for_a_service_that_asks_for_a_short_wait(
    header: str, waited: list[float]
) -> None:
    waits = Waits()
    async with (
        serving(answer("429 Slow", b"", header)) as service,
        client(service.url, waits=waits) as http,
    ):
        assert (await http.request("GET", "x")).status == 429
    assert waits.seconds == waited
    assert len(service.heads) == len(waited) + 1


async def test_where_a_repeat_does_harm_429_is_the_answer() -> None:
    async with (
        serving(answer("429 Slow", b"", "retry-after: 0")) as service,
        client(service.url, repeat_429=False) as http,
    ):
        assert (await http.request("GET", "x")).status == 429
    assert len(service.heads) == 1


@respx.mock
async def test_one_pool_serves_all_requests_and_closing_twice_is_fine() -> None:
    route = respx.get("https://kit.example/v1/x").mock(httpx.Response(200, json={"a": 1}))
    http = HTTP(connection("https://kit.example/v1"), environ={})
    replies = [await http.request("GET", "x") for _ in range(3)]
    await http.aclose()
    await http.aclose()
    assert [reply.json() for reply in replies] == [{"a": 1}] * 3
    assert route.call_count == 3


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"\xff",
        b"NaN",
        b'{"a": Infinity}',
        b"{} {}",
        b"[" * 200_000,
        b"\xef\xbb\xbf{}",
    ],
    ids=["empty", "a page", "no UTF-8", "NaN", "Infinity", "two", "deep", "with a mark"],
)
def test_a_body_that_is_no_json_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        Response(200, {}, body).json()


def test_a_reply_tells_its_type_text_and_json() -> None:
    reply = Response(201, {"content-type": "Application/JSON; charset=utf-8"}, '{"ä":1}'.encode())
    assert reply.ok
    assert reply.content_type == "application/json"
    assert reply.json() == {"ä": 1}
    assert Response(200, {}, b"M\xfcller").text == "M\ufffdller"
    assert Response(200, {}, b"").content_type == ""
    assert [Response(status, {}, b"").ok for status in (199, 200, 299, 300)] == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("url", ["http://-ä-.example", "http://\u200b.example"])
async def test_an_address_that_names_no_possible_host_is_told_by_its_variable(url: str) -> None:
    async with client(url) as http:
        with pytest.raises(NotConfigured, match="KIT_URL"):
            await http.request("GET", "x")
