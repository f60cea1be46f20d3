"""A real Woodpecker server with one agent, a forge of ours, and accounts that may call it."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx

from tests.backends.woodpecker import Json
from tests.live import services
from tests.live.fake_forge import FakeForge, ForgeRepo

SERVER_VARIABLE = "WOODPECKER_TEST_SERVER_BIN"
AGENT_VARIABLE = "WOODPECKER_TEST_AGENT_BIN"
MISSING = f"no real Woodpecker: set {SERVER_VARIABLE} and {AGENT_VARIABLE} to its binaries"

ADMIN, USER = "alice", "bob"
_PATIENCE_SECONDS = 40.0


@dataclass(frozen=True)
class RealWoodpecker:
    """A running instance.

    Attributes:
        url: Its address.
        forge: The forge that it reads.
        tokens: Token by login.
        folder: Where it keeps its database and its logs.
        restart: Ends the server and starts it again, without a look at the agent.
    """

    url: str
    forge: FakeForge
    tokens: Mapping[str, str]
    folder: Path
    restart: Callable[[], None]

    @property
    def log_files(self) -> list[str]:
        """Names of the log files that it keeps."""
        return sorted(path.name for path in (self.folder / "logs").rglob("*") if path.is_file())

    def rows(self, table: str, **wanted: object) -> int:
        """Count rows of its database."""
        where = " AND ".join(f"{name} = ?" for name in wanted)
        with sqlite3.connect(self.folder / "woodpecker.sqlite") as database:
            query = f"SELECT count(*) FROM {table} WHERE {where}"
            return int(database.execute(query, tuple(wanted.values())).fetchone()[0])

    def request(
        self, method: str, path: str, login: str = ADMIN, **fields: object
    ) -> httpx.Response:
        """Send a request to its API."""
        headers = {"authorization": f"Bearer {self.tokens[login]}"} if login else {}
        url = f"{self.url}/api{path}"
        return httpx.request(method, url, headers=headers, trust_env=False, timeout=30, **fields)  # type: ignore[arg-type]

    def activate(self, repo: ForgeRepo) -> int:
        """Switch a repository on; returns its id."""
        answer = self.request("POST", f"/repos?forge_remote_id={repo.number}")
        assert answer.status_code == 200, answer.text
        return int(answer.json()["id"])

    def pull_request(self, repo: ForgeRepo, branch: str, title: str, *, fork: bool) -> Json:
        """Tell it of a pull request, as the forge would; returns the pipeline."""
        described = self.forge.repository(repo, repo.owner)
        stranger = self.forge.user(USER)
        body = {
            "action": "opened",
            "number": 7,
            "repository": described,
            "sender": stranger,
            "pull_request": {
                "user": stranger,
                "title": title,
                "html_url": f"{self.forge.url}/{repo.full_name}/pulls/7",
                "head": {
                    "sha": repo.branches[branch],
                    "ref": branch,
                    "repo_id": repo.number + (1000 if fork else 0),
                },
                "base": {"ref": "main", "repo_id": repo.number},
                "labels": [],
                "milestone": None,
            },
        }
        (hook,) = self.forge.hooks[repo.full_name]
        headers = {"X-Gitea-Event": "pull_request"}
        answer = httpx.post(hook, json=body, headers=headers, trust_env=False, timeout=30)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        made = answer.json()
        assert isinstance(made, dict)
        return made

    def wait(self, repo_id: int, number: int, wanted: str) -> Json:
        """Wait until a pipeline has a status."""

        def reached() -> Json | None:
            document: Json = self.request("GET", f"/repos/{repo_id}/pipelines/{number}").json()
            return document if document["status"] == wanted else None

        return patiently(reached, f"pipeline {number} to be {wanted}")


def patiently(look: Callable[[], Json | None], what: str) -> Json:
    """Look again and again, within a bound."""
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < give_up:
        found = look()
        if found is not None:
            return found
        time.sleep(0.1)
    raise AssertionError(f"waited in vain for {what}")


def binaries() -> tuple[str, str] | None:
    """The binaries to test with, if both are named."""
    server, agent = (program.path() for program in services.WOODPECKER)
    return (server, agent) if server and agent else None


@contextlib.contextmanager
def real_woodpecker() -> Iterator[RealWoodpecker]:
    """Start forge, server and agent in a temporary folder; RuntimeError without binaries."""
    found = binaries()
    if found is None:
        raise RuntimeError(MISSING)
    server, agent = found
    with FakeForge() as forge, tempfile.TemporaryDirectory(prefix="woodpecker-live-") as name:
        for login in (ADMIN, USER):
            forge.add_account(login)
        folder = Path(name)
        port, grpc = _free_port(), _free_port()
        url = f"http://127.0.0.1:{port}"
        shared = secrets.token_hex(16)
        environment = _server_environment(folder, forge.url, url, port, grpc, shared)
        with contextlib.ExitStack() as running:

            def start() -> None:
                running.close()
                running.enter_context(_process(server, environment, folder / "server.log"))
                _wait_until_healthy(url, folder / "server.log")

            start()
            with _process(agent, _agent_environment(folder, grpc, shared), folder / "agent.log"):
                tokens = {login: _log_in(url, login) for login in (ADMIN, USER)}
                yield RealWoodpecker(url, forge, tokens, folder, start)


def _server_environment(
    folder: Path, forge: str, url: str, port: int, grpc: int, shared: str
) -> dict[str, str]:
    logs = folder / "logs"
    logs.mkdir()
    return {
        "WOODPECKER_HOST": url,
        "WOODPECKER_SERVER_ADDR": f"127.0.0.1:{port}",
        "WOODPECKER_GRPC_ADDR": f"127.0.0.1:{grpc}",
        "WOODPECKER_DATABASE_DRIVER": "sqlite3",
        "WOODPECKER_DATABASE_DATASOURCE": str(folder / "woodpecker.sqlite"),
        "WOODPECKER_OPEN": "true",
        "WOODPECKER_ADMIN": ADMIN,
        "WOODPECKER_AGENT_SECRET": shared,
        "WOODPECKER_GITEA": "true",
        "WOODPECKER_GITEA_URL": forge,
        "WOODPECKER_GITEA_CLIENT": "client-of-the-tests",
        "WOODPECKER_GITEA_SECRET": "secret-of-the-tests",
        "WOODPECKER_FORGE_RETRY": "1",
        "WOODPECKER_LOG_LEVEL": "warn",
        "WOODPECKER_ENABLE_SWAGGER": "false",
        "WOODPECKER_DISABLE_VERSION_CHECK": "true",
        "WOODPECKER_LOG_STORE": "file",
        "WOODPECKER_LOG_STORE_FILE_PATH": str(logs),
    }


def _agent_environment(folder: Path, grpc: int, shared: str) -> dict[str, str]:
    work = folder / "work"
    work.mkdir()
    return {
        "WOODPECKER_SERVER": f"127.0.0.1:{grpc}",
        "WOODPECKER_AGENT_SECRET": shared,
        "WOODPECKER_BACKEND": "local",
        "WOODPECKER_AGENT_CONFIG_FILE": str(folder / "agent.conf"),
        "WOODPECKER_HEALTHCHECK": "false",
        "WOODPECKER_MAX_WORKFLOWS": "2",
        "WOODPECKER_BACKEND_LOCAL_TEMP_DIR": str(work),
        "WOODPECKER_HOSTNAME": "runner-of-the-tests",
        "WOODPECKER_LOG_LEVEL": "warn",
    }


@contextlib.contextmanager
def _process(path: str, environment: Mapping[str, str], log: Path) -> Iterator[None]:
    own = {"PATH": os.environ.get("PATH", ""), "HOME": str(log.parent), **environment}
    with log.open("wb") as output:
        process = subprocess.Popen([path], env=own, stdout=output, stderr=output, cwd=log.parent)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(timeout=10)


def _wait_until_healthy(url: str, log: Path) -> None:
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < give_up:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{url}/healthz", timeout=2, trust_env=False).status_code == 204:
                return
        time.sleep(0.1)
    raise RuntimeError(
        f"the Woodpecker server did not start: {log.read_text(encoding='utf-8')[-2000:]}"
    )


def _log_in(url: str, login: str) -> str:
    """Sign in without a browser and fetch a personal access token."""
    with httpx.Client(base_url=url, trust_env=False, timeout=30) as browser:
        there = browser.get("/authorize")
        state = parse_qs(urlsplit(there.headers["location"]).query)["state"][0]
        browser.get("/authorize", params={"code": login, "state": state})
        page = browser.get("/web-config.js").text
        found = re.search(r'WOODPECKER_CSRF = "([^"]+)"', page)
        assert found is not None, page[:500]
        answer = browser.post("/api/user/token", headers={"X-CSRF-TOKEN": found[1]})
        assert answer.status_code == 200, answer.text
        return answer.text.strip()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
