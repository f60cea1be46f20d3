"""Routes, and the rights that each needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .exchange import Answer, Exchange, Json, Stop, bare, text

Right = Literal[
    "anyone", "user", "admin", "pull", "push", "repo_admin", "repo", "member", "org_admin", "org"
]
Handle = Callable[[Exchange], Answer]

_LEVELS = ("", "pull", "push", "admin")


@dataclass(frozen=True, slots=True)
class Route:
    """One route; a `*` takes the rest of the path."""

    method: str
    parts: tuple[str, ...]
    right: Right
    handle: Handle

    def match(self, method: str, segments: list[str]) -> dict[str, str] | None:
        """The named parts of a raw path, or nothing when it is another one."""
        if method != self.method:
            return None
        found: dict[str, str] = {}
        for position, part in enumerate(self.parts):
            if part.startswith("*"):
                found[part[1:]] = "/".join(segments[position:])
                return found if segments[position:] else None
            if position >= len(segments):
                return None
            if part.startswith("{"):
                found[part[1:-1]] = segments[position]
            elif part != segments[position]:
                return None
        return found if len(segments) == len(self.parts) else None


ROUTES: list[Route] = []
NO_ORG: Json = {"id": 0, "forge_id": 0, "name": "", "is_user": False}


def route(method: str, path: str, right: Right) -> Callable[[Handle], Handle]:
    """Register a handler of a path below `/api`."""

    def register(handle: Handle) -> Handle:
        ROUTES.append(Route(method, tuple(path.strip("/").split("/")), right, handle))
        return handle

    return register


def admit(exchange: Exchange, right: Right) -> None:
    """Load what the path names and check the right; ends the request where it is missing."""
    if right in {"pull", "push", "repo_admin", "repo"}:
        _load_repo(exchange)
        _admit_to_repo(exchange, right)
    elif right in {"member", "org_admin", "org"}:
        _load_org(exchange)
        _admit_to_org(exchange, right)
    elif right in {"user", "admin"}:
        if exchange.user is None:
            raise Stop(text(401, "User not authorized"))
        if right == "admin" and not exchange.user.get("admin"):
            raise Stop(text(403, "User not authorized"))
    if "number" in exchange.parts and exchange.parts["number"] != "latest":
        _load_pipeline(exchange)


def find(values: list[Json], **wanted: object) -> Json | None:
    """The first object with these fields."""
    return next(
        (value for value in values if all(value.get(k) == v for k, v in wanted.items())), None
    )


def _load_repo(exchange: Exchange) -> None:
    if "full_name" in exchange.parts:
        name = exchange.name("full_name").lower()
        repos = exchange.state.repos
        repo = next((repo for repo in repos if str(repo["full_name"]).lower() == name), None)
    else:
        repo = find(exchange.state.repos, id=exchange.number("repo_id"))
    if repo is None:
        raise Stop(bare(401 if exchange.user is None else 404))
    exchange.repo = repo


def _admit_to_repo(exchange: Exchange, right: Right) -> None:
    if right == "repo":
        return
    held = _LEVELS.index(exchange.state.right(exchange.user, exchange.repo))
    if right == "repo_admin":
        if held < 1:
            raise Stop(bare(401 if exchange.user is None else 404))
        if held < 3:
            raise Stop(text(401 if exchange.user is None else 403, "User not authorized"))
    elif held < _LEVELS.index(right):
        raise Stop(bare(401 if exchange.user is None else 404))


def _load_org(exchange: Exchange) -> None:
    # An unknown organisation is an empty record, whose number is 0.
    exchange.org = find(exchange.state.orgs, id=exchange.number("org_id")) or dict(NO_ORG)


def _admit_to_org(exchange: Exchange, right: Right) -> None:
    if right == "org":
        return
    user = exchange.user
    if user is None:
        raise Stop(text(401, "User not authorized"))
    if user.get("admin") or exchange.org["name"] == user["login"]:
        return
    held = exchange.state.members.get((int(str(exchange.org["id"])), str(user["login"])), "")
    if held != "admin" and (right == "org_admin" or held != "member"):
        raise Stop(text(403, "user not authorized"))


def _load_pipeline(exchange: Exchange) -> None:
    pipelines = exchange.state.pipelines.get(int(str(exchange.repo["id"])), [])
    pipeline = find(pipelines, number=exchange.number("number"))
    if pipeline is None:
        raise Stop(bare(404))
    exchange.pipeline = pipeline
