"""As much of a Gitea forge as a Woodpecker server needs: accounts, repositories, hooks."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import parse_qs, unquote

from tests.backends.woodpecker import Answer, Json, RecordedRequest
from tests.backends.woodpecker.exchange import as_json, bare
from tests.backends.woodpecker.wire import WireServer

FOREVER_SECONDS = 10 * 365 * 86_400


@dataclass
class ForgeRepo:
    """A repository: branches point at commits, commits hold files."""

    number: int
    owner: str
    name: str
    branches: dict[str, str] = field(default_factory=dict)
    commits: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """Owner and name."""
        return f"{self.owner}/{self.name}"

    def push(self, branch: str, files: Mapping[str, str]) -> str:
        """Put files on a branch; returns the commit."""
        content = json.dumps([self.full_name, branch, dict(files)], sort_keys=True)
        sha = hashlib.sha1(content.encode(), usedforsecurity=False).hexdigest()
        self.branches[branch] = sha
        self.commits[sha] = dict(files)
        return sha


class FakeForge:
    """A forge on the loopback address; the code of a login names its account."""

    def __init__(self) -> None:
        self.accounts: list[str] = []
        self.repos: list[ForgeRepo] = []
        self.hooks: dict[str, list[str]] = {}
        self._wire = WireServer(self._answer)

    def __enter__(self) -> Self:
        self._wire.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._wire.stop()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._wire.port}"

    def add_account(self, login: str) -> None:
        """Add somebody who may log in."""
        self.accounts.append(login)

    def add_repo(self, owner: str, name: str) -> ForgeRepo:
        """Add a repository of one of the accounts."""
        repo = ForgeRepo(len(self.repos) + 1, owner, name)
        self.repos.append(repo)
        return repo

    def user(self, login: str) -> Json:
        """An account as the forge describes it."""
        return {
            "id": self.accounts.index(login) + 1,
            "login": login,
            "email": f"{login}@example.org",
            "avatar_url": f"{self.url}/avatars/{login}",
        }

    def repository(self, repo: ForgeRepo, login: str) -> Json:
        """A repository as the forge describes it to somebody."""
        own = repo.owner == login
        return {
            "id": repo.number,
            "name": repo.name,
            "full_name": repo.full_name,
            "owner": self.user(repo.owner),
            "private": True,
            "html_url": f"{self.url}/{repo.full_name}",
            "clone_url": f"{self.url}/{repo.full_name}.git",
            "ssh_url": "",
            "default_branch": "main",
            "has_pull_requests": True,
            "permissions": {"admin": own, "push": own, "pull": True},
        }

    def _answer(self, request: RecordedRequest) -> Answer:
        path = [unquote(part) for part in request.path.strip("/").split("/")]
        if path == ["login", "oauth", "access_token"]:
            return self._login(request)
        if path[:2] != ["api", "v1"]:
            return bare(404)
        login = request.headers.get("authorization", "").partition(" ")[2].partition("-")[2]
        if path[2] == "repos":
            return self._about_repo(request, path[3:], login)
        return self._about_accounts(request, path[2:], login)

    def _login(self, request: RecordedRequest) -> Answer:
        body = request.body.decode()
        form = json.loads(body) if body.startswith("{") else parse_qs(body)
        code = form["code"] if isinstance(form["code"], str) else form["code"][0]
        return as_json(
            {
                "access_token": f"forge-{code}",
                "refresh_token": f"refresh-{code}",
                "token_type": "bearer",
                "expires_in": FOREVER_SECONDS,
            }
        )

    def _about_accounts(self, request: RecordedRequest, path: list[str], login: str) -> Answer:
        match path:
            case ["version"]:
                return as_json({"version": "1.24.0"})
            case ["settings", "api"]:
                return as_json({"max_response_items": 50})
            case ["user"]:
                return as_json(self.user(login))
            case ["user", "repos"]:
                shown = [self.repository(repo, login) for repo in self.repos]
                return as_json(shown if _is_first(request) else [])
            case ["user", "orgs"]:
                return as_json([])
            case ["users", name] if name in self.accounts:
                return as_json(self.user(name))
            case ["repositories", number]:
                found = [repo for repo in self.repos if str(repo.number) == number]
                return as_json(self.repository(found[0], login)) if found else bare(404)
        return bare(404)

    def _about_repo(self, request: RecordedRequest, path: list[str], login: str) -> Answer:
        repo = next((repo for repo in self.repos if path[:2] == [repo.owner, repo.name]), None)
        if repo is None:
            return bare(404)
        files = repo.commits.get(request.query.get("ref", ""), {})
        match request.method, path[2:]:
            case "GET", []:
                return as_json(self.repository(repo, login))
            case "GET", ["branches"]:
                names = [_branch(name, sha) for name, sha in repo.branches.items()]
                return as_json(names if _is_first(request) else [])
            case "GET", ["branches", *name]:
                branch = "/".join(name)
                sha = repo.branches.get(branch)
                return as_json(_branch(branch, sha)) if sha else bare(404)
            case "GET", ["contents", *folder]:
                return _folder(files, "/".join(folder).rstrip("/"))
            case "GET", ["raw", *name]:
                content = files.get("/".join(name))
                return Answer(200, content.encode()) if content is not None else bare(404)
            case "POST", ["statuses", _]:
                return as_json({}, 201)
            case _, ["hooks", *_]:
                return self._hooks(request, repo)
            case "GET", ["pulls", *rest]:
                changed = [{"filename": "README.md", "status": "changed"}]
                return as_json(changed if rest and _is_first(request) else [])
        return bare(404)

    def _hooks(self, request: RecordedRequest, repo: ForgeRepo) -> Answer:
        urls = self.hooks.setdefault(repo.full_name, [])
        if request.method == "GET":
            shown = urls if _is_first(request) else []
            return as_json([_hook(index, url) for index, url in enumerate(shown)])
        if request.method == "DELETE":
            urls.clear()
            return bare(204)
        body = request.json()
        assert isinstance(body, dict)
        urls.append(body["config"]["url"])
        return as_json(_hook(0, urls[-1]), 201)


def _is_first(request: RecordedRequest) -> bool:
    """Whether the first page is asked for; the server goes on until one is empty."""
    return request.query.get("page", "1") == "1"


def _branch(name: str, sha: str) -> Json:
    return {"name": name, "commit": {"id": sha, "url": ""}}


def _hook(number: int, url: str) -> Json:
    return {"id": number + 1, "type": "gitea", "config": {"url": url}, "active": True}


def _folder(files: Mapping[str, str], folder: str) -> Answer:
    inside = [path for path in files if path.startswith(f"{folder}/")]
    if not inside:
        return bare(404)
    return as_json(
        [
            {
                "name": path.rpartition("/")[2],
                "path": path,
                "type": "file",
                "content": base64.b64encode(files[path].encode()).decode(),
            }
            for path in inside
        ]
    )
