"""Log lines: one each, and nothing of what an exception says."""

from __future__ import annotations

import logging
import warnings

import pytest

from mcp_serverkit.runtime.log import configure, where

SECRET = "tk_hunter2_correct_horse"


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("warning", ["warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_the_level_decides_what_is_told(
    level: str, told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    configure("kit-mcp", level)
    log = logging.getLogger("kit")
    for word in ("debug", "info", "warning", "error"):
        getattr(log, word)("a %s", word)
    assert capsys.readouterr().err.splitlines() == [f"kit-mcp: {word} a {word}" for word in told]


def test_a_record_is_one_line_without_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure("kit-mcp", "info")
    logging.getLogger("kit").error("a\nb\x1b[2J\r%s", "c\u2028d\ud800")
    assert capsys.readouterr().err == "kit-mcp: error a b[2J c d\n"


def test_an_exception_is_named_by_type_and_place_and_never_by_its_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure("kit-mcp", "info")
    log = logging.getLogger("kit")

    def fail() -> None:
        raise ValueError(SECRET)

    try:
        fail()
    except ValueError:
        log.exception("delete_one failed")
    told = capsys.readouterr().err
    assert told.startswith("kit-mcp: error delete_one failed: ValueError at test_log.py:")
    assert told.count("\n") == 1
    assert " fail" in told
    assert SECRET not in told
    assert "Traceback" not in told


def test_asyncio_s_own_records_do_not_quote_an_exception(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure("kit-mcp", "info")
    message = f"Task exception was never retrieved\nfuture: <Task exception=ValueError('{SECRET}')>"
    logging.getLogger("asyncio").error(message, exc_info=ValueError(SECRET))
    told = capsys.readouterr().err
    assert told == "kit-mcp: error Task exception was never retrieved: ValueError\n"


def test_a_record_that_cannot_be_formatted_harms_nobody(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure("kit-mcp", "info")

    class Unprintable:
        def __str__(self) -> str:
            raise KeyError(SECRET)

    log = logging.getLogger("kit")
    log.error("%d", "no number")
    log.error("%s", Unprintable())
    assert (
        capsys.readouterr().err.splitlines()
        == ["kit-mcp: error (a message that cannot be formatted)"] * 2
    )


def test_libraries_that_write_urls_and_headers_are_silent_at_every_level(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure("kit-mcp", "debug")
    clients = ("httpx", "httpcore.http11", "httpx2", "httpcore2.http11")
    for name in (*clients, "mcp.server.runner"):
        logging.getLogger(name).info(SECRET)
        logging.getLogger(name).debug(SECRET)
    assert SECRET not in capsys.readouterr().err


def test_a_python_warning_is_a_line_of_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    configure("kit-mcp", "info")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("old thing", DeprecationWarning, stacklevel=1)
    told = capsys.readouterr().err
    assert told.startswith("kit-mcp: warning ")
    assert "old thing" in told
    assert told.count("\n") == 1


def test_an_exception_without_a_traceback_is_named_by_its_type() -> None:
    assert where(ValueError(SECRET)) == "ValueError"


def test_only_the_innermost_places_are_told() -> None:
    def dig(depth: int) -> None:
        if depth == 0:
            raise RuntimeError(SECRET)
        dig(depth - 1)

    with pytest.raises(RuntimeError) as caught:
        dig(50)
    told = where(caught.value)
    assert told.count(" dig") == 6
    assert SECRET not in told
