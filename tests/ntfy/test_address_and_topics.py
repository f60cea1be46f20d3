"""Settings of the instance and of the topics that may be touched."""

from __future__ import annotations

import pytest

from ntfy_mcp.order import EXTRAS as OFF
from ntfy_mcp.order import ORDER
from ntfy_mcp.tools import TOOLS
from tests.backends.ntfy import NtfyBackend
from tests.ntfy.conftest import MakeServer
from tests.ntfy.support import started, stderr_of_refusal, use
from tests.ntfy.test_personas import CALLS
from tests.support.clients import Arguments, connect, text
from tests.support.person import Person


@pytest.mark.requirement("T-ntfy-4")
async def test_without_an_address_every_tool_is_listed_and_none_asks_or_sends(
    make_server: MakeServer, backend: NtfyBackend
) -> None:
    async with connect(make_server({"NTFY_URL": ""}), "2026-07-28") as client:
        assert len((await client.list_tools()).tools) == len(ORDER) - len(OFF)
    server = make_server({"NTFY_URL": "", "NTFY_EXTRAS": "true"})
    person = Person()
    minimal: dict[str, Arguments] = {
        "get_message": {"id": "Ab3dE5gH7jK9"},
        "publish_message": {"message": "x"},
        "mark_messages_read": {"sequence_ids": ["x"]},
        "ask_person": {"question": "x", "answers": ["Yes"]},
    }
    for tool in TOOLS:
        result = await use(
            server, tool.name, CALLS.get(tool.name) or minimal.get(tool.name), person=person
        )
        assert result.is_error
        assert "NTFY_URL is not set" in text(result)
        assert "NTFY_TOKEN" in text(result)
    assert person.questions == []
    assert backend.requests == []


@pytest.mark.requirement("T-ntfy-3")
def test_a_bad_topic_is_named_by_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    err = stderr_of_refusal(capsys, NTFY_TOPICS="deploys, bad.topic ,x")
    assert "entry 2 of NTFY_TOPICS" in err
    assert "bad.topic" not in err
    assert "deploys" not in err


@pytest.mark.requirement("T-ntfy-3")
@pytest.mark.parametrize("entry", ["a/b", "ä", "x" * 65, "a b", "*", "a\nb"])
def test_other_bad_topics_are_refused_too(entry: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "entry 1 of" in stderr_of_refusal(capsys, NTFY_TOPICS=entry)


@pytest.mark.requirement("T-ntfy-3")
def test_the_list_of_topics_has_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert "257" in stderr_of_refusal(capsys, NTFY_TOPICS=",".join(f"t{n}" for n in range(257)))
    values = started(NTFY_TOPICS=",".join(f"t{n}" for n in range(256))).values
    assert values["topics"] == tuple(f"t{n}" for n in range(256))


def test_topics_are_trimmed_and_empty_entries_drop_out() -> None:
    assert started(NTFY_TOPICS=" a ,, b,a,").values["topics"] == ("a", "b")


@pytest.mark.requirement("T-ntfy-5")
@pytest.mark.parametrize(
    "url",
    [
        "deadbeef99:",
        "https://u:p_secret@h",
        "https://u_secret@h",
        "https://",
        "https:///x",
        "ftp://h",
        "ntfy.example.org",
        "https://[::1",
        "https://h:99999",
        "https://h/\nx",
        "https://h /",
        "javascript:alert",
        "${NTFY_URL}",
        "$NTFY_URL",
    ],
)
def test_another_address_stops_the_server_and_is_not_repeated(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    err = stderr_of_refusal(capsys, NTFY_URL=url)
    assert err.startswith("ntfy-mcp: NTFY_URL: ")
    for secret in ("deadbeef99", "secret", "example.org", "99999", "alert"):
        assert secret not in err


@pytest.mark.requirement("T-ntfy-5")
@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("https://h/ntfy///?x=1#y", "https://h/ntfy"),
        ("HTTPS://H.Example:8443/", "https://h.example:8443"),
        ("  https://h  ", "https://h"),
        ("https://[2001:db8::1]:8080/n/", "https://[2001:db8::1]:8080/n"),
        ("https://h" + "/" * 50_000, "https://h"),
    ],
)
def test_an_address_is_cut_to_what_is_used(
    url: str, base: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert started(NTFY_URL=url).values["url"] == base
    err = capsys.readouterr().err
    assert ("query and fragment" in err) is ("?" in url)


@pytest.mark.parametrize(
    ("environ", "warned"),
    [
        ({"NTFY_URL": "http://ntfy.example.org"}, "clear"),
        ({"NTFY_URL": "http://localhost:8080"}, ""),
        ({"NTFY_URL": "http://127.0.0.9"}, ""),
        ({"NTFY_URL": "http://[::1]"}, ""),
        ({"NTFY_URL": "http://[::ffff:127.0.0.1]"}, ""),
        ({"NTFY_URL": "https://ntfy.sh"}, "public instance"),
        ({"NTFY_URL": "https://eu.ntfy.sh"}, "public instance"),
        ({"NTFY_URL": "https://notntfy.sh"}, ""),
        ({"NTFY_URL": "https://ntfy.sh", "NTFY_TOKEN": "tk_aaa"}, ""),
        ({"NTFY_URL": "https://ntfy.sh", "NTFY_TOPICS": "mine"}, ""),
        ({"NTFY_URL": "https://ntfy.sh", "NTFY_READ_ONLY": "true"}, ""),
        ({"NTFY_TOPIC": "alerts-secret", "NTFY_TOPICS": "a"}, "did you mean NTFY_TOPICS?"),
        ({"NTFY_INSECURE_TLS": "1"}, "only true turns it on"),
        ({"NTFY_INSECURE_TLS": "TRUE"}, "only true turns it on"),
    ],
    ids=str,
)
def test_a_doubtful_setting_is_warned_about(
    environ: dict[str, str], warned: str, capsys: pytest.CaptureFixture[str]
) -> None:
    started(**environ)
    err = capsys.readouterr().err
    assert warned in err
    assert bool(err) is bool(warned)
    assert "alerts-secret" not in err
