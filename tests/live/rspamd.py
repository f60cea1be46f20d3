"""A real rspamd for tests: it judges messages, asks no network, and keeps all in one folder.

Needs root and the Debian package rspamd; no systemd.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.live import mail_tools
from tests.live.mail_tools import PATH, free_ports, wait_for

_USER = "_rspamd"
_START_SECONDS = 240.0
"""It compiles its rules before it listens."""

_CONFIGURATION = """\
.include "$CONFDIR/common.conf"
options {{
  pidfile = "$RUNDIR/rspamd.pid";
  .include "$CONFDIR/options.inc"
  dns {{ nameserver = ["127.0.0.1:1:1"]; timeout = 0.1; retransmits = 1; }}
}}
logging {{ type = "file"; filename = "$LOGDIR/rspamd.log"; level = "notice"; }}
worker "normal" {{ bind_socket = "127.0.0.1:{port}"; count = 1; }}
"""


def missing() -> str:
    """Say why no rspamd can be started here; empty when one can."""
    return mail_tools.missing("rspamd", "rspamd")


@dataclass(frozen=True)
class Rspamd:
    """A running rspamd."""

    port: int

    def symbols(self, raw: bytes) -> set[str]:
        """The names of the rules that a message meets."""
        url = f"http://127.0.0.1:{self.port}/checkv2"
        answer = httpx.post(url, content=raw, timeout=60, trust_env=False)
        assert answer.status_code == 200, answer.text
        return set(json.loads(answer.content)["symbols"])


@contextlib.contextmanager
def started() -> Iterator[Rspamd]:
    """Start an rspamd, and stop it."""
    with tempfile.TemporaryDirectory(prefix="rspamd-live-") as name:
        root = Path(name)
        [port] = free_ports(1)
        file = root / "rspamd.conf"
        file.write_text(_CONFIGURATION.format(port=port), encoding="utf-8")
        shutil.chown(root, _USER)
        folders = [f"--var={kind}={root}" for kind in ("DBDIR", "RUNDIR", "LOGDIR")]
        command = ["rspamd", "-c", str(file), "-f", "-u", _USER, "-g", _USER, *folders]
        process = subprocess.Popen(command, env={"PATH": PATH, "LC_ALL": "C"})
        try:
            wait_for(port, _START_SECONDS)
            yield Rspamd(port)
        finally:
            process.terminate()
            process.wait(timeout=30)
