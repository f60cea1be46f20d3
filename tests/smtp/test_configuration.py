"""Settings: what is read, what stops the server, what is said at start."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from mcp_serverkit.runtime.cli import read
from smtp_mcp.app import build
from smtp_mcp.definition import SMTP
from smtp_mcp.order import EXTRAS, ORDER
from smtp_mcp.settings import endpoint, missing, start_lines
from tests.smtp.support import MAIL, Desk, environment, run
from tests.support.clients import call, connect, text
from tests.support.servers import reading_of, values_of

SECRET = "hunter2-very-secret"
SENDING_TOOLS = {"send_mail", "reply_mail", "forward_mail"}


def start(environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Start the real command with nobody at its other end."""
    return subprocess.run(
        [sys.executable, "-m", "smtp_mcp"],
        env={**environ, "PYTHONIOENCODING": "ascii"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        check=False,
        encoding="utf-8",
    )


@pytest.mark.requirement("S-all-16", "T-smtp-1")
def test_another_word_for_elicitation_ends_the_server_without_being_repeated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = run(environment(ELICITATION="off"), capsys)
    assert (code, out) == (1, "")
    assert "true" in err
    assert "false" in err
    assert "off" not in err


@pytest.mark.requirement("S-all-14", "S-smtp-11", "T-smtp-1")
def test_the_start_line_names_the_three_tools_on_one_line_in_any_locale() -> None:
    ended = start(environment(ELICITATION=" FALSE "))
    assert ended.returncode == 0
    assert ended.stdout == ""
    assert (
        "smtp-mcp: ELICITATION=false — send_mail, reply_mail and forward_mail fall back to the "
        "two-call token, which a model can satisfy on its own"
    ) in ended.stderr.splitlines()


def test_no_start_line_about_dialogs_when_they_are_on() -> None:
    assert "ELICITATION" not in start(environment()).stderr


@pytest.mark.requirement("S-smtp-3", "T-smtp-2")
@pytest.mark.parametrize("switch", ["TRUE", "1", "yes", "", "false"])
async def test_anything_but_exactly_true_leaves_the_sending_tools_out(
    switch: str, desk: Desk
) -> None:
    server = desk.server(SMTP_ALLOW_SEND=switch)
    async with connect(server, "2025-11-25") as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed == {*ORDER} - {*EXTRAS} - SENDING_TOOLS
        with pytest.raises(Exception, match="Unknown tool: send_mail"):
            await call(client, "send_mail", MAIL)


async def test_read_only_hides_the_sending_tools_although_sending_is_on(desk: Desk) -> None:
    async with connect(desk.server(SMTP_READ_ONLY="yes"), "2025-11-25") as client:
        assert not SENDING_TOOLS & {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.requirement("T-smtp-3")
@pytest.mark.parametrize("allowlist", ["", " , ", "*,@example.test", "@*.example.test", "a,b@c"])
def test_a_fence_that_is_missing_or_unclear_ends_the_server(
    allowlist: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(environment(SMTP_ALLOWED_RECIPIENTS=allowlist), capsys)
    assert (code, out) == (1, "")
    assert "smtp-mcp: SMTP_ALLOWED_RECIPIENTS: " in err
    assert "*" in err


@pytest.mark.requirement("T-smtp-4")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SMTP_HOST", "smtp.example.test:587"),
        ("SMTP_HOST", "smtp://x"),
        ("SMTP_HOST", "u:p@h"),
        ("SMTP_HOST", "h\n"),
        ("SMTP_HOST", "[h]"),
        ("SMTP_PORT", "0x24B"),
        ("SMTP_PORT", "5e2"),
        ("SMTP_PORT", "0"),
        ("SMTP_PORT", "65536"),
        ("SMTP_TLS", "STARTTLS"),
        ("SMTP_FROM", "ada"),
        ("SMTP_FROM", "Ada <ada@sender.test"),
        ("SMTP_FROM", "A\nB <ada@sender.test>"),
        ("SMTP_FROM", "=?utf-8?q?A?= <ada@sender.test>"),
        ("SMTP_FROM", "ada@sender.test\n"),
        ("SMTP_FROM", "ada@localhost"),
        ("SMTP_MAX_RECIPIENTS", "0"),
        ("SMTP_MAX_SENDS_PER_HOUR", "-1"),
        ("SMTP_ATTACHMENT_DIR", "/nowhere/at/all"),
        ("SMTP_ATTACHMENT_TYPES", "application/x-msdownload"),
        ("SMTP_SIGNATURE", "x" * 2001),
        ("SMTP_SIGNATURE", "a\x1bb"),
        ("SMTP_AUDIT_LOG", "a\nb"),
        ("SMTP_PROVIDER", "hotmail-classic"),
        ("SMTP_AUTH", "PLAIN"),
        ("SMTP_AUTH", "xoauth2"),
        ("SMTP_EHLO_NAME", "not a name"),
        ("SMTP_CLIENT_KEY", "/nowhere/at/all"),
        ("SMTP_OAUTH_TOKEN_URL", "http://tokens.example.test/"),
        ("SMTP_OAUTH_TOKEN_URL", "https://[x"),
        ("SMTP_OAUTH_TOKEN_URL", "https://tokens.example.test/a b"),
    ],
)
def test_a_bad_value_ends_the_server_and_is_not_repeated(
    variable: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(environment(**{variable: value}), capsys)
    assert (code, out) == (1, "")
    assert f"smtp-mcp: {variable}: " in err
    short_number = value.isdecimal() and len(value) < 6
    assert len(value) < 3 or short_number or value not in err


@pytest.mark.requirement("T-smtp-4")
@pytest.mark.parametrize("host", ["::1", "[::1]", "smtp.example.test", "192.0.2.1", "mail_1"])
def test_hosts_and_addresses_are_taken(host: str) -> None:
    values = values_of(SMTP, environment(SMTP_HOST=host, SMTP_TLS="starttls"))
    assert values["host"] == host.strip("[]")


@pytest.mark.requirement("T-smtp-5")
def test_secrets_leave_the_environment_before_any_check_can_end_the_server(
    capsys: pytest.CaptureFixture[str],
) -> None:
    environ = environment(SMTP_PORT="none", SMTP_PASSWORD=SECRET)
    reading = read(SMTP, environ)
    assert reading.problems
    assert SECRET not in capsys.readouterr().err
    assert not {"SMTP_PASSWORD", "SMTP_USER"} & set(environ)


def test_all_problems_are_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = run(environment(SMTP_PORT="x", SMTP_TLS="y", SMTP_FROM="z"), capsys)
    assert {"SMTP_PORT", "SMTP_TLS", "SMTP_FROM"} <= {
        line.split(": ")[1] for line in err.split("\n") if line
    }


@pytest.mark.requirement("T-smtp-7")
def test_a_filter_that_names_suppressed_tools_is_told_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    off = {"SMTP_ALLOW_SEND": ""}
    code, _, err = run(environment(**off, SMTP_ALLOW_TOOLS="send_*"), capsys)
    assert code == 1
    assert '"send_*" adds nothing: SMTP_ALLOW_SEND is not true' in err
    assert "no tool would be left" in err
    for entry in ("send_mail", "*_mail", "read_mail"):
        code, _, err = run(environment(**off, SMTP_ALLOW_TOOLS=entry), capsys)
        assert code == 1
        assert "SMTP_ALLOW_TOOLS" in err
    assert reading_of(SMTP, environment(**off, SMTP_DENY_TOOLS="forward_mail")).problems == []


def test_essential_leaves_out_what_the_send_gate_suppresses() -> None:
    on = values_of(SMTP, environment(SMTP_ALLOW_TOOLS="essential"))
    off = values_of(SMTP, environment(SMTP_ALLOW_TOOLS="essential", SMTP_ALLOW_SEND=""))
    essential = ("get_server_info", "validate_recipients", "preview_mail")
    assert SMTP.select(on).names == (*essential, "send_mail", "reply_mail")
    assert SMTP.select(off).names == essential


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gmail", ("smtp.gmail.com", 587, "starttls", "auto")),
        ("Fastmail", ("smtp.fastmail.com", 465, "implicit", "auto")),
        ("ses-eu-central-1", ("email-smtp.eu-central-1.amazonaws.com", 587, "starttls", "auto")),
    ],
)
def test_a_provider_fills_in_host_port_and_mode(
    name: str, expected: tuple[str, int, str, str]
) -> None:
    unset = {"SMTP_HOST": "", "SMTP_PORT": "", "SMTP_TLS": ""}
    assert endpoint(values_of(SMTP, environment(**unset, SMTP_PROVIDER=name))) == expected


