"""Settings: credentials, the dialog, and what is said at start."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_serverkit.runtime.cli import main, read
from ntfy_mcp.definition import NTFY
from tests.backends.ntfy import NtfyBackend
from tests.ntfy.conftest import ADMIN
from tests.ntfy.support import login, started, stderr_of_refusal


@pytest.mark.requirement("T-ntfy-1")
@pytest.mark.parametrize(
    "environ",
    [
        {"NTFY_TOKEN": "tk_aaa", "NTFY_USERNAME": "ops"},
        {"NTFY_TOKEN": "tk_aaa", "NTFY_PASSWORD": "pw_bbb"},
        {"NTFY_TOKEN": "tk_aaa", "NTFY_USERNAME": "ops", "NTFY_PASSWORD": "pw_bbb"},
    ],
)
def test_a_token_does_not_go_with_a_user_name(
    environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    environ = dict(environ)
    assert main(NTFY, [], environ) == 1
    err = capsys.readouterr().err
    assert "NTFY_TOKEN" in err
    assert "NTFY_USERNAME" in err
    assert "tk_aaa" not in err
    assert "pw_bbb" not in err
    assert "NTFY_TOKEN" not in environ
    assert "NTFY_PASSWORD" not in environ


@pytest.mark.parametrize(
    ("environ", "missing"),
    [({"NTFY_USERNAME": "ops"}, "NTFY_PASSWORD"), ({"NTFY_PASSWORD": "pw_bbb"}, "NTFY_USERNAME")],
)
def test_user_name_and_password_go_together(
    environ: dict[str, str], missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    err = stderr_of_refusal(capsys, **environ)
    assert f"{missing}: is needed" in err
    assert "pw_bbb" not in err


@pytest.mark.requirement("S-all-16", "T-ntfy-2")
@pytest.mark.parametrize("value", ["off", "1", "yes", "on", "0", "wahr", "true,", "tr ue"])
def test_another_word_for_the_dialog_stops_the_server(
    value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    err = stderr_of_refusal(capsys, ELICITATION=value)
    length = f"a value of {len(value)} character{'s' * (len(value) > 1)}"
    assert err == f"ntfy-mcp: ELICITATION: must be true or false, not {length}\n"


@pytest.mark.requirement("S-all-12", "T-ntfy-2")
@pytest.mark.parametrize(
    ("value", "on"),
    [(" False ", False), ("FALSE", False), ("", True), ("  ", True), ("True", True), (None, True)],
)
def test_the_dialog_is_on_unless_switched_off(value: str | None, on: bool) -> None:
    environ = {} if value is None else {"ELICITATION": value}
    assert started(**environ).values["elicitation"] is on


@pytest.mark.requirement("S-all-17")
def test_the_dialog_is_the_only_switch_that_defaults_to_on() -> None:
    values = started().values
    assert [name for name, value in values.items() if value is True] == ["elicitation"]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a start end where serving would begin, and put logging back afterwards."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    monkeypatch.setattr("mcp_serverkit.runtime.process.serve_stdio", lambda *_: 0)
    yield
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.requirement("S-all-14", "T-ntfy-2")
@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    "environ", [{}, {"NTFY_READ_ONLY": "1"}, {"NTFY_LOG_LEVEL": "error"}], ids=str
)
def test_a_server_without_dialogs_says_so_in_one_line(
    environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(NTFY, [], {"ELICITATION": "false", **environ}) == 0
    out, err = capsys.readouterr()
    assert out == ""
    line = "ntfy-mcp: ELICITATION=false — guarded tools fall back to the two-call token"
    assert err.splitlines().count(line) == 1


@pytest.mark.usefixtures("served")
def test_the_start_lines_name_counts_and_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    environ = {
        "NTFY_URL": "https://ntfy.example.org/push//",
        "NTFY_TOKEN": "tk_aaabbbccc",
        "NTFY_TOPICS": "alerts,deploys,alerts",
        "NTFY_READ_ONLY": "yes",
        "NTFY_INSECURE_TLS": "true",
    }
    assert main(NTFY, [], environ) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "ntfy-mcp: NTFY_INSECURE_TLS=true — certificates are not checked",
        "ntfy-mcp: NTFY_READ_ONLY is on — only tools that read are offered",
        "ntfy-mcp: NTFY_TOPICS allows 2 topics",
        "ntfy-mcp: targeting https://ntfy.example.org/push",
    ]


@pytest.mark.requirement("T-ntfy-6")
def test_a_broken_token_is_named_by_place_and_not_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    err = stderr_of_refusal(capsys, NTFY_TOKEN="tk_ab\ncd")
    assert "character 6 of 8" in err
    assert "tk_ab" not in err


@pytest.mark.parametrize("token", ["tk_ä", "x" * 513, "   ", "tk_\x00", "${TOKEN}", "<your-token>"])
def test_a_malformed_token_stops_the_server(token: str, capsys: pytest.CaptureFixture[str]) -> None:
    err = stderr_of_refusal(capsys, NTFY_TOKEN=token)
    assert "NTFY_TOKEN" in err
    assert token.strip() not in err.replace("NTFY_TOKEN", "") or not token.strip()


def test_an_empty_credential_counts_as_unset_and_a_line_end_is_cut() -> None:
    assert started(NTFY_TOKEN="", NTFY_USERNAME="", NTFY_PASSWORD="").values["token"] is None
    assert started(NTFY_TOKEN="tk_aaa\r\n").values["token"] == "tk_aaa"
    values = started(NTFY_USERNAME="ops", NTFY_PASSWORD=" pä$$ \n").values
    assert values["password"] == " pä$$ "


def test_secrets_can_stand_in_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "token"
    file.write_text("tk_from_file\n", encoding="utf-8")
    file.chmod(0o600)
    assert started(NTFY_TOKEN_FILE=str(file)).values["token"] == "tk_from_file"
    assert capsys.readouterr().err == ""
    err = stderr_of_refusal(capsys, NTFY_TOKEN_FILE=str(file), NTFY_TOKEN="tk_other")
    assert "not both" in err
    err = stderr_of_refusal(capsys, NTFY_TOKEN_FILE=str(tmp_path / "absent-file"))
    assert "absent-file" not in err
    assert "NTFY_TOKEN_FILE: cannot be read: no such file" in err


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"NTFY_TIMEOUT": "0"}, "1 to 600"),
        ({"NTFY_TIMEOUT": "601"}, "1 to 600"),
        ({"NTFY_TIMEOUT": "1.5"}, "1 to 600"),
        ({"NTFY_MESSAGE_LIMIT": "12"}, "256"),
        ({"NTFY_LOG_LEVEL": "loud"}, "debug, info, warning, error"),
        ({"NTFY_CA_FILE": "/absent/ca.pem"}, "cannot be read"),
        ({"NTFY_READ_ONLY": "ture"}, "1, true, yes, on or 0, false, no, off"),
    ],
    ids=str,
)
def test_other_settings_out_of_their_rules_stop_the_server(
    environ: dict[str, str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (name,) = environ
    err = stderr_of_refusal(capsys, **environ)
    assert err.startswith(f"ntfy-mcp: {name}: ")
    assert words in err


def test_all_problems_are_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    err = stderr_of_refusal(capsys, NTFY_URL="x", ELICITATION="x1", NTFY_TOPICS="ä")
    for name in ("NTFY_URL", "ELICITATION", "NTFY_TOPICS"):
        assert f"ntfy-mcp: {name}: " in err


@pytest.mark.requirement("T-ntfy-4")
@pytest.mark.usefixtures("served")
def test_without_an_address_the_server_starts_and_says_what_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(NTFY, [], {}) == 0
    err = capsys.readouterr().err
    assert err.startswith("ntfy-mcp: NTFY_URL is not set")
    assert "ntfy.sh" not in err


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    ("environ", "code", "words"),
    [
        (login(*ADMIN), 0, "logged in with role: admin"),
        ({}, 0, "logged in with role: anonymous"),
        ({"NTFY_TOKEN": "tk_wrong"}, 1, "failed: ntfy refused GET /v1/account: HTTP 401"),
        ({"NTFY_URL": ""}, 1, "incomplete: NTFY_URL is not set"),
        ({"ELICITATION": "false"}, 0, "dialogs: off"),
    ],
    ids=str,
)
def test_a_check_makes_one_harmless_call(
    environ: dict[str, str],
    code: int,
    words: str,
    backend: NtfyBackend,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(NTFY, ["--check"], {"NTFY_URL": backend.url, **environ}) == code
    out = capsys.readouterr().out
    assert ("no setting is wrong" if "incomplete" in words else "the settings are valid") in out
    assert words in out
    assert "tk_wrong" not in out
    assert [request.target for request in backend.requests] == (
        [] if environ == {"NTFY_URL": ""} else ["/v1/account"]
    )


REPLIES = {"NTFY_EXTRAS": "true", "NTFY_REPLY_TOPIC": "replies"}


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({"NTFY_TOPICS": "alerts"}, "NTFY_REPLY_TOPIC: must be listed in NTFY_TOPICS"),
        ({"NTFY_TOPICS": "replies,alerts"}, "NTFY_REPLY_TOPIC: must be listed in NTFY_TOPICS"),
        ({"NTFY_REPLY_TOPIC": "a/secret"}, "NTFY_REPLY_TOPIC: is no topic name"),
        (
            {"NTFY_TOKEN": "tk_same", "NTFY_REPLY_TOKEN": "tk_same"},
            "NTFY_REPLY_TOKEN: is the same as NTFY_TOKEN",
        ),
        ({"NTFY_REPLY_TOKEN": "tk_ä"}, "NTFY_REPLY_TOKEN: character 4 of 4"),
        ({"NTFY_REPLY_URL": "phone.example"}, "NTFY_REPLY_URL: must begin with http"),
    ],
    ids=str,
)
def test_settings_of_answers_that_would_not_hold_stop_the_server(
    environ: dict[str, str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    err = stderr_of_refusal(capsys, **{**REPLIES, **environ})
    assert f"ntfy-mcp: {told}" in err
    assert "secret" not in err
    assert "tk_same" not in err


def test_settings_of_answers_are_one_warning_where_nobody_is_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = {
        "NTFY_REPLY_TOPIC": "x",
        "NTFY_REPLY_TOKEN": "tk_a",
        "NTFY_REPLY_URL": "http://h.example",
    }
    started(**given)
    err = capsys.readouterr().err
    assert err == "ntfy-mcp: warning: NTFY_REPLY_TOPIC: has no use without NTFY_EXTRAS=true\n"


def test_settings_of_answers_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    environ = {
        **REPLIES,
        "NTFY_TOPICS": "alerts,replies",
        "NTFY_REPLY_TOKEN": "tk_button",
        "NTFY_REPLY_URL": "http://phone.example/ntfy/?x=1",
    }
    values = started(**environ).values
    assert (values["reply_topic"], values["reply_token"]) == ("replies", "tk_button")
    assert values["reply_url"] == "http://phone.example/ntfy"
    err = capsys.readouterr().err
    assert "NTFY_REPLY_URL: is http://" in err
    assert "its query is not used" in err


def test_the_login_of_the_buttons_leaves_the_environment() -> None:
    environ = {**REPLIES, "NTFY_REPLY_TOKEN": "tk_button"}
    assert read(NTFY, environ).values["reply_token"] == "tk_button"
    assert "NTFY_REPLY_TOKEN" not in environ
