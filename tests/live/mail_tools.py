"""What the real mail servers of the tests share: a command, a certificate, ports."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

SECONDS = 20.0
"""How long something is waited for that must come."""

PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def missing(server: str, *programs: str) -> str:
    """Say why a server cannot be started here; empty when it can."""
    if os.name != "posix" or os.geteuid() != 0:
        return f"a real {server} needs root"
    absent = [name for name in programs if shutil.which(name, path=PATH) is None]
    return f"not installed: {', '.join(absent)}" if absent else ""


def run(command: list[str], given: bytes = b"") -> None:
    """Run a command that must succeed."""
    done = subprocess.run(
        command,
        input=given,
        env={"PATH": PATH, "LC_ALL": "C"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.decode(errors='replace')}")


def make_certificate(root: Path) -> None:
    """Make `cert.pem` and `key.pem`; the certificate is its own authority and names localhost."""
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    subject = ["-subj", "/CN=localhost", "-addext", names, "-days", "2"]
    files = ["-keyout", str(root / "key.pem"), "-out", str(root / "cert.pem")]
    run(["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", *subject, *files])


def wait_for(port: int, seconds: float = SECONDS) -> None:
    """Wait until somebody listens."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"nobody listens at port {port}")


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
