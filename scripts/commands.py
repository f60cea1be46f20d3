"""Commands that make what is published, started without the environment that starts them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.definitions import ROOT

UV = ROOT / ".tools" / "bin" / "uv"

SHARED = {"mcp-approval": "mcp_approval", "mcp-serverkit": "mcp_serverkit"}
"""Folder and module of each package that the servers share."""

LIMIT_SECONDS = 300
"""Bound of one command; nothing is measured by it."""


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed, outside the environment that is active."""
    inherited = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**inherited, **(env or {})},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done
