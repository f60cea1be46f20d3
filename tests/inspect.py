"""`make inspect`: the MCP Inspector's command line against a server, in its three settings.

The Inspector declares no elicitation, so a guarded call must end with the token prompt:
exit code 5, and no hang.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.backends.ntfy import NtfyBackend

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
ERAS = ("legacy", "auto", "modern")
GUARDED = ("delete_messages", '{"topic": "alerts", "sequence_ids": ["nightly"]}')
LIMIT_SECONDS = 120


def inspect(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    python = str(Path(sys.executable))
    command = [
        "npx",
        "--yes",
        INSPECTOR,
        "--cli",
        python,
        "-m",
        "ntfy_mcp",
        "-e",
        f"NTFY_URL={url}",
    ]
    return subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def main() -> int:
    if shutil.which("npx") is None:
        print("npx is not on the PATH: the Inspector needs Node.js")
        return 2
    failures = 0
    with NtfyBackend() as backend:
        for era in ERAS:
            listed = inspect(
                backend.url, "--method", "tools/list", "--strict", "--protocol-era", era
            )
            failures += _report(f"{era}: tools/list --strict", listed, 0, '"list_messages"')
            tool, arguments = GUARDED
            guarded = inspect(
                backend.url,
                *("--method", "tools/call", "--tool-name", tool),
                *("--tool-args-json", arguments, "--protocol-era", era),
            )
            failures += _report(f"{era}: {tool}", guarded, 5, "confirm_token=")
        writes = [request for request in backend.requests if request.method != "GET"]
        print(f"writes that reached the backend: {len(writes)}")
    return 1 if failures or writes else 0


def _report(what: str, done: subprocess.CompletedProcess[str], code: int, expected: str) -> bool:
    good = done.returncode == code and expected in done.stdout + done.stderr
    print(f"{'ok  ' if good else 'FAIL'} {what}: exit code {done.returncode}")
    if not good:
        print(done.stdout[-2000:], done.stderr[-2000:])
    return not good


if __name__ == "__main__":
    sys.exit(main())
