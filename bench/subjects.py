"""What is measured: the servers, each against its stand-in, and the yardsticks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from unittest.mock import patch

from bench.measure import Subject
from scripts.install import ROOT, UV, command_of, install
from scripts.servers import find
from tests.backends.hetzner import HetznerBackend
from tests.backends.ntfy import Limits, NtfyBackend
from tests.backends.smtp import SmtpBackend
from tests.backends.woodpecker import WoodpeckerBackend
from tests.backends.woodpecker.state import first_step

BARE = Subject("bare interpreter", ("-c", "print(1, flush=True); input()"))
MINIMAL_FILE = str(Path(__file__).with_name("minimal.py"))
MINIMAL = Subject("minimal SDK server", (MINIMAL_FILE,), ("echo", {"text": "hello"}))

UVX = (
    *("tool", "run", "--quiet", "--python", sys.executable),
    *("--from", str(ROOT / "packages" / "ntfy-mcp"), "ntfy-mcp"),
)
"""What `uvx --from` does."""

Call = tuple[str, Mapping[str, object]]

MESSAGES = 10_000
RECORDS = 20_000
LOG_BYTES = 30_000_000
ATTACHMENT_BYTES = 5_000_000


@contextlib.contextmanager
def subjects() -> Iterator[list[Subject]]:
    """Everything, its backends running."""
    with (
        ntfy() as (_, ntfy_environ),
        smtp() as smtp_environ,
        hetzner() as (_, hetzner_environ),
        woodpecker() as (_, woodpecker_environ),
        _installed("ntfy") as installed,
    ):
        listing: Call = ("list_messages", {})
        poll = f"{ntfy_environ['NTFY_URL']}/alerts/json?poll=1&since=24h"
        yield [
            BARE,
            MINIMAL,
            Subject("minimal with httpx", (MINIMAL_FILE, poll), ("echo", {})),
            Subject("ntfy-mcp", ("-m", "ntfy_mcp"), listing, ntfy_environ),
            Subject("ntfy-mcp, installed", (), listing, ntfy_environ, installed),
            Subject("ntfy-mcp, by uvx", UVX, listing, {**_index(), **ntfy_environ}, str(UV)),
            Subject("smtp-mcp", ("-m", "smtp_mcp"), ("get_server_info", {}), smtp_environ),
            Subject(
                "hetzner-dns-mcp",
                ("-m", "hetzner_dns_mcp"),
                ("list_zones", {}),
                hetzner_environ,
            ),
            Subject(
                "woodpecker-ci-mcp",
                ("-m", "woodpecker_ci_mcp"),
                ("get_repository", {"repo_id": 21}),
                woodpecker_environ,
            ),
        ]


@contextlib.contextmanager
def ntfy(messages: int = 0) -> Iterator[tuple[NtfyBackend, Mapping[str, str]]]:
    """An instance, and what every poll of it finds."""
    with NtfyBackend(limits=Limits(exempt=True)) as backend:
        if messages:
            fields = '"time":1797990010,"event":"message","topic":"alerts"'
            line = f'{{{{"id":"{{:012d}}",{fields},"message":"{{}}"}}}}\n'
            body = "".join(line.format(number, "x" * 80) for number in range(messages))
            backend.respond_next(body=body, content_type="application/x-ndjson", times=1_000)
        yield backend, {"NTFY_URL": backend.url, "NTFY_TOPICS": "alerts"}


@contextlib.contextmanager
def smtp(attachment: int = 0) -> Iterator[Mapping[str, str]]:
    """A mail server in a loop of its own, and a file to attach."""
    with tempfile.TemporaryDirectory() as folder, _smtp_port() as port:
        (Path(folder) / "file.pdf").write_bytes(b"%PDF-1.7\n" + b"x" * attachment)
        yield {
            "SMTP_HOST": "127.0.0.1",
            "SMTP_PORT": str(port),
            "SMTP_TLS": "none",
            "SMTP_AUTH": "none",
            "SMTP_FROM": "ada@sender.test",
            "SMTP_ALLOW_SEND": "true",
            "SMTP_ALLOWED_RECIPIENTS": "@example.test",
            "SMTP_ATTACHMENT_DIR": folder,
        }


@contextlib.contextmanager
def hetzner(records: int = 0) -> Iterator[tuple[HetznerBackend, Mapping[str, str]]]:
    """A project with one zone of many records."""
    with HetznerBackend() as backend:
        backend.add_zone("example.com")
        for number in range(records):
            address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
            backend.add_rrset("example.com", f"h{number}", "A", [address], ttl=300)
        yield backend, {"HETZNER_API_TOKEN": backend.token, "HETZNER_API_BASE_URL": backend.url}


@contextlib.contextmanager
def woodpecker(log_bytes: int = 0) -> Iterator[tuple[WoodpeckerBackend, Mapping[str, str]]]:
    """A repository whose one pipeline has a long log."""
    with WoodpeckerBackend() as backend:
        state = backend.state
        state.add_user("alice", admin=True, token="token-of-the-bench")
        state.add_repo(21, "acme/web")
        step = first_step(state.add_pipeline(21))
        line = "compiling something whose line has about a hundred characters, as builds do"
        # A line of the answer is its text in base64 and some fields: about 200 bytes.
        state.add_log(int(str(step["id"])), [line] * (log_bytes // 200))
        yield backend, {"WOODPECKER_URL": backend.url, "WOODPECKER_TOKEN": "token-of-the-bench"}


def _index() -> Mapping[str, str]:
    """How uv reaches the index on this machine, which it asks at each start."""
    about = ("UV_", "SSL_CERT_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
    return {name: value for name, value in os.environ.items() if name.upper().startswith(about)}


@contextlib.contextmanager
def _installed(name: str) -> Iterator[str]:
    """Install a server as `make install` does, but into a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        places = {"UV_TOOL_DIR": f"{folder}/tools", "UV_TOOL_BIN_DIR": f"{folder}/bin"}
        with patch.dict(os.environ, places):
            install(find(name))
            command = str(command_of(find(name)))
        yield command


@contextlib.contextmanager
def _smtp_port() -> Iterator[int]:
    started, ports = threading.Event(), []
    loop = asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        async with SmtpBackend(login=None) as backend:
            ports.append(backend.port)
            started.set()
            await done.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    started.wait()
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()
        loop.close()