def test_what_is_set_wins_over_the_provider() -> None:
    values = values_of(SMTP, environment(SMTP_PROVIDER="gmail", SMTP_PORT="", SMTP_TLS="implicit"))
    assert endpoint(values)[:3] == ("127.0.0.1", 465, "implicit")


def test_a_local_mail_catcher_needs_no_login() -> None:
    unset = dict.fromkeys(("SMTP_HOST", "SMTP_PORT", "SMTP_TLS", "SMTP_USER", "SMTP_PASSWORD"), "")
    values = values_of(SMTP, environment(**unset, SMTP_PROVIDER="mailpit"))
    assert endpoint(values) == ("127.0.0.1", 1025, "none", "none")
    assert missing(values) == ""


def test_no_login_over_an_open_line_to_another_machine_is_refused() -> None:
    problems = reading_of(SMTP, environment(SMTP_HOST="relay.test", SMTP_AUTH="none")).problems
    assert problems == ["SMTP_AUTH: none needs encryption or a server on this machine"]
    assert reading_of(SMTP, environment(SMTP_AUTH="none")).problems == []


def test_a_password_over_an_open_line_is_warned_of() -> None:
    warnings = reading_of(SMTP, environment(SMTP_HOST="relay.test")).warnings
    assert warnings == ["SMTP_TLS: is none, so password and mail travel unencrypted"]


