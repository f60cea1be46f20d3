"""The command: options, exit codes, and what is printed where."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import ClassVar

import pytest

from mcp_serverkit.config.settings import Values
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime import cli, process
from ntfy_mcp.definition import NTFY
from tests.serverkit import kit
from tests.serverkit.kit import KIT, VARIABLES, App
from tests.serverkit.pipes import pipe
from tests.support.raw import CLIENT

URL = {"KIT_URL": "http://kit.example"}


class Served:
    """Stands where the process would serve; the rest of the command is real."""

    calls: ClassVar[list[str]] = []

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> None:
        Served.calls = []

        def serve(definition: Definition, values: Values, *_rest: object) -> int:
            Served.calls.append(definition.name)
            if error is not None:
                raise error
            return 0

        monkeypatch.setattr(process, "serve_stdio", serve)
        monkeypatch.setattr(cli, "claim_stdio", lambda: (-1, -1))


@pytest.mark.parametrize("environ", [{}, {"ELICITATION": "nonsense"}])
def test_help_lists_every_variable_whatever_is_configured(
    environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(KIT, ["--help"], environ) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.startswith("kit-mcp 9.8.7: Try the kit — all of it.\n")
    told = " ".join(captured.out.split())
    for variable in VARIABLES:
        assert f"{variable.name} ({variable.kind}; default: {variable.default})" in told
        assert variable.meaning in told
    assert "KIT_TOKEN_FILE names a file" in told
    assert "KIT_URL_FILE" not in captured.out


def test_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(KIT, ["--version"], {}) == 0
    assert capsys.readouterr() == ("kit-mcp 9.8.7\n", "")


@pytest.mark.parametrize("option", ["--help", "--version", "--check"])
def test_an_ascii_stdout_is_no_reason_to_fail(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    monkeypatch.setattr(kit, "APP", App(["grüße \x1b[2J\ud83d\nforged: line"]))
    assert cli.main(KIT, [option], dict(URL)) == 0
    out = raw.getvalue().decode("utf-8")
    assert option != "--help" or "Try the kit — all of it." in out
    assert option != "--check" or out.endswith("\ngrüße [2J forged: line\n")


NO_ARGUMENTS = (
    "takes no arguments besides its options; settings come from the environment, see --help"
)


@pytest.mark.requirement("F-20")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--wrong"], "--wrong is no option; there are --help, --version and --check"),
        (["--wrong=tk_abc"], "--wrong is no option; there are --help, --version and --check"),
        (["--chec"], "--chec is no option; there are --help, --version and --check"),
        (["-x"], "-x is no option; there are --help, --version and --check"),
        (["--check="], "--check takes no value"),
        (["--check=tk_abc"], "--check takes no value"),
        (["--help", "--version"], "takes one of --help, --version and --check at a time"),
        (["tk_abc"], NO_ARGUMENTS),
        (["--tk_abc"], NO_ARGUMENTS),
        (["--abcdefghijklmnopqrstuvwxyz"], NO_ARGUMENTS),
        (["-hx"], NO_ARGUMENTS),
        (["--check", "serve"], NO_ARGUMENTS),
        (["--"], NO_ARGUMENTS),
        ([""], NO_ARGUMENTS),
    ],
)
def test_what_is_no_option_exits_2_with_one_line_that_repeats_no_secret(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(KIT, arguments, {}) == 2
    assert capsys.readouterr() == ("", f"kit-mcp: {told}\n")


@pytest.mark.requirement("F-20")
@pytest.mark.parametrize("columns", [20, 60, 80, 300])
def test_help_fits_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert cli.main(KIT, ["-h"], {}) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= max(40, min(columns, 100))
    assert all(variable.name in out for variable in VARIABLES)


@pytest.mark.requirement("F-20")
@pytest.mark.parametrize("option", ["--help", "--version", "--check"])
def test_a_reader_that_has_left_is_no_reason_to_complain(option: str) -> None:
    with pipe() as output:
        output.close_reader()
        done = subprocess.run(
            [sys.executable, "-m", "ntfy_mcp", option],
            stdout=output.write_end,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.stderr == b""
    assert done.returncode == (1 if option == "--check" else 0)


@pytest.mark.requirement("F-20")
def test_a_start_without_arguments_loads_no_parser_for_them() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "ntfy_mcp"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "mcp_serverkit.runtime.cli" in loaded
    assert not loaded & {"argparse", "gettext", "mcp_serverkit.runtime.arguments"}


@pytest.mark.parametrize("arguments", [[], ["--check"]])
def test_wrong_settings_exit_1_with_one_line_each_on_stderr(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    environ = {
        "KIT_URL": "ftp://x",
        "KIT_TIMEOUT": "never",
        "KIT_ALLOW_TOOLS": "read_noe",
        "KIT_TOKN": "tk_secret",
        "KIT_PASSWORD": "hunter2\x00",
        "ELICITATION": "off",
    }
    assert cli.main(KIT, arguments, environ) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert [line for line in lines if not line.startswith("kit-mcp: ")] == []
    assert lines[0].startswith("kit-mcp: warning: KIT_TOKN: ")
    assert [line.split(": ")[1] for line in lines[1:]] == [
        "KIT_URL",
        "KIT_PASSWORD",
        "KIT_TIMEOUT",
        "ELICITATION",
        "KIT_ALLOW_TOOLS",
    ]
    assert "secret" not in captured.err
    assert "hunter2" not in captured.err
    assert "KIT_PASSWORD" not in environ


def test_what_concerns_several_variables_is_checked_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    definition = KIT._replace(
        cross_check=lambda values, reading: reading.problem("KIT_NAME", f"not {values['name']}")
    )
    assert cli.main(definition, [], {}) == 1
    assert capsys.readouterr().err == "kit-mcp: KIT_NAME: not kit\n"


def test_serving_prints_only_what_is_worth_saying(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Served(monkeypatch)
    assert cli.main(KIT, [], dict(URL)) == 0
    assert Served.calls == ["kit-mcp"]
    assert capsys.readouterr() == ("", "kit-mcp: targeting http://kit.example\n")


def test_an_incomplete_configuration_serves_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Served(monkeypatch)
    assert cli.main(KIT, [], {}) == 0
    assert Served.calls == ["kit-mcp"]
    assert capsys.readouterr() == ("", "kit-mcp: KIT_URL is not set\n")


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"KIT_LOG_LEVEL": "error"},
        {"KIT_READ_ONLY": "1"},
        {"KIT_ALLOW_TOOLS": "read_one"},
    ],
)
def test_dialogs_that_are_off_are_told_first_and_always(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Served(monkeypatch)
    cli.main(KIT, [], {**URL, **environ, "ELICITATION": " False "})
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "kit-mcp: ELICITATION=false — guarded tools fall back to the two-call token"
    assert len([line for line in lines if "ELICITATION" in line]) == 1


def test_a_server_may_name_its_tools_and_what_a_model_can_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Served(monkeypatch)
    definition = KIT._replace(off_who="send and reply", off_remark="which a model can satisfy")
    cli.main(definition, [], {"ELICITATION": "false"})
    assert capsys.readouterr().err.splitlines()[0] == (
        "kit-mcp: ELICITATION=false — send and reply fall back to the two-call token, which a "
        "model can satisfy"
    )


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stdin", "hint"), [(_Terminal(), True), (io.StringIO(), False), (None, False)]
)
def test_a_terminal_is_told_how_to_register_and_served_all_the_same(
    stdin: object,
    hint: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Served(monkeypatch)
    monkeypatch.setattr(sys, "stdin", stdin)
    assert cli.main(KIT, [], dict(URL)) == 0
    assert ("speaks MCP over stdio" in capsys.readouterr().err) is hint
    assert Served.calls == ["kit-mcp"]


def test_a_defect_while_serving_is_one_line_and_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Served(monkeypatch, ValueError("tk_secret"))
    assert cli.main(KIT, [], dict(URL)) == 1
    captured = capsys.readouterr()
    last = captured.err.splitlines()[-1]
    assert last.startswith("kit-mcp: ended by a defect: ValueError at ")
    assert "tk_secret" not in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT},
}


@pytest.mark.parametrize("more", [False, True])
def test_the_sdk_is_loaded_only_for_a_message_that_needs_it(
    more: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Served(monkeypatch)
    with pipe() as to_server, pipe() as from_server:
        monkeypatch.setattr(cli, "claim_stdio", lambda: (to_server.read_end, from_server.write_end))
        call = {"jsonrpc": "2.0", "id": 2, "method": "completion/complete"}
        lines = [HELLO, call] if more else [HELLO]
        os.write(to_server.write_end, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        to_server.close_writer()
        assert cli.main(NTFY, [], {}) == 0
        answer = json.loads(os.read(from_server.read_end, 65_536))
    assert answer["id"] == 1
    assert Served.calls == (["ntfy-mcp"] if more else [])


def test_a_definition_need_not_say_more_than_it_must(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Served(monkeypatch)
    small = Definition(
        name="small-mcp",
        title="Small",
        version="1",
        summary="Small.",
        prefix="KIT",
        variables=VARIABLES,
        registry=KIT.registry,
        load_app=KIT.load_app,
        instructions=KIT.instructions,
    )
    assert cli.main(small, [], {}) == 0
    assert Served.calls == ["small-mcp"]
    assert capsys.readouterr() == ("", "")


def test_output_that_nobody_reads_any_more_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    with pipe() as ends:
        ends.close_reader()
        with os.fdopen(os.dup(ends.write_end), "w") as stream:
            stream.write("never read")
            monkeypatch.setattr(sys, "stdout", stream)
            cli._forget_unread_output()
            stream.flush()


def test_a_signal_before_anything_is_served_ends_the_process_with_its_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[object] = []

    class Lines:
        def finish(self, seconds: float) -> None:
            done.append(seconds)

    class Signalled:
        def __init__(self, at_once: Callable[[], object]) -> None:
            self.start = at_once

    monkeypatch.setattr(cli, "own_stderr", lambda _name: Lines())
    monkeypatch.setattr(cli, "Leaving", Signalled)
    monkeypatch.setattr("os._exit", done.append)
    monkeypatch.setattr(cli, "main", lambda *_: 0)
    monkeypatch.setattr("gc.disable", lambda: None)
    with pytest.raises(SystemExit) as ended:
        cli.run(KIT)
    assert ended.value.code == 0
    assert done[:2] == [cli._LAST_LINES_SECONDS, 0]
