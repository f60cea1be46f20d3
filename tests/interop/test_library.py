"""The tests of the approval library, with FastMCP: in the environment that has it."""

from __future__ import annotations

import os
import subprocess
import sysconfig

import pytest

from tests.interop.tools import PYTHON, ROOT

LIMIT_SECONDS = 900


@pytest.mark.timeout(LIMIT_SECONDS)
def test_it_is_the_same_under_fastmcp() -> None:
    sources = [*ROOT.glob("shared/*/src"), *ROOT.glob("packages/*/src")]
    # Everything but FastMCP comes from the environment that this runs in.
    path = [str(source) for source in sources] + [sysconfig.get_path("purelib")]
    options = ["-q", "-p", "no:cacheprovider", "-k", "FastMCP or fastmcp", "tests/library"]
    ran = subprocess.run(
        [str(PYTHON), "-m", "pytest", *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4_000:]
    assert " skipped" not in ran.stdout
