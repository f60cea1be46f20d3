"""Settings: addresses, tokens, switches and the choice of tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_serverkit.runtime.cli import main
from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import connect
from tests.support.servers import reading_of
from tests.woodpecker.conftest import ADMIN_TOKEN, populate, server_of
from tests.woodpecker.support import failure, result
from woodpecker_ci_mcp.definition import WOODPECKER
from woodpecker_ci_mcp.order import ESSENTIAL, EXTRAS, ORDER, READ

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJ0eXBlIjoidXNlciJ9.c2lnbmF0dXJl"


def offered(**environ: str) -> list[str]:
    reading = reading_of(WOODPECKER, environ)
    choice = WOODPECKER.select(reading.values)
    assert [*reading.problems, *choice.problems] == []
    return list(choice.names)


def refusal(capsys: pytest.CaptureFixture[str], **environ: str) -> str:
    given = {"WOODPECKER_TOKEN": JWT, **environ}
    assert main(WOODPECKER, [], given) == 1
    assert "WOODPECKER_TOKEN" not in given
    captured = capsys.readouterr()
    assert captured.out == ""
    assert JWT not in captured.err
    return captured.err


@pytest.mark.requirement("T-woodpecker-1")
@pytest.mark.parametrize(
    ("given", "root"),
    [
        ("https://ci.example.org/api/", "https://ci.example.org"),
        ("https://ci.example.org///", "https://ci.example.org"),
        ("https://h.example/ci/api", "https://h.example/ci"),
        ("https://h.example/api/api", "https://h.example/api"),
        ("HTTPS://h.example:8443", "https://h.example:8443"),
    ],
)
def test_an_address_is_cut_to_the_root_of_the_server(given: str, root: str) -> None:
    assert reading_of(WOODPECKER, {"WOODPECKER_URL": given}).values["url"] == root
    assert reading_of(WOODPECKER, {"WOODPECKER_SERVER": given}).values["url"] == root


@pytest.mark.requirement("T-woodpecker-1")
async def test_requests_go_below_the_root_path() -> None:
    with WoodpeckerBackend(root="/ci") as backend:
        populate(backend)
        environ = {"WOODPECKER_URL": f"{backend.url}/api/", "WOODPECKER_TOKEN": ADMIN_TOKEN}
        server = server_of(environ)
        await result(server, "get_current_user")
        await result(server, "get_server_info")
        assert [request.path for request in backend.requests] == [
            "/ci/api/user",
            "/ci/version",
            "/ci/healthz",
        ]


@pytest.mark.requirement("T-woodpecker-2")
def test_a_login_inside_the_address_stops_the_server(capsys: pytest.CaptureFixture[str]) -> None:
    err = refusal(capsys, WOODPECKER_URL="https://bob:pw123@ci.example.org")
    assert "WOODPECKER_URL" in err
    assert "bob" not in err
    assert "pw123" not in err


@pytest.mark.parametrize("value", ["ftp://ci.example.org", "ci.example.org", "http://"])
def test_an_address_that_is_none_stops_the_server(
    value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "WOODPECKER_URL" in refusal(capsys, WOODPECKER_URL=value)


def test_an_agents_address_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    err = refusal(capsys, WOODPECKER_SERVER="ci.example.org:9000")
    assert "agent" in err
    assert "ci.example.org" not in err


def test_two_different_addresses_stop_the_server(capsys: pytest.CaptureFixture[str]) -> None:
    both = {"WOODPECKER_URL": "https://a.example", "WOODPECKER_SERVER": "https://b.example"}
    err = refusal(capsys, **both)
    assert "WOODPECKER_URL" in err
    assert "WOODPECKER_SERVER" in err


def test_the_same_address_under_both_names_is_fine() -> None:
    both = {"WOODPECKER_URL": "https://a.example", "WOODPECKER_SERVER": "https://a.example/api/"}
    assert reading_of(WOODPECKER, both).values["url"] == "https://a.example"


@pytest.mark.requirement("S-all-16", "T-woodpecker-3")
@pytest.mark.parametrize("value", ["1", "off", "yes", "x" * 200])
def test_another_word_for_the_dialog_stops_the_server(
    value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    err = refusal(capsys, ELICITATION=value)
    assert "true or false" in err
    assert value not in err.replace(f"{len(value)} character", "")


@pytest.mark.requirement("S-all-14", "T-woodpecker-3")
def test_the_start_line_says_that_dialogs_are_off() -> None:
    assert reading_of(WOODPECKER, {"ELICITATION": " False "}).values["elicitation"] is False
    assert WOODPECKER.off_line == (
        "woodpecker-ci-mcp: ELICITATION=false — guarded tools fall back to the two-call token"
    )


@pytest.mark.requirement("T-woodpecker-4")
@pytest.mark.parametrize("word", ["YES", "1", "true", " On "])
def test_read_only_leaves_the_34_tools_that_read(word: str) -> None:
    names = offered(WOODPECKER_READ_ONLY=word)
    assert len(names) == 34
    assert names == [name for name in READ if name not in EXTRAS]


@pytest.mark.requirement("T-woodpecker-4")
def test_an_unknown_word_for_read_only_stops_the_server(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "WOODPECKER_READ_ONLY" in refusal(capsys, WOODPECKER_READ_ONLY="maybe")


@pytest.mark.requirement("T-woodpecker-5")
@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"WOODPECKER_ALLOW_TOOLS": "list_*,get_piplines"}, ("get_piplines", "get_pipeline")),
        ({"WOODPECKER_ALLOW_TOOLS": "*_pipeline"}, ("*_pipeline",)),
        ({"WOODPECKER_ALLOW_TOOLS": JWT}, ("entry",)),
        ({"WOODPECKER_DENY_TOOLS": "essential"}, ("essential",)),
        ({"WOODPECKER_READ_ONLY": "1", "WOODPECKER_ALLOW_TOOLS": "delete_*"}, ("no tool",)),
        ({"WOODPECKER_READ_ONLY": "1", "WOODPECKER_ALLOW_TOOLS": "delete_user"}, ("READ_ONLY",)),
    ],
)
def test_a_choice_that_cannot_be_meant_stops_the_server(
    environ: dict[str, str], said: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    err = refusal(capsys, **environ)
    assert all(words in err for words in said)


@pytest.mark.requirement("T-woodpecker-5")
def test_a_pattern_of_writes_is_no_error_beside_reads() -> None:
    environ = {"WOODPECKER_READ_ONLY": "true", "WOODPECKER_ALLOW_TOOLS": "delete_*,list_*"}
    assert all(name.startswith("list_") for name in offered(**environ))


@pytest.mark.parametrize(
    ("preset", "count", "inside", "outside"),
    [
        ("essential", 8, "cancel_pipeline", "approve_pipeline"),
        ("read", 34, "get_queue_info", "cancel_pipeline"),
        ("diagnose", 13, "get_step_logs", "list_secrets"),
        ("operate", 21, "run_cron", "delete_pipeline"),
        ("maintain", 43, "delete_secret", "delete_user"),
        ("admin", 29, "update_forge", "trigger_pipeline"),
    ],
)
def test_presets_stand_for_roles(preset: str, count: int, inside: str, outside: str) -> None:
    names = offered(WOODPECKER_ALLOW_TOOLS=preset)
    assert len(names) == count
    assert inside in names
    assert outside not in names


def test_maintain_and_admin_together_are_everything() -> None:
    everything = [name for name in ORDER if name not in EXTRAS]
    assert offered(WOODPECKER_ALLOW_TOOLS="maintain,admin") == everything
    switched_on = offered(WOODPECKER_ALLOW_TOOLS="maintain,admin", WOODPECKER_EXTRAS="true")
    assert switched_on == list(ORDER)


def test_read_only_drops_the_writes_of_a_preset() -> None:
    environ = {"WOODPECKER_READ_ONLY": "1", "WOODPECKER_ALLOW_TOOLS": "essential"}
    assert set(offered(**environ)) == set(ESSENTIAL) & set(READ) - set(EXTRAS)


@pytest.mark.requirement("T-woodpecker-6")
async def test_without_settings_all_tools_are_listed_and_a_call_names_what_is_missing() -> None:
    server = server_of({})
    async with connect(server, "2025-11-25") as client:
        assert len((await client.list_tools()).tools) == len(ORDER) - len(EXTRAS)
    said = await failure(server, "get_current_user")
    assert "WOODPECKER_URL" in said
    assert "WOODPECKER_TOKEN" in said
    assert "WOODPECKER_URL" in await failure(server, "get_server_info")


@pytest.mark.requirement("T-woodpecker-6")
async def test_server_information_needs_no_token_and_sends_none(
    backend: WoodpeckerBackend,
) -> None:
    for environ in ({}, {"WOODPECKER_TOKEN": ADMIN_TOKEN}):
        server = server_of({"WOODPECKER_URL": backend.url, **environ})
        shown = await result(server, "get_server_info")
        assert shown["version"] == "3.18.0"
        assert shown["healthy"] is True
        assert shown["server"] == backend.url
    assert all("authorization" not in request.headers for request in backend.requests)


async def test_a_call_without_a_token_is_refused_before_anybody_is_asked(
    backend: WoodpeckerBackend,
) -> None:
    said = await failure(server_of({"WOODPECKER_URL": backend.url}), "pause_queue")
    assert "WOODPECKER_TOKEN" in said
    assert "confirm_token" not in said
    assert backend.requests == []


def test_a_token_may_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(f"{JWT}\n", encoding="utf-8")
    path.chmod(0o600)
    reading = reading_of(WOODPECKER, {"WOODPECKER_TOKEN_FILE": str(path)})
    assert reading.values["token"] == JWT
    assert reading.problems == []


def test_plain_http_beyond_this_machine_is_warned_about() -> None:
    assert any(
        "http://" in line
        for line in reading_of(WOODPECKER, {"WOODPECKER_URL": "http://ci.lan"}).warnings
    )
    assert reading_of(WOODPECKER, {"WOODPECKER_URL": "http://127.0.0.1:8000"}).warnings == []


def test_the_start_says_what_is_switched_on() -> None:
    environ = {
        "WOODPECKER_URL": "https://ci.example.org",
        "WOODPECKER_INSECURE_TLS": "true",
        "WOODPECKER_READ_ONLY": "on",
        "WOODPECKER_STRICT": "on",
    }
    said = " / ".join(WOODPECKER.start_lines(reading_of(WOODPECKER, environ).values))
    for words in ("not checked", "READ_ONLY", "STRICT", "targeting https://ci.example.org"):
        assert words in said
    assert WOODPECKER.start_lines(reading_of(WOODPECKER, {}).values) == []
    assert WOODPECKER.instance(reading_of(WOODPECKER, environ).values) == "ci.example.org"
    assert WOODPECKER.instance(reading_of(WOODPECKER, {}).values) == ""


def test_the_log_bounds_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    err = refusal(capsys, WOODPECKER_LOG_LINES="0", WOODPECKER_LOG_MAX_BYTES="999")
    assert "WOODPECKER_LOG_LINES" in err
    assert "WOODPECKER_LOG_MAX_BYTES" in err


def test_the_check_reads_the_account(
    backend: WoodpeckerBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    environ = {"WOODPECKER_URL": backend.url, "WOODPECKER_TOKEN": ADMIN_TOKEN}
    assert main(WOODPECKER, ["--check"], environ) == 0
    said = capsys.readouterr().out
    assert "logged in as root with role: admin" in said
    assert ADMIN_TOKEN not in said
    environ = {"WOODPECKER_URL": backend.url, "WOODPECKER_TOKEN": "wrong-token"}
    assert main(WOODPECKER, ["--check"], environ) == 1
    assert "wrong-token" not in capsys.readouterr().out
