"""What a publication reports, topic by topic, and what it does after a refusal."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import JsonObject, Limits, NtfyBackend
from tests.ntfy.support import ALLOWLIST, bodies, listed, login, serve, use
from tests.support.clients import document, structured, text

FIVE = ["a", "b", "c", "d", "e"]


@pytest.mark.requirement("T-ntfy-14")
async def test_a_topic_given_twice_is_published_to_once(backend: NtfyBackend) -> None:
    arguments = {"message": "x", "topics": ["a", "a", "b"]}
    backend.fail_next(40301, method="POST", path="/", times=1)
    result = structured(await use(serve(backend), "publish_message", arguments))
    assert (result["published"], result["failed"]) == (1, 1)
    refused, done = listed(result, "results")
    assert (refused["topic"], refused["ok"], refused["status"], refused["code"]) == (
        "a",
        False,
        403,
        40301,
    )
    assert "check_topic_access" in str(refused["hint"])
    assert (done["topic"], done["ok"]) == ("b", True)
    assert [body["topic"] for body in bodies(backend)] == ["a", "b"]


@pytest.mark.requirement("N-8")
async def test_a_success_tells_id_times_and_whether_it_waits(backend: NtfyBackend) -> None:
    backend.now = lambda: 1_797_990_000.5
    arguments = {"message": "x", "topics": ["alerts"], "delay": "30m"}
    result = structured(await use(serve(backend), "publish_message", arguments))
    (cached,) = backend.cached("alerts")
    assert listed(result, "results") == [
        {
            "ok": True,
            "outcome": "done",
            "topic": "alerts",
            "id": cached["id"],
            "sequence_id": cached["id"],
            "delivers_at": "2026-12-23T02:10:00Z",
            "expires": "2026-12-23T14:10:00Z",
            "scheduled": True,
        }
    ]


async def test_what_is_delivered_at_once_is_not_called_scheduled(backend: NtfyBackend) -> None:
    result = structured(await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"}))
    assert "scheduled" not in listed(result, "results")[0]


@pytest.mark.requirement("T-ntfy-16")
async def test_a_text_that_became_a_file_is_told() -> None:
    with NtfyBackend(version="2.19.0", attachments=True) as backend:
        login = {"NTFY_USERNAME": "", "NTFY_PASSWORD": ""}
        server = serve(backend, {**login, "NTFY_MESSAGE_LIMIT": "8192"})
        arguments = {"message": "x" * 4096, "topics": ["alerts"]}
        result = structured(await use(server, "publish_message", arguments))
    (entry,) = listed(result, "results")
    assert entry["ok"] is True
    assert "turned the text into a file" in str(entry["note"])


@pytest.mark.requirement("T-ntfy-16")
async def test_an_attachment_that_was_asked_for_is_no_surprise(backend: NtfyBackend) -> None:
    arguments = {"message": "x", "attach": "https://a.example/f.txt"}
    result = structured(await use(serve(backend, ALLOWLIST), "publish_message", arguments))
    assert "note" not in listed(result, "results")[0]


@pytest.mark.requirement("T-ntfy-16")
@pytest.mark.parametrize("answer", [{"id": 12}, {}, {"id": None, "time": "now", "expires": True}])
async def test_a_success_without_an_id_is_still_a_success(
    answer: JsonObject, backend: NtfyBackend
) -> None:
    backend.respond_next(200, answer)
    result = structured(await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"}))
    assert listed(result, "results") == [
        {
            "ok": True,
            "outcome": "done",
            "topic": "alerts",
            "note": "ntfy's answer holds no id",
        }
    ]


@pytest.mark.requirement("T-ntfy-16")
async def test_a_redirect_is_not_followed(backend: NtfyBackend) -> None:
    with NtfyBackend() as elsewhere:
        target = {"Location": f"{elsewhere.url}/"}
        backend.respond_next(302, b"", headers=target)
        result = await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"})
        assert elsewhere.requests == []
    assert result.is_error
    assert "NTFY_URL" in text(result)
    assert len(backend.requests) == 1


@pytest.mark.requirement("T-ntfy-17")
async def test_the_rate_limit_ends_a_batch(backend: NtfyBackend) -> None:
    backend.set_limits(Limits(requests=2))
    arguments = {"message": "x", "topics": FIVE}
    result = structured(await use(serve(backend), "publish_message", arguments))
    assert (result["published"], result["failed"]) == (2, 3)
    entries = listed(result, "results")
    assert [entry["ok"] for entry in entries] == [True, True, False, False, False]
    assert entries[2]["code"] == 42901
    assert "5 seconds" in str(entries[2]["hint"])
    assert [entry["error"] for entry in entries[3:]] == ["not attempted", "not attempted"]
    assert len(backend.requests) == 3


@pytest.mark.requirement("S-ntfy-22", "T-ntfy-17")
async def test_a_publication_without_an_answer_is_not_repeated(backend: NtfyBackend) -> None:
    backend.drop_next(method="POST", after_effect=True)
    result = await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"})
    assert result.is_error
    assert "unknown" in text(result)
    assert "Nothing was published" not in text(result)
    assert len(backend.requests) == 1
    assert len(backend.messages("alerts")) == 1


@pytest.mark.requirement("S-ntfy-22", "T-ntfy-17")
async def test_a_publication_that_ran_out_of_time_is_not_repeated(backend: NtfyBackend) -> None:
    backend.delay_next(10.0, method="POST")
    server = serve(backend, timeout=0.5)
    arguments = {"message": "x", "topics": ["a", "b"]}
    result = await use(server, "publish_message", arguments)
    assert result.is_error
    assert result.structured_content is not None
    first, second = listed(result.structured_content, "results")
    assert first["outcome"] == "unknown"
    assert (second["outcome"], second["error"]) == ("not_done", "not attempted")
    assert text(result).startswith("code: outcome_unknown\nWhether it happened is unknown")
    assert "list_messages" in text(result)
    assert len(backend.requests) == 1


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_a_publication_is_not_repeated_for_a_gateway(
    status: int, backend: NtfyBackend
) -> None:
    backend.respond_next(status, b"", times=3)
    result = await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"})
    assert result.is_error
    assert text(result).startswith("code: outcome_unknown\n")
    assert "Nothing was" not in text(result)
    assert "list_messages" in text(result)
    assert len(backend.requests) == 1


async def test_a_reading_is_repeated_for_a_gateway(backend: NtfyBackend) -> None:
    backend.respond_next(503, b"", times=2)
    structured(await use(serve(backend, ALLOWLIST), "list_messages"))
    assert len(backend.requests) == 3


async def test_an_unreachable_instance_is_told_as_not_published(backend: NtfyBackend) -> None:
    server = serve(backend, ALLOWLIST)
    backend.stop()
    result = await use(server, "publish_message", {"message": "x"})
    assert result.is_error
    assert text(result).startswith("Nothing was published.")
    assert "NTFY_URL" in text(result)


@pytest.mark.parametrize("answer", ['{"id":', "fine", '{"id": NaN}', "[]"])
async def test_a_success_that_cannot_be_read_is_a_success_all_the_same(
    answer: str, backend: NtfyBackend
) -> None:
    backend.respond_next(200, answer, content_type="application/json")
    result = await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"})
    assert not result.is_error
    told = structured(result)
    assert told["published"] == 1
    (entry,) = listed(told, "results")
    assert (entry["ok"], entry["outcome"]) == (True, "done")
    assert "Do not repeat it." in str(entry["note"])


async def test_a_batch_of_which_nothing_succeeded_is_an_error_with_its_object(
    backend: NtfyBackend,
) -> None:
    backend.add_user("reader", "reader-password")
    for topic in ("a", "b"):
        backend.grant("reader", topic, "read-only")
    server = serve(backend, login("reader", "reader-password"))
    result = await use(server, "publish_message", {"message": "x", "topics": ["a", "b"]})
    assert result.is_error
    assert result.structured_content is not None
    assert result.structured_content["published"] == 0
    assert [entry["code"] for entry in listed(result.structured_content, "results")] == [40301] * 2
    assert text(result).startswith("Nothing was published.")
    assert '"failed":2' in text(result)


async def test_a_refused_login_ends_a_batch(backend: NtfyBackend) -> None:
    server = serve(backend, login("root", "wrong"))
    result = await use(server, "publish_message", {"message": "x", "topics": FIVE})
    assert result.structured_content is not None
    entries = listed(result.structured_content, "results")
    assert entries[0]["status"] == 401
    assert [entry["error"] for entry in entries[1:]] == ["not attempted"] * 4
    assert len(backend.requests) == 1


@pytest.mark.requirement("R-01")
async def test_a_wrong_attachment_address_is_not_called_a_size_problem(
    backend: NtfyBackend,
) -> None:
    answer = {"code": 40013, "http": 400, "error": "invalid request: attachment URL is invalid"}
    backend.respond_next(400, answer)
    arguments = {"message": "x", "attach": "https://a.example/f"}
    result = await use(serve(backend, ALLOWLIST), "publish_message", arguments)
    assert "attach URL" in text(result)
    for word in ("large", "long", "short", "size", "bytes"):
        assert word not in text(result)


@pytest.mark.requirement("R-01")
async def test_a_request_that_is_too_large_is_explained_as_size(backend: NtfyBackend) -> None:
    backend.respond_next(413, {"code": 41303, "http": 413, "error": "JSON body too large"})
    result = await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"})
    assert "too large" in text(result)
    assert "41303" in text(result)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (40007, "urgent"),
        (40010, "disallowed_topics"),
        (40014, "no attachments"),
        (40018, "at most 3"),
        (40021, "icon URL"),
        (40024, "a type that ntfy does not take"),
        (40401, "without a topic"),
        (42908, "midnight UTC"),
        (42909, "failed logins"),
        (50001, "ntfy refused POST /: HTTP 500, code 50001."),
        (49999, "ntfy refused POST /: HTTP 499, code 49999."),
    ],
)
async def test_a_refusal_is_explained_by_its_code(
    code: int, words: str, backend: NtfyBackend
) -> None:
    backend.fail_next(code)
    result = await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"})
    assert result.is_error
    assert words in text(result)


async def test_a_refusal_without_a_code_is_explained_by_its_status(backend: NtfyBackend) -> None:
    backend.respond_next(429, b"slow down", content_type="text/plain")
    result = await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"})
    assert "HTTP 429." in text(result)
    assert "Wait before the next call" in text(result)


async def test_the_text_block_is_the_object_in_compact_json(backend: NtfyBackend) -> None:
    result = await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"})
    assert document(result) == result.structured_content
    assert text(result).startswith(
        '{"published":1,"failed":0,"results":[{"topic":"alerts","ok":true,'
    )
