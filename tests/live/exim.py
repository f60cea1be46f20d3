"""A real Exim for tests: it delays, looks at names, and keeps what it takes in its spool.

Needs root. Debian installs it in the place of Postfix, so a program that was only unpacked
will do. Nothing it takes is delivered.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.live.mail_tools import PATH, free_ports, wait_for

HOSTED = "sender.test"
"""A domain of this server's own; nobody else may name himself so."""

SLOW = "slow@example.test"
DELAY_SECONDS = 20

_USER = "mail"

_MAIN = """\
exim_path = {program}
spool_directory = {root}/spool
log_file_path = {root}/log-%s
pid_file_path = {root}/pid
daemon_smtp_ports = {port}
local_interfaces = <; 127.0.0.1
primary_hostname = mx.test
exim_user = {user}
exim_group = {user}
keep_environment =
tls_advertise_hosts =
queue_only = true
acl_smtp_helo = helo
acl_smtp_rcpt = rcpt
begin acl
helo:
  deny message = HELO is one of our own domains
       condition = ${{if eq{{$sender_helo_name}}{{{hosted}}}}}
  accept
rcpt:
  accept recipients = {slow}
         delay = {seconds}s
  accept
begin routers
never:
  driver = redirect
  data = :defer: nothing leaves the tests
"""


@dataclass(frozen=True)
class Exim:
    """A running Exim."""

    root: Path
    port: int

    @property
    def log(self) -> str:
        """Its log."""
        return (self.root / "log-main").read_text(encoding="utf-8", errors="replace")

    @property
    def taken(self) -> list[bytes]:
        """The content below the header fields of each message that it took, in no order."""
        return [path.read_bytes() for path in (self.root / "spool/input").rglob("*-D")]


@contextlib.contextmanager
def started(program: str) -> Iterator[Exim]:
    """Start an Exim, and stop it."""
    with tempfile.TemporaryDirectory(prefix="exim-live-") as name:
        root = Path(name)
        [port] = free_ports(1)
        (root / "spool").mkdir()
        for folder in (root, root / "spool"):
            shutil.chown(folder, _USER, _USER)
        text = _MAIN.format(
            program=program,
            root=root,
            port=port,
            user=_USER,
            hosted=HOSTED,
            slow=SLOW,
            seconds=DELAY_SECONDS,
        )
        (root / "exim.conf").write_text(text, encoding="utf-8")
        command = [program, "-C", str(root / "exim.conf"), "-bdf"]
        process = subprocess.Popen(command, env={"PATH": PATH, "LC_ALL": "C"})
        try:
            wait_for(port)
            yield Exim(root, port)
        finally:
            process.terminate()
            process.wait(timeout=30)
