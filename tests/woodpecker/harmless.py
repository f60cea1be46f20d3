"""Calls of the guarded tools in the direction that asks nobody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import Arguments


@dataclass(frozen=True)
class Harmless:
    """A call of a guarded tool that asks nobody.

    Attributes:
        name: What it shows.
        tool: The tool.
        arguments: Its arguments.
        reads: Requests that it makes before the write.
        arrange: Changes the stand-in first.
    """

    name: str
    tool: str
    arguments: Arguments
    reads: int = 0
    arrange: Callable[[WoodpeckerBackend], None] = lambda _: None


def _repo(**fields: object) -> Callable[[WoodpeckerBackend], None]:
    def change(backend: WoodpeckerBackend) -> None:
        backend.state.repos[0].update(fields)

    return change


def _secret(**fields: object) -> Callable[[WoodpeckerBackend], None]:
    def change(backend: WoodpeckerBackend) -> None:
        backend.state.secrets[0].update(fields)

    return change


_SECRET = {"repo_id": 5, "name": "deploy_key"}
HARMLESS: tuple[Harmless, ...] = (
    Harmless("a timeout", "update_repository", {"repo_id": 5, "timeout": 30}),
    Harmless("withdrawing trust", "update_repository", {"repo_id": 5, "trusted_network": False}, 1),
    Harmless(
        "stricter approval",
        "update_repository",
        {"repo_id": 5, "require_approval": "all_events"},
        1,
    ),
    Harmless(
        "the same loose approval",
        "update_repository",
        {"repo_id": 5, "require_approval": "none"},
        1,
        _repo(require_approval="none"),
    ),
    Harmless("private again", "update_repository", {"repo_id": 5, "visibility": "internal"}, 1),
    Harmless(
        "public as before",
        "update_repository",
        {"repo_id": 5, "visibility": "public"},
        1,
        _repo(visibility="public"),
    ),
    Harmless("one repair", "repair_repository", {"repo_id": 5}),
    Harmless("a note", "update_secret", {**_SECRET, "note": "neu"}),
    Harmless("an empty note", "update_secret", {**_SECRET, "note": ""}),
    Harmless(
        "the same events",
        "update_secret",
        {**_SECRET, "events": ["push", "pull_request"]},
        1,
        _secret(events=["push", "pull_request"]),
    ),
    Harmless("fewer events", "update_secret", {**_SECRET, "events": ["tag"]}, 1),
    Harmless("other images", "update_secret", {**_SECRET, "images": ["alpine"]}, 1),
    Harmless(
        "no images as before", "update_secret", {**_SECRET, "images": []}, 1, _secret(images=None)
    ),
    Harmless(
        "a registry's login",
        "update_registry",
        {"repo_id": 5, "address": "reg.example.org", "username": "other"},
    ),
    Harmless("an ordinary account", "create_user", {"login": "newcomer", "email": "n@example.org"}),
    Harmless("not as an admin", "create_user", {"login": "newcomer", "admin": False}),
    Harmless("an e-mail", "update_user", {"login": "eve", "email": "new@example.org"}, 1),
    Harmless("no admin any more", "update_user", {"login": "eve", "admin": False}, 2),
    *(
        Harmless(f"log level {level}", "set_log_level", {"level": level})
        for level in ("trace", "debug", "info", "warn", "error")
    ),
)
