"""`ELICITATION`, the start line, and the one way onto stderr."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from mcp_approval.output import write_stderr
from mcp_approval.switch import parse_elicitation, start_line
from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.runtime.cli import read
from mcp_serverkit.server import build_server
from tests.approval.fixture_server import SHOP, Shop

SECRET = "tk-0123456789-0123456789-0123456789-0123456789-0123456789"


@pytest.mark.parametrize(
    ("value", "on"),
    [
        (None, True),
        ("", True),
        ("  ", True),
        ("true", True),
        ("TRUE ", True),
        ("\tTrue\n", True),
        ("false", False),
        (" FALSE", False),
        ("False", False),
    ],
)
@pytest.mark.requirement("AP-31")
def test_true_and_false_are_read_in_any_case_and_blank_means_on(
    value: str | None, on: bool
) -> None:
    assert parse_elicitation(value) is on


@pytest.mark.parametrize(
    "value", ["1", "0", "off", "on", "yes", "no", "t", "truefalse", "true false", "„true“", SECRET]
)
@pytest.mark.requirement("AP-31")
def test_any_other_value_is_an_error_that_names_both_words_and_not_the_value(value: str) -> None:
    with pytest.raises(ValueError, match="true or false") as caught:
        parse_elicitation(value)
    characters = "1 character" if len(value) == 1 else f"{len(value)} characters"
    assert str(caught.value) == f"must be true or false, not a value of {characters}"


@pytest.mark.parametrize(
    "value", ["1", "off", "yes", "${ELICITATION}", "$ELICITATION", "<your-choice>", SECRET]
)
@pytest.mark.requirement("AP-31")
def test_a_wrong_switch_stops_the_server_after_its_credentials_left_the_environment(
    value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    environ = {"ELICITATION": value, "SHOP_TOKEN": SECRET, "SHOP_PASSWORD": "hunter2-hunter2"}
    reading = read(SHOP, environ)
    captured = capsys.readouterr()
    problems = [line for line in reading.problems if line.startswith("ELICITATION: ")]
    assert "SHOP_TOKEN" not in environ
    assert "SHOP_PASSWORD" not in environ
    assert captured.out == ""
    assert len(problems) == 1
    assert f"shop-mcp: {problems[0]}" in captured.err.splitlines()
    assert "true" in problems[0]
    assert "false" in problems[0]
    assert SECRET not in captured.err
    assert "hunter2" not in captured.err


def test_the_start_line_is_exact() -> None:
    assert start_line("shop-mcp") == (
        "shop-mcp: ELICITATION=false — guarded tools fall back to the two-call token"
    )
    assert start_line("smtp-mcp", "a, b and c", "which a model can satisfy") == (
        "smtp-mcp: ELICITATION=false — a, b and c fall back to the two-call token, which a model "
        "can satisfy"
    )


def _text_stream(encoding: str) -> tuple[io.TextIOWrapper, io.BytesIO]:
    raw = io.BytesIO()
    return io.TextIOWrapper(raw, encoding=encoding, errors="strict"), raw


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16", "utf-8", "cp437"])
def test_a_line_is_utf_8_whatever_the_locale(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream, raw = _text_stream(encoding)
    monkeypatch.setattr(sys, "stderr", stream)
    write_stderr(start_line("shop-mcp"))
    assert raw.getvalue() == f"{start_line('shop-mcp')}\n".encode()


def test_a_line_stays_one_line_without_control_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream, raw = _text_stream("utf-8")
    monkeypatch.setattr(sys, "stderr", stream)
    write_stderr("a\nb\r\x1b[2Jc\u2028d\ud800e\x00")
    assert raw.getvalue() == b"a b [2Jc de\n"


class _Broken(io.StringIO):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def write(self, _text: str) -> int:
        raise self._error


@pytest.mark.parametrize(
    "make",
    [
        lambda: _Broken(OSError(28, "No space left on device")),
        lambda: _Broken(ValueError("I/O operation on closed file.")),
        lambda: None,
    ],
    ids=["full", "closed", "absent"],
)
def test_a_stderr_that_takes_nothing_ends_nothing(
    make: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", make())
    write_stderr("a line")


def test_a_text_stream_without_bytes_behind_it_gets_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    write_stderr("a — b")
    assert stream.getvalue() == "a — b\n"


@pytest.mark.parametrize(("value", "words"), [("true", "asks a person"), ("false", "second call")])
def test_what_clients_are_told_follows_the_switch(value: str, words: str) -> None:
    values = read_settings(SHOP.variables, SHOP.prefix, {"ELICITATION": value}).values
    server = build_server(SHOP, values, app=Shop())
    assert words in (server.instructions or "")
