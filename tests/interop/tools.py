"""`python -m tests.interop.tools`: install the clients of other projects, apart from ours.

They live in `.tools/interop`: a Python environment of their own, which brings Node.js
along since the Inspector and the conformance suite want a newer one than many machines
have, the packages of `package.json`, a gateway that runs on an older SDK, and
a Python SDK that is older still.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent

FOLDER = ROOT / ".tools" / "interop"
PYTHON = FOLDER / "bin" / "python"
NODE = FOLDER / "bin" / "node"
NPM = FOLDER / "bin" / "npm"
PROXY_FOLDER = FOLDER / "proxy"
MCP_PROXY = PROXY_FOLDER / "bin" / "mcp-proxy"
OLDEST_FASTMCP = FOLDER / "fastmcp"
OLD_SDK = FOLDER / "sdk"
MODULES = FOLDER / "node"
INSPECTOR = MODULES / "node_modules" / ".bin" / "mcp-inspector"
CONFORMANCE = MODULES / "node_modules" / ".bin" / "conformance"

REQUIREMENTS = HERE / "requirements.txt"
PROXY_REQUIREMENTS = HERE / "requirements-proxy.txt"
FASTMCP_REQUIREMENTS = HERE / "requirements-fastmcp.txt"
SDK_REQUIREMENTS = HERE / "requirements-sdk.txt"
PACKAGES = HERE / "package.json"
STAMP = FOLDER / "installed"

LIMIT_SECONDS = 900


def wanted() -> str:
    """What is to be installed, as the stamp holds it."""
    lists = (
        REQUIREMENTS,
        PROXY_REQUIREMENTS,
        FASTMCP_REQUIREMENTS,
        SDK_REQUIREMENTS,
        PACKAGES,
    )
    return "".join(path.read_text(encoding="utf-8") for path in lists)


def installed() -> bool:
    """Whether everything is there, in the versions that are wanted now."""
    return STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted()


def install() -> None:
    """Install everything anew.

    Raises:
        OSError: A program is missing.
        subprocess.SubprocessError: An installer failed, or took too long.
    """
    uv = shutil.which("uv", path=str(ROOT / ".tools" / "bin")) or shutil.which("uv") or "uv"
    for folder, requirements in (
        (FOLDER, REQUIREMENTS),
        (PROXY_FOLDER, PROXY_REQUIREMENTS),
        (OLDEST_FASTMCP, FASTMCP_REQUIREMENTS),
        (OLD_SDK, SDK_REQUIREMENTS),
    ):
        _run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)])
        python = str(folder / "bin" / "python")
        _run([uv, "pip", "install", "--quiet", "--python", python, "-r", str(requirements)])
    MODULES.mkdir()
    shutil.copy(PACKAGES, MODULES)
    options = ["--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
    _run([str(NPM), "install", "--loglevel=error", "--prefix", str(MODULES), *options])
    STAMP.write_text(wanted(), encoding="utf-8")


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, timeout=LIMIT_SECONDS, stdin=subprocess.DEVNULL)


def main() -> int:
    if installed():
        return 0
    try:
        install()
    except (OSError, subprocess.SubprocessError) as error:
        print(f"the clients could not be installed: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