@pytest.mark.parametrize(
    "changes",
    [
        {"SMTP_OAUTH_REFRESH_TOKEN": "r"},
        {
            "SMTP_OAUTH_TOKEN_FILE": "/run/token",
            "SMTP_OAUTH_REFRESH_TOKEN": "r",
            "SMTP_OAUTH_CLIENT_ID": "c",
            "SMTP_OAUTH_TOKEN_URL": "https://tokens.example.test/",
        },
        {"SMTP_OAUTH_TOKEN_FILE": "/run/token", "SMTP_AUTH": "plain"},
        {"SMTP_CLIENT_KEY": __file__},
        {"SMTP_PASSWORD_FILE": "/run/secret"},
    ],
)
def test_settings_that_contradict_each_other_end_the_server(changes: dict[str, str]) -> None:
    assert len(reading_of(SMTP, environment(**changes)).problems) == 1


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text(f"{SECRET}\n", encoding="utf-8")
    path.chmod(0o600)
    values = values_of(SMTP, environment(SMTP_PASSWORD="", SMTP_PASSWORD_FILE=str(path)))
    assert values["password"] == SECRET
    assert SECRET not in repr(build(values, ORDER))


def test_start_lines_tell_the_gate_the_fence_and_the_server() -> None:
    on = start_lines(values_of(SMTP, environment(2525, SMTP_INSECURE_TLS="true")))
    assert "send_mail, reply_mail and forward_mail are offered" in on[0]
    assert "SMTP_ALLOWED_RECIPIENTS=@example.test,boss@other.test" in on[0]
    assert "certificates are not checked" in on[1]
    assert on[2] == "mail is handed in at 127.0.0.1:2525 (none)"
    off = start_lines(values_of(SMTP, environment(SMTP_ALLOW_SEND="", SMTP_HOST="")))
    assert off == [
        "SMTP_ALLOW_SEND is not true, so this server composes and previews only; set it and "
        "SMTP_ALLOWED_RECIPIENTS to send"
    ]
    ipv6 = start_lines(values_of(SMTP, environment(25, SMTP_HOST="::1")))
    assert ipv6[-1] == "mail is handed in at [::1]:25 (none)"


def test_a_sender_that_no_dialog_may_quote_is_named_by_its_domain() -> None:
    assert SMTP.instance(values_of(SMTP, environment())) == "ada@sender.test"
    assert (
        SMTP.instance(values_of(SMTP, environment(SMTP_FROM="o'hara@sender.test")))
        == "@sender.test"
    )
    assert SMTP.instance(values_of(SMTP, environment(SMTP_FROM=""))) == ""


async def test_an_unconfigured_server_lists_its_tools_and_tells_what_is_missing(
    desk: Desk,
) -> None:
    unset = dict.fromkeys(("SMTP_HOST", "SMTP_USER", "SMTP_PASSWORD", "SMTP_FROM"), "")
    async with connect(desk.server(**unset), "2025-11-25") as client:
        assert len((await client.list_tools()).tools) == len(ORDER) - len(EXTRAS)
        refused = await call(client, "test_connection")
    assert refused.is_error
    assert text(refused).startswith("code: not_configured\n")
    assert "SMTP_HOST, SMTP_USER, SMTP_PASSWORD, SMTP_FROM are not set" in text(refused)


async def test_the_check_connects_logs_in_and_sends_nothing(desk: Desk) -> None:
    desk.server()
    assert desk.app is not None
    report = await desk.app.check()
    await desk.app.aclose()
    assert f"reached 127.0.0.1:{desk.backend.port} (none) with no encryption" in report
    assert "login: cram-md5" in report
    assert "MAIL" not in desk.backend.verbs()
