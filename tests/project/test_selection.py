"""No skip is silent, and `make live` says what was not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def ran(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on one file, with nothing named that is here."""
    file = folder / "test_it.py"
    file.write_text(f"import pytest\n{source}", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.support.selection"]
    return subprocess.run(
        [*command, "--rootdir", str(folder), "-c", os.devnull, *options, str(file)],
        env={"PATH": "", "PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.requirement("HO-23")
@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("def test_it():\n    pytest.skip('it is not here')", 1),
        ("pytest.skip('it is not here', allow_module_level=True)", 2),
        ("pytest.importorskip('no_such_module')\ndef test_it(): pass", 2),
        ("@pytest.mark.skip(reason='some day')\ndef test_it(): pass", 1),
        ("def test_it():\n    pytest.skip('platform: no such signal')", 0),
        ("@pytest.mark.xfail(reason='known')\ndef test_it():\n    assert 0", 0),
        ("def test_it(): pass", 0),
    ],
)
def test_a_skip_is_a_failure_but_for_one_of_the_platform(
    tmp_path: Path, source: str, code: int
) -> None:
    done = ran(tmp_path, source)
    assert done.returncode == code, done.stdout
    assert ("a skip hides whether something is wrong" in done.stdout) == bool(code)


@pytest.mark.requirement("HO-23")
def test_what_is_not_there_is_left_out_and_named_at_the_end(tmp_path: Path) -> None:
    source = "@pytest.mark.live('hcloud')\ndef test_it(): assert 0\n"
    source += "@pytest.mark.live('a friend')\ndef test_that(): pass"
    done = ran(tmp_path, source, "-m", "live", "-W", "ignore")
    assert done.returncode == 0, done.stdout
    assert "1 passed, 1 deselected" in done.stdout
    for told in ("ntfy: set NTFY_TEST_BIN, or put it at .live/ntfy", "postfix: "):
        assert f"not there: {told}" in done.stdout


@pytest.mark.requirement("HO-23")
def test_a_run_in_which_nothing_was_there_fails(tmp_path: Path) -> None:
    source = "@pytest.mark.live('hcloud')\ndef test_it(): assert 0"
    done = ran(tmp_path, source, "-m", "live", "-W", "ignore")
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert "not there: hcloud" in done.stdout
