"""The tests of the approval library with the oldest FastMCP that it says it knows."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig

import pytest

from tests.interop.tools import FASTMCP_REQUIREMENTS, OLDEST_FASTMCP, ROOT

LIMIT_SECONDS = 900


@pytest.mark.timeout(LIMIT_SECONDS)
def test_it_is_the_same_under_the_oldest_fastmcp() -> None:
    paths = {"base": str(OLDEST_FASTMCP), "platbase": str(OLDEST_FASTMCP)}
    oldest = sysconfig.get_path("purelib", "venv", paths)
    # Its modules go before those of the environment that this runs in.
    environ = {**os.environ, "PYTHONPATH": oldest}
    asked = [sys.executable, "-c", "import fastmcp; print(fastmcp.__version__)"]
    version = subprocess.run(asked, env=environ, check=True, capture_output=True, text=True)
    wanted = FASTMCP_REQUIREMENTS.read_text(encoding="utf-8").split()
    assert f"fastmcp=={version.stdout.strip()}" in wanted
    options = ["-q", "-p", "no:cacheprovider", "-k", "FastMCP or fastmcp", "tests/library"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=ROOT,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4_000:]
    assert " skipped" not in ran.stdout
