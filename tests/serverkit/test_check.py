"""`--check`: the configuration and one harmless call, reported on stdout."""

from __future__ import annotations

import pytest

from mcp_serverkit.definition import Definition
from mcp_serverkit.errors import Unreachable
from mcp_serverkit.runtime import cli
from tests.serverkit import kit
from tests.serverkit.kit import BROKEN, KIT, App

URL = {"KIT_URL": "http://kit.example"}


def _check(
    capsys: pytest.CaptureFixture[str], definition: Definition = KIT, **environ: str
) -> tuple[int, list[str]]:
    code = cli.main(definition, ["--check"], {**URL, **environ})
    captured = capsys.readouterr()
    assert captured.err == ""
    return code, captured.out.splitlines()


def test_check_makes_one_call_and_reports_on_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = App(["reached it", "logged in"])
    monkeypatch.setattr(kit, "APP", app)
    code, lines = _check(capsys, ELICITATION="false", KIT_DENY_TOOLS="write_one")
    assert code == 0
    assert lines == [
        "kit-mcp 9.8.7: the settings are valid",
        "tools offered: 3",
        "dialogs: off (ELICITATION=false)",
        "reached it",
        "logged in",
    ]
    assert app.closed == 1


def test_a_check_that_fails_exits_1_with_the_reason_and_closes_the_app(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = App(
        Unreachable(
            "kit could not be reached: no connection.", code="not_sent", hint="Check KIT_URL."
        )
    )
    monkeypatch.setattr(kit, "APP", app)
    code, lines = _check(capsys)
    assert code == 1
    assert lines[2:] == [
        "dialogs: on",
        "failed: kit could not be reached: no connection. Check KIT_URL.",
        "code: not_sent",
    ]
    assert app.closed == 1


def test_a_check_of_an_app_that_cannot_be_built_exits_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, lines = _check(capsys, BROKEN)
    assert code == 1
    assert lines[-1] == "failed: the service is configured badly"


def test_a_check_of_an_incomplete_configuration_exits_1_and_calls_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = App()
    monkeypatch.setattr(kit, "APP", app)
    code = cli.main(KIT, ["--check"], {})
    assert code == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "kit-mcp 9.8.7: no setting is wrong"
    assert lines[-1] == "incomplete: KIT_URL is not set"
    assert app.closed == 0


def test_a_defect_in_a_check_is_one_line_and_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kit, "APP", App(ValueError("tk_secret")))
    assert cli.main(KIT, ["--check"], dict(URL)) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("kit-mcp: ended by a defect: ValueError at ")
    assert "tk_secret" not in captured.err + captured.out
