"""What the stand-in remembers."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from .exchange import Json

ENDED = ("success", "failure", "error", "killed", "canceled", "declined")


@dataclass
class State:
    """All objects of one instance, as documents of the newest line."""

    version: str = "3.18.0"
    now: int = 1_790_000_000
    users: list[Json] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)
    repos: list[Json] = field(default_factory=list)
    rights: dict[tuple[int, str], str] = field(default_factory=dict)
    rowless: set[tuple[int, str]] = field(default_factory=set)
    """Repositories of which an account has no permission row: never synchronised."""
    owners: dict[int, str | None] = field(default_factory=dict)
    branches: dict[int, list[str]] = field(default_factory=dict)
    pull_requests: dict[int, list[Json]] = field(default_factory=dict)
    forge_repos: dict[str, Json] = field(default_factory=dict)
    pipelines: dict[int, list[Json]] = field(default_factory=dict)
    configs: dict[tuple[int, int], list[Json]] = field(default_factory=dict)
    needs: dict[int, str] = field(default_factory=dict)
    ran: list[tuple[int, list[str]]] = field(default_factory=list)
    stopping: set[int] = field(default_factory=set)
    logs: dict[int, list[Json | None]] = field(default_factory=dict)
    file_logs: bool = False
    log_store_fails: bool = False
    secrets: list[Json] = field(default_factory=list)
    registries: list[Json] = field(default_factory=list)
    crons: list[Json] = field(default_factory=list)
    orgs: list[Json] = field(default_factory=list)
    members: dict[tuple[int, str], str] = field(default_factory=dict)
    agents: list[Json] = field(default_factory=list)
    tasks: list[Json] = field(default_factory=list)
    waiting: list[Json] = field(default_factory=list)
    on_deps: list[Json] = field(default_factory=list)
    workflows: dict[str, Json] = field(default_factory=dict)
    """What the configuration says of a workflow: its labels, needs and concurrency."""
    hostnames: dict[int, str] = field(default_factory=dict)
    forges: list[Json] = field(default_factory=list)
    paused: bool = False
    repaired: list[int] = field(default_factory=list)
    log_level: str = "info"
    redirections: set[str] = field(default_factory=set)
    filtered_branches: set[str] = field(default_factory=set)
    broken_branches: set[str] = field(default_factory=set)
    ids: Iterable[int] = field(default_factory=lambda: itertools.count(101))

    def next_id(self) -> int:
        """A number that was not given before."""
        return next(cast("itertools.count[int]", self.ids))

    def at_least(self, major: int, minor: int) -> bool:
        """Whether the version is this one or newer."""
        parts = self.version.split(".")
        return (int(parts[0]), int(parts[1])) >= (major, minor)

    def user(self, login: str) -> Json | None:
        """Find an account."""
        return next((user for user in self.users if user["login"] == login), None)

    def right(self, user: Json | None, repo: Json) -> str:
        """What somebody may do in a repository: nothing, pull, push or admin."""
        if user is not None and user.get("admin"):
            return "admin"
        given = self.rights.get((cast("int", repo["id"]), str(user["login"]))) if user else None
        if given:
            return given
        visibility = repo["visibility"]
        readable = visibility == "public" or (visibility == "internal" and user is not None)
        return "pull" if readable else ""

    def has_row(self, user: Json, repo: Json) -> bool:
        """Whether an account's own lists hold a repository: push or admin, when last read.

        An instance admin may do everything and needs no row, but is listed only with one.
        """
        if (cast("int", repo["id"]), str(user["login"])) in self.rowless:
            return False
        return self.right(user, repo) in {"push", "admin"}

    def repo(self, repo_id: int) -> Json:
        """Find a repository."""
        return next(repo for repo in self.repos if repo["id"] == repo_id)

    def reaching(self, repo: Json, pipeline: Json) -> list[str]:
        """The secrets that the steps of a pipeline can have, by name.

        Of one name the narrowest level counts, before its events are looked at.
        """
        chosen: dict[object, Json] = {}
        for level in (
            {"repo_id": repo["id"]},
            {"repo_id": 0, "org_id": repo["org_id"]},
            {"repo_id": 0, "org_id": 0},
        ):
            for secret in self.secrets:
                if all(secret[key] == value for key, value in level.items()):
                    chosen.setdefault(secret["name"], secret)
        event = str(pipeline["event"])
        wanted = "pull_request" if event.startswith("pull_request") else event
        return [
            str(name)
            for name, secret in chosen.items()
            if not secret["events"] or wanted in cast("list[str]", secret["events"])
        ]

    def let_run(self, repo: Json, pipeline: Json) -> None:
        """Hand a pipeline to the agents, with the secrets that reach it."""
        self.ran.append((cast("int", pipeline["id"]), self.reaching(repo, pipeline)))

    def add_secret(self, name: str, *, events: list[str], **level: object) -> Json:
        """Add a secret: of a repository, of an organisation, or else of the instance."""
        secret: Json = {
            "id": self.next_id(),
            "org_id": 0,
            "repo_id": 0,
            "name": name,
            "value": f"value-of-{name}",
            "events": events,
            "images": [],
            "note": "",
            **level,
        }
        self.secrets.append(secret)
        return secret

    def drop_pipeline(self, repo_id: int, pipeline: Json) -> None:
        """Remove a pipeline; log files stay, since only the database is emptied."""
        self.pipelines[repo_id].remove(pipeline)
        if not self.file_logs:
            for workflow in cast("list[Json]", pipeline["workflows"]):
                for step in cast("list[Json]", workflow["children"]):
                    self.logs.pop(cast("int", step["id"]), None)

    def drop_repo(self, repo: Json) -> None:
        """Remove a repository with its data; cron jobs stay, and fail when they are due."""
        number = cast("int", repo["id"])
        for pipeline in list(self.pipelines[number]):
            self.drop_pipeline(number, pipeline)
        self.secrets = [entry for entry in self.secrets if entry["repo_id"] != number]
        self.registries = [entry for entry in self.registries if entry["repo_id"] != number]
        self.repos.remove(repo)

    def drop_org(self, org: Json) -> None:
        """Remove an organisation with its repositories; registries and agents of it stay."""
        self.secrets = [entry for entry in self.secrets if entry["org_id"] != org["id"]]
        for repo in [repo for repo in self.repos if repo["org_id"] == org["id"]]:
            self.drop_repo(repo)
        self.orgs.remove(org)

    def add_user(self, login: str, *, admin: bool = False, token: str | None = None) -> Json:
        """Add an account that has logged in, with its personal namespace."""
        number = self.next_id()
        org = self.add_org(login, is_user=True)
        user: Json = {
            "id": number,
            "forge_id": 1,
            "forge_remote_id": f"remote-{number}",
            "login": login,
            "email": f"{login}@example.org",
            "avatar_url": f"https://git.example.org/avatars/{login}",
            "admin": admin,
            "org_id": org["id"],
        }
        self.users.append(user)
        if token is not None:
            self.tokens[token] = login
        return user

    def add_org(self, name: str, *, is_user: bool = False) -> Json:
        """Add an organisation."""
        org: Json = {"id": self.next_id(), "forge_id": 1, "name": name, "is_user": is_user}
        self.orgs.append(org)
        return org

    def add_repo(self, repo_id: int, full_name: str, **fields: object) -> Json:
        """Add an active repository with a branch."""
        owner, _, name = full_name.rpartition("/")
        org = next((org for org in self.orgs if org["name"] == owner), None)
        repo: Json = {
            "id": repo_id,
            "forge_id": 1,
            "forge_remote_id": f"{repo_id}00",
            "org_id": (org or self.add_org(owner))["id"],
            "owner": owner,
            "name": name,
            "full_name": full_name,
            "avatar_url": "https://git.example.org/avatars/repo",
            "forge_url": f"https://git.example.org/{full_name}",
            "clone_url": f"https://git.example.org/{full_name}.git",
            "default_branch": "main",
            "timeout": 60,
            "visibility": "private",
            "private": True,
            "trusted": {"network": False, "volumes": False, "security": False},
            "require_approval": "forks",
            "active": True,
            "allow_pr": True,
            "allow_deploy": False,
            "config_file": "",
            "cancel_previous_pipeline_events": [],
            "netrc_trusted": [],
            **fields,
        }
        self.repos.append(repo)
        self.branches[repo_id] = ["main"]
        self.pipelines[repo_id] = []
        return repo

    def add_pipeline(self, repo_id: int, **fields: object) -> Json:
        """Add a pipeline with one workflow of one step, or none if it broke before."""
        known = [cast("int", entry["number"]) for entry in self.pipelines[repo_id]]
        number = max(known, default=0) + 1
        status = str(fields.get("status", "success"))
        times = self._times(status)
        step: Json = {
            "id": self.next_id(),
            "pid": 2,
            "ppid": 1,
            "name": "test",
            "type": "commands",
            "state": status,
            "exit_code": 0,
            **times,
        }
        workflow: Json = {
            "id": self.next_id(),
            "pid": 1,
            "name": "woodpecker",
            "state": status,
            "children": [step],
            **times,
        }
        pipeline: Json = {
            "id": self.next_id(),
            "number": number,
            "author": "alice",
            "author_avatar": "https://git.example.org/avatars/alice",
            "parent": 0,
            "rerun_count": 0,
            "event": "push",
            "status": status,
            "errors": None,
            "created": self.now,
            "updated": self.now,
            "commit": "0123456789abcdef0123456789abcdef01234567",
            "branch": "main",
            "ref": "refs/heads/main",
            "refspec": "",
            "message": "first line\nsecond line",
            "title": "",
            "sender": fields.get("cron") or fields.get("author", "alice"),
            "author_email": "alice@example.org",
            "forge_url": f"{self.repo(repo_id)['forge_url']}/commit/0123456789ab",
            "timestamp": self.now,
            "version": self.version,
            "changed_files": ["a.txt"],
            "workflows": [] if status == "error" else [workflow],
            "reviewed_by": "",
            "reviewed": 0,
            **times,
            **fields,
        }
        self.pipelines[repo_id].append(pipeline)
        self.configs[repo_id, number] = [{"name": "woodpecker", "hash": "h", "data": ""}]
        return pipeline

    def _times(self, status: str) -> Json:
        """When something of that state began and ended; an error counts as both at once."""
        if status in {"blocked", "pending", "declined", "skipped", "created"}:
            return {"started": 0, "finished": 0}
        if status == "error":
            return {"started": self.now, "finished": self.now}
        return {"started": self.now, "finished": self.now + 5 if status in ENDED else 0}

    def add_log(self, step_id: int, lines: Iterable[str | bytes]) -> None:
        """Store the log of a step, one entry a line."""
        self.logs[step_id] = [
            {
                "id": position + 1,
                "step_id": step_id,
                "time": position,
                "line": position,
                "data": base64.b64encode(
                    line if isinstance(line, bytes) else line.encode()
                ).decode(),
                "type": 0,
            }
            for position, line in enumerate(lines)
        ]


def first_step(pipeline: Json) -> Json:
    """The first step of a pipeline."""
    workflow = cast("list[Json]", pipeline["workflows"])[0]
    return cast("list[Json]", workflow["children"])[0]
