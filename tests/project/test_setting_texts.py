"""What a wrong setting is told, by the command of the server that it is for."""

from __future__ import annotations

import pytest

from hetzner_dns_mcp.definition import HETZNER_DNS
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime import cli
from ntfy_mcp.definition import NTFY
from smtp_mcp.definition import SMTP
from woodpecker_ci_mcp.definition import WOODPECKER

NOBODY = "http://127.0.0.1:9"
"""An address where nobody listens."""

TOKEN = "t" * 64

RELATIVE = "; a relative path is looked up where the client starts the server"


def told(
    capsys: pytest.CaptureFixture[str], definition: Definition, environ: dict[str, str]
) -> tuple[int, list[str], list[str]]:
    code = cli.main(definition, ["--check"], dict(environ))
    captured = capsys.readouterr()
    return code, captured.out.splitlines(), captured.err.splitlines()


@pytest.mark.requirement("F-21", "F-22")
@pytest.mark.parametrize(
    ("definition", "environ", "line"),
    [
        (
            SMTP,
            {"SMTP_FROM": "ada"},
            "SMTP_FROM: must be an address, or Name <address>, such as Anna Ember "
            "<anna@example.org>",
        ),
        (
            NTFY,
            {"NTFY_TIMEOUT": "0"},
            "NTFY_TIMEOUT: must be a whole number from 1 to 600, not 0",
        ),
        (
            NTFY,
            {"NTFY_TIMEOUT": "-1"},
            "NTFY_TIMEOUT: must be a whole number from 1 to 600, not -1",
        ),
        (
            NTFY,
            {"ELICITATION": "no"},
            "ELICITATION: must be true or false, not a value of 2 characters",
        ),
        (
            NTFY,
            {"NTFY_TOKEN_FILE": "~/tk_abc"},
            "NTFY_TOKEN_FILE: cannot be read: no such file",
        ),
        (
            NTFY,
            {"NTFY_TOKEN_FILE": "tk_abc"},
            f"NTFY_TOKEN_FILE: cannot be read: no such file{RELATIVE}",
        ),
    ],
)
def test_a_wrong_setting_ends_the_start_with_one_line(
    definition: Definition,
    environ: dict[str, str],
    line: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert told(capsys, definition, environ) == (1, [], [f"{definition.name}: {line}"])


@pytest.mark.requirement("F-21")
@pytest.mark.parametrize(
    ("definition", "environ", "line"),
    [
        (NTFY, {"NTFY_URL": "http://ntfy.example.org"}, "NTFY_URL: is http://"),
        *(
            (
                HETZNER_DNS,
                {name: TOKEN},
                f"{name} is set and not read; this server reads HETZNER_API_TOKEN",
            )
            for name in ("HCLOUD_TOKEN", "HETZNER_DNS_TOKEN")
        ),
    ],
)
def test_a_warning_is_marked_as_one(
    definition: Definition,
    environ: dict[str, str],
    line: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, _, errors = told(capsys, definition._replace(missing=lambda _values: "x"), environ)
    assert len(errors) == 1
    assert errors[0].startswith(f"{definition.name}: warning: {line}")
    assert TOKEN not in errors[0]


@pytest.mark.requirement("F-21")
@pytest.mark.parametrize("definition", [NTFY, HETZNER_DNS, WOODPECKER], ids=lambda d: d.name)
def test_what_is_missing_is_told_without_calling_anything_valid(
    definition: Definition, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines, errors = told(capsys, definition, {})
    assert (code, errors) == (1, [])
    assert lines[0] == f"{definition.name} {definition.version}: no setting is wrong"
    assert lines[-1].startswith("incomplete: ")
    assert "so no tool can be called" in lines[-1]
    assert "this tool" not in lines[-1]


@pytest.mark.requirement("F-21")
@pytest.mark.parametrize(
    ("definition", "environ", "code"),
    [
        (NTFY, {"NTFY_URL": NOBODY}, "not_sent"),
        (WOODPECKER, {"WOODPECKER_URL": NOBODY, "WOODPECKER_TOKEN": TOKEN}, "not_sent"),
        (
            HETZNER_DNS,
            {"HETZNER_API_BASE_URL": NOBODY, "HETZNER_API_TOKEN": TOKEN},
            "not_sent",
        ),
        (
            SMTP,
            {
                "SMTP_HOST": "127.0.0.1",
                "SMTP_PORT": "9",
                "SMTP_TLS": "none",
                "SMTP_AUTH": "none",
                "SMTP_FROM": "ada@example.org",
            },
            "unreachable",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Definition) else "",
)
def test_where_nobody_listens_the_systems_words_are_told_and_the_code_below(
    definition: Definition,
    environ: dict[str, str],
    code: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    exit_code, lines, _ = told(capsys, definition, environ)
    assert exit_code == 1
    assert lines[-2].startswith("failed: ")
    assert "could not be reached: connection refused." in lines[-2]
    assert lines[-1] == f"code: {code}"
