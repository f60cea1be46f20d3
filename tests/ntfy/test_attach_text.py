"""A text that is published as a file: its fields travel as headers."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from email.header import decode_header, make_header

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ntfy_mcp.api.message_headers import message_headers
from ntfy_mcp.tools.publishing import FILE_BYTES
from tests.backends.ntfy import NtfyBackend
from tests.ntfy.conftest import ADMIN
from tests.ntfy.support import ALLOWLIST, listed, publish_refused, serve, use, writes
from tests.support.clients import ERAS, Arguments, Era, structured, text

LONG = "größer\n" * 3000


@pytest.fixture
def files() -> Iterator[NtfyBackend]:
    """An instance that takes files."""
    with NtfyBackend(attachments=True) as running:
        running.add_user(*ADMIN, role="admin")
        yield running


async def attached(
    backend: NtfyBackend, arguments: Arguments, era: Era = ERAS[0]
) -> dict[str, object]:
    """Publish with a file to one topic; return its entry."""
    result = structured(await use(serve(backend, ALLOWLIST), "publish_message", arguments, era=era))
    (entry,) = listed(result, "results")
    return entry


def fetched(entry: dict[str, object]) -> bytes:
    """The file behind the address of a result, read without a login."""
    attachment = entry["attachment"]
    assert isinstance(attachment, dict)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(str(attachment["url"]), timeout=10) as answer:
        return bytes(answer.read())


@pytest.mark.requirement("R-33")
@pytest.mark.parametrize("era", ERAS)
async def test_a_file_arrives_character_for_character(era: Era, files: NtfyBackend) -> None:
    given = {
        "attach_text": LONG,
        "filename": "bericht größer.log",
        "title": "Nächtlich",
        "message": "Zeile 1\nZeile 2",
    }
    entry = await attached(files, given, era)
    assert len(fetched(entry)) == 27_000
    assert fetched(entry).decode() == LONG
    (kept,) = files.cached("alerts")
    assert (kept["title"], kept["message"]) == ("Nächtlich", "Zeile 1\nZeile 2")
    attachment = entry["attachment"]
    assert isinstance(attachment, dict)
    assert set(attachment) == {"name", "size", "expires", "url"}
    assert (attachment["name"], attachment["size"]) == ("bericht größer.log", 27_000)
    assert re.fullmatch(r"[0-9-]{10}T[0-9:]{8}Z", attachment["expires"])
    (request,) = writes(files)
    assert (request.method, request.target) == ("PUT", "/alerts")
    assert all(value.isascii() for value in request.headers.values())
    assert (entry["ok"], entry["id"], entry.get("note")) == (True, kept["id"], None)


async def test_every_field_goes_with_it(files: NtfyBackend) -> None:
    button = {"action": "http", "label": "Öffnen", "url": "https://h.example/?a=?b=", "body": "{}"}
    given = {
        "attach_text": "x",
        "title": "=?UTF-8?B?w6Q=?=",
        "priority": "urgent",
        "tags": ["größe", "tada"],
        "click": "https://c.example",
        "icon": "https://i.example/i.png",
        "markdown": True,
        "actions": [button],
        "delay": "30m",
        "firebase": False,
    }
    entry = await attached(files, given)
    assert entry["scheduled"] is True
    (kept,) = files.cached("alerts")
    assert {name: kept.get(name) for name in ("title", "priority", "tags", "click", "icon")} == {
        "title": "=?UTF-8?B?w6Q=?=",
        "priority": 5,
        "tags": ["größe", "tada"],
        "click": "https://c.example",
        "icon": "https://i.example/i.png",
    }
    assert kept["content_type"] == "text/markdown"
    actions = kept["actions"]
    assert isinstance(actions, list)
    assert {name: actions[0][name] for name in button} == button
    (request,) = writes(files)
    assert (request.headers["x-firebase"], request.headers["x-delay"]) == ("no", "30m")
    assert request.headers["x-priority"] == "5"
    assert "x-cache" not in request.headers
    # The first text is Latin for ntfy and no code, so it must not travel as it is.
    assert request.headers["x-title"] != given["title"]


async def test_alone_it_has_a_name_and_ntfys_own_text(files: NtfyBackend) -> None:
    entry = await attached(files, {"attach_text": "x", "tags": [], "markdown": False})
    (kept,) = files.cached("alerts")
    assert kept["message"] == "You received a file: text.txt"
    assert "note" not in entry
    assert set(writes(files)[0].headers) & {"x-tags", "x-markdown", "x-message"} == set()


async def test_what_is_not_stored_says_so(files: NtfyBackend) -> None:
    entry = await attached(files, {"attach_text": "x", "cache": False})
    assert writes(files)[0].headers["x-cache"] == "no"
    assert "not cached" in str(entry["note"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"attach": "https://a.example/f"}, "attach_text: does not go with attach"),
        ({"attach_text": ""}, "attach_text: needs at least 1"),
        ({"attach_text": "ä" * (FILE_BYTES // 2) + "x"}, "attach_text: is 65537 bytes"),
        ({"message": "a\\nb"}, "message: holds the two characters \\n"),
        ({"message": " "}, "message: holds nothing but white space"),
        ({"message": "ä" * 2048}, "message: is 4096 bytes"),
        ({"filename": " "}, "filename: holds nothing but white space"),
        ({"filename": "a/b"}, "filename: must be a bare file name"),
        ({"delay": "30m", "cache": False}, "cache: a delayed notification must be cached"),
        ({"click": "https://(redacted)@h.example"}, "click: a value was redacted"),
    ],
    ids=str,
)
async def test_what_does_not_go_with_it_is_refused_before_any_request(
    arguments: Arguments, words: str, backend: NtfyBackend
) -> None:
    said = await publish_refused(backend, {"attach_text": "x", **arguments})
    assert said.startswith(words)


async def test_headers_have_a_bound_and_the_largest_is_named(files: NtfyBackend) -> None:
    url = "https://h.example/"
    # 100 characters for the other headers and for the frame of this one.
    most = {"attach_text": "x", "click": url + "x" * 2000, "icon": url + "x" * 2000}
    said = await publish_refused(files, {**most, "message": "ä" * 2000})
    assert said.startswith("message: beside attach_text all fields together are ")
    assert "of at most 7000" in said
    assert (await attached(files, {**most, "message": "x" * 2700}))["ok"] is True


async def test_a_file_name_alone_is_still_refused(backend: NtfyBackend) -> None:
    said = await publish_refused(backend, {"message": "x", "filename": "f.txt"})
    assert said.startswith("filename: goes only with attach or attach_text")


async def test_an_instance_without_files_says_so(backend: NtfyBackend) -> None:
    result = await use(serve(backend, ALLOWLIST), "publish_message", {"attach_text": "x"})
    assert result.is_error
    assert "code 40014" in text(result)
    assert "This instance takes no files" in text(result)


async def test_a_file_that_goes_before_its_message_is_refused(files: NtfyBackend) -> None:
    given = {"attach_text": "x", "delay": "4h"}
    result = await use(serve(files, ALLOWLIST), "publish_message", given)
    assert "code 40015" in text(result)
    assert "shorten delay" in text(result)


@pytest.mark.parametrize(
    ("code", "words"), [(41301, "larger than this instance allows"), (42905, "bandwidth of today")]
)
async def test_limits_are_told_by_their_code(code: int, words: str, files: NtfyBackend) -> None:
    files.fail_next(code, method="PUT")
    result = await use(serve(files, ALLOWLIST), "publish_message", {"attach_text": "x"})
    assert f"code {code}" in text(result)
    assert words in text(result)


async def test_an_instance_that_is_elsewhere_is_not_called_old(files: NtfyBackend) -> None:
    files.fail_next(40401, method="PUT")
    result = await use(serve(files, ALLOWLIST), "publish_message", {"attach_text": "x"})
    assert "NTFY_URL must be the address of the server" in text(result)


async def test_an_answer_that_names_no_file_is_a_success_with_a_note(files: NtfyBackend) -> None:
    files.respond_next(200, {"id": "Ab3dE5gH7jK9", "time": 1}, method="PUT")
    entry = await attached(files, {"attach_text": "x"})
    assert entry["ok"] is True
    assert entry["note"] == "ntfy's answer names no file"
    assert "attachment" not in entry


async def test_each_topic_gets_one_request_and_none_is_repeated(files: NtfyBackend) -> None:
    server = serve(files)
    given = {"attach_text": "x", "topics": ["a", "b", "c"]}
    result = structured(await use(server, "publish_message", given))
    assert result["published"] == 3
    assert [request.target for request in writes(files)] == ["/a", "/b", "/c"]
    files.clear_requests()
    files.drop_next(method="PUT", after_effect=True)
    lost = await use(server, "publish_message", given)
    assert lost.is_error
    assert "outcome_unknown" in text(lost)
    assert len(writes(files)) == 1


async def test_a_revision_takes_no_file(backend: NtfyBackend) -> None:
    given = {"sequence_id": "x", "topic": "alerts", "attach_text": "x"}
    result = await use(serve(backend), "update_message", given)
    assert text(result).startswith("attach_text")
    assert backend.requests == []


@example(" x")
@example("x ")
@given(st.text(min_size=1, max_size=300))
def test_any_text_survives_the_way_through_a_header(title: str) -> None:
    header = message_headers({"title": title})["x-title"]
    assert header.isascii()
    assert header.isprintable()
    if header == title:
        assert "=?" not in header
        assert header == header.strip()
        return
    words = header.split(" ")
    assert all(len(word) <= 75 for word in words)
    # Each word holds whole characters.
    assert "".join(str(make_header(decode_header(word))) for word in words) == title


def test_a_plain_value_stands_as_it_is_and_buttons_are_pure_ascii() -> None:
    button = {"label": "ä", "url": "https://h"}
    headers = message_headers({"topic": "t", "title": "Plain", "actions": [button], "tags": ["a"]})
    assert headers["x-title"] == "Plain"
    assert json.loads(headers["x-actions"]) == [button]
    assert headers["x-tags"] == "a"
    assert "x-topic" not in headers
