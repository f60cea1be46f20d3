"""What a publication sends, and what is refused before anything is sent."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import (
    ALLOWLIST,
    bodies,
    publish_refused,
    published_body,
    serve,
    use,
    writes,
)
from tests.support.clients import ERAS, Arguments, Era, structured, text
from tests.support.person import Person

FULL_ACTIONS: list[dict[str, object]] = [
    {"action": "view", "label": "Open", "url": "HTTPS://door.example/x", "clear": True},
    {
        "action": "http",
        "label": "Close",
        "url": "https://door.example/close",
        "method": "PUT",
        "headers": {"X-Door": "1"},
        "body": "{}",
    },
    {"action": "copy", "label": "Code", "value": "4711"},
]


@pytest.mark.requirement("S-ntfy-4")
@pytest.mark.parametrize("era", ERAS)
async def test_publishing_asks_nobody_and_sends_at_once(era: Era, backend: NtfyBackend) -> None:
    person = Person("decline")
    everything: Arguments = {
        "message": "door open",
        "title": "Door",
        "priority": "max",
        "actions": FULL_ACTIONS,
    }
    result = await use(
        serve(backend),
        "publish_message",
        {**everything, "topics": ["alerts"]},
        era=era,
        person=person,
    )
    assert structured(result)["published"] == 1
    assert person.questions == []
    assert backend.messages("alerts")[0]["message"] == "door open"


async def test_every_field_arrives_in_the_type_that_ntfy_reads(backend: NtfyBackend) -> None:
    body = await published_body(
        backend,
        {
            "message": "m",
            "title": "t",
            "priority": 5,
            "tags": ["warning", "two words"],
            "click": "https://c.example",
            "icon": "https://i.example/i.png",
            "attach": "https://a.example/f.txt",
            "filename": "f.txt",
            "markdown": True,
            "actions": FULL_ACTIONS,
            "delay": "30m",
            "firebase": False,
        },
    )
    assert body == {
        "topic": "alerts",
        "message": "m",
        "title": "t",
        "priority": 5,
        "tags": ["warning", "two words"],
        "click": "https://c.example",
        "icon": "https://i.example/i.png",
        "attach": "https://a.example/f.txt",
        "filename": "f.txt",
        "markdown": True,
        "actions": [{**FULL_ACTIONS[0], "url": "https://door.example/x"}, *FULL_ACTIONS[1:]],
        "delay": "30m",
        "firebase": "no",
    }


@pytest.mark.requirement("T-ntfy-9", "R-02")
@pytest.mark.parametrize(
    ("priority", "number"),
    [
        ("min", 1),
        ("low", 2),
        ("default", 3),
        ("high", 4),
        ("max", 5),
        ("urgent", 5),
        ("3", 3),
        (1, 1),
    ],
)
async def test_priority_names_become_numbers(
    priority: object, number: int, backend: NtfyBackend
) -> None:
    assert (await published_body(backend, {"message": "x", "priority": priority}))[
        "priority"
    ] == number


@pytest.mark.requirement("T-ntfy-9", "R-02")
@pytest.mark.parametrize("priority", ["normal", "sehr hoch", True, 0, 6, "6", 3.0, "High", ""])
async def test_other_priorities_are_refused_by_name(priority: object, backend: NtfyBackend) -> None:
    words = await publish_refused(backend, {"message": "x", "priority": priority})
    assert words.startswith("priority:")


@pytest.mark.requirement("T-ntfy-9")
async def test_an_unknown_priority_name_is_answered_with_the_known_ones(
    backend: NtfyBackend,
) -> None:
    words = await publish_refused(backend, {"message": "x", "priority": "normal"})
    assert "high" in words


@pytest.mark.requirement("T-ntfy-10", "R-05")
@pytest.mark.parametrize("name", ["cache", "firebase"])
@pytest.mark.parametrize("value", [True, "true", None])
async def test_a_switch_that_is_on_or_left_out_is_not_sent(
    name: str, value: object, backend: NtfyBackend
) -> None:
    assert name not in await published_body(backend, {"message": "x", name: value})


@pytest.mark.requirement("T-ntfy-10", "R-05")
async def test_switches_that_are_off_are_sent_as_the_word_no(backend: NtfyBackend) -> None:
    server = serve(backend, ALLOWLIST)
    arguments = {"message": "x", "cache": False, "firebase": "false"}
    result = structured(await use(server, "publish_message", arguments))
    assert bodies(backend) == [{"message": "x", "cache": "no", "firebase": "no", "topic": "alerts"}]
    assert "neither read, revised nor deleted" in str(result["results"])
    assert backend.cached("alerts") == []


@pytest.mark.requirement("T-ntfy-10")
@pytest.mark.parametrize("value", ["no", "No", 0, "off", ""])
async def test_other_words_are_no_switch(value: object, backend: NtfyBackend) -> None:
    assert (await publish_refused(backend, {"message": "x", "cache": value})).startswith("cache:")


@pytest.mark.requirement("T-ntfy-10", "R-05")
async def test_a_delayed_message_must_be_cached(backend: NtfyBackend) -> None:
    words = await publish_refused(backend, {"message": "x", "cache": False, "delay": "5m"})
    assert "delay" in words
    assert "40002" in words


@pytest.mark.requirement("T-ntfy-11", "R-01", "N-12")
@pytest.mark.parametrize(
    ("name", "value", "size", "limit"),
    [
        ("message", "€" * 1366, 4098, 4096),
        ("message", "ä" * 2048, 4096, 4096),
        ("message", "x" * 4096, 4096, 4096),
        ("title", "é" * 126, 252, 250),
    ],
)
async def test_sizes_are_counted_in_bytes(
    name: str, value: str, size: int, limit: int, backend: NtfyBackend
) -> None:
    words = await publish_refused(backend, {"message": "x", name: value})
    assert words.startswith(f"{name}:")
    assert str(size) in words
    assert str(limit) in words


@pytest.mark.requirement("T-ntfy-11", "R-01")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("message", "€" * 1365),
        ("message", "ä" * 2047),
        ("message", "x" * 4095),
        ("title", "é" * 125),
    ],
)
async def test_what_fits_is_sent_as_utf_8(name: str, value: str, backend: NtfyBackend) -> None:
    backend.respond_next(200, {"id": "Ab3dE5gH7jK9", "time": 1797990010})
    assert (await published_body(backend, {"message": "x", name: value}))[name] == value
    assert b"\\u" not in writes(backend)[0].body


@pytest.mark.requirement("T-ntfy-11")
async def test_the_message_limit_follows_the_instance(backend: NtfyBackend) -> None:
    server = serve(backend, {**ALLOWLIST, "NTFY_MESSAGE_LIMIT": "512"})
    result = await use(server, "publish_message", {"message": "x" * 513})
    assert "513 bytes" in text(result)
    assert backend.requests == []


@pytest.mark.requirement("T-ntfy-12")
async def test_the_whole_request_has_a_limit_too(backend: NtfyBackend) -> None:
    words = await publish_refused(backend, {"message": '"' * 4000, "title": "t" * 200})
    assert "whole request" in words
    assert "8192" in words
    assert "message (8002)" in words


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tags", ["t"] * 21),
        ("tags", ["a,b"]),
        ("tags", [""]),
        ("tags", ["x" * 65]),
        ("tags", "warning"),
        ("tags", [7]),
        ("topics", []),
        ("topics", [f"t{number}" for number in range(11)]),
        ("topics", "alerts"),
        ("markdown", "yes"),
        ("title", 7),
        ("message", ["x"]),
    ],
)
async def test_a_value_of_another_form_is_refused_by_name(
    name: str, value: object, backend: NtfyBackend
) -> None:
    assert (await publish_refused(backend, {"message": "x", name: value})).startswith(name)


@pytest.mark.requirement("T-ntfy-14")
@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("topic", "topics"), ("mesage", "message"), ("tag", "tags"), ("prioriy", "priority")],
)
async def test_an_unknown_argument_is_refused_with_the_nearest_name(
    wrong: str, meant: str, backend: NtfyBackend
) -> None:
    words = await publish_refused(backend, {"message": "x", wrong: "alerts"})
    assert words.startswith(f"{wrong}:")
    assert f"did you mean {meant}?" in words


@pytest.mark.requirement("T-ntfy-15")
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"message": "   "},
        {"message": "\n\t"},
        {"message": ""},
        {"title": " "},
        {"message": " ", "title": "t"},
        {"priority": 5},
    ],
)
async def test_nothing_to_read_is_refused(arguments: Arguments, backend: NtfyBackend) -> None:
    assert (await publish_refused(backend, arguments)).partition(":")[0] in {"message", "title"}


@pytest.mark.requirement("T-ntfy-15")
async def test_a_title_alone_is_sent_with_a_note(backend: NtfyBackend) -> None:
    result = structured(await use(serve(backend, ALLOWLIST), "publish_message", {"title": "Done"}))
    assert "triggered" in str(result["results"])
    assert backend.messages("alerts")[0]["message"] == "triggered"
