"""A real ntfy server for tests: one started from a binary, or one that runs already."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from tests.live import services

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

BINARY_VARIABLE = "NTFY_TEST_BIN"
URL_VARIABLE = "NTFY_TEST_URL"
USER_VARIABLE = "NTFY_TEST_ADMIN_USER"
PASSWORD_VARIABLE = "NTFY_TEST_ADMIN_PASSWORD"
MISSING = f"no real ntfy server: set {BINARY_VARIABLE}, or {URL_VARIABLE} with an admin login"

_START_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class RealServer:
    """Where a real server answers; the login is empty without a user database."""

    url: str
    admin_user: str = ""
    admin_password: str = ""


def binary() -> str | None:
    """The ntfy binary to test with, if one is named."""
    return services.NTFY.path()


def running() -> RealServer | None:
    """The server to test with that runs already, if one is named."""
    url = os.environ.get(URL_VARIABLE)
    if not url:
        return None
    user, password = os.environ[USER_VARIABLE], os.environ[PASSWORD_VARIABLE]
    return RealServer(url.rstrip("/"), user, password)


@contextlib.contextmanager
def real_server() -> Iterator[RealServer]:
    """Whichever real server the environment names; RuntimeError when it names none."""
    found, path = running(), binary()
    if found is not None:
        yield found
    elif path is not None:
        with started_server(path) as server:
            yield server
    else:
        raise RuntimeError(MISSING)


@contextlib.contextmanager
def started_server(
    path: str,
    *,
    users: bool = True,
    attachments: bool = True,
    tiers: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    time_zone: str = "",
) -> Iterator[RealServer]:
    """Start a binary with a fresh configuration in a temporary folder.

    Unless `options` say otherwise, this machine is exempt from the request limits.
    """
    with tempfile.TemporaryDirectory(prefix="ntfy-live-") as name:
        folder = Path(name)
        port = _free_port()
        server = RealServer(f"http://127.0.0.1:{port}")
        settings = {
            "base-url": server.url,
            "listen-http": f"127.0.0.1:{port}",
            "cache-file": str(folder / "cache.db"),
            "visitor-request-limit-exempt-hosts": "127.0.0.1",
            "visitor-topic-creation-limit-burst": "0",
            "cache-duration": "12h",
            "attachment-expiry-duration": "3h",
            "log-level": "ERROR",
        }
        if attachments:
            settings["attachment-cache-dir"] = str(folder / "attachments")
        if users:
            settings["auth-file"] = str(folder / "user.db")
        config = folder / "server.yml"
        settings |= options or {}
        lines = [f"{key}: {value}\n" for key, value in settings.items() if value]
        config.write_text("".join(lines), encoding="utf-8")
        log = folder / "log.txt"
        with _process(path, config, log, time_zone) as process:
            _wait_until_healthy(server.url, process, log)
            # The database exists only once the server has run.
            if users:
                server = RealServer(server.url, "root", secrets.token_hex(12))
                _run(path, config, ["user", "add", "--role=admin", "root"], server.admin_password)
                for tier in tiers:
                    _run(path, config, ["tier", "add", f"--name={tier.title()}", tier])
            yield server


def _environment(config: Path) -> dict[str, str]:
    # Nothing else is handed on, since the binary reads every NTFY_ variable it knows.
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(config.parent),
        "NTFY_CONFIG_FILE": str(config),
    }


def _run(path: str, config: Path, arguments: list[str], password: str = "") -> None:
    environment = _environment(config)
    if password:
        environment["NTFY_PASSWORD"] = password
    subprocess.run([path, *arguments], env=environment, check=True, capture_output=True, timeout=30)


@contextlib.contextmanager
def _process(
    path: str, config: Path, log: Path, time_zone: str
) -> Iterator[subprocess.Popen[bytes]]:
    environment = _environment(config) | ({"TZ": time_zone} if time_zone else {})
    with log.open("wb") as output:
        process = subprocess.Popen([path, "serve"], env=environment, stdout=output, stderr=output)
        try:
            yield process
        finally:
            process.terminate()
            process.wait(timeout=10)


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    give_up = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < give_up:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{url}/v1/health", timeout=2, trust_env=False).is_success:
                return
        time.sleep(0.05)
    text = log.read_text(encoding="utf-8", errors="replace")
    raise RuntimeError(f"the ntfy server did not start: {text[-500:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
