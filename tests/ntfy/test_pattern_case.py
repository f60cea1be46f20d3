"""Whether the patterns of access rules regard case depends on the release."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.conftest import ADMIN
from tests.ntfy.support import listed, login, serve, use
from tests.support.clients import ERAS, Arguments, Era, structured

EVE = ("eve", "eve-password")
ASKED: Arguments = {"username": "eve", "topic": "bigtopic"}
NOTE = "the release of ntfy could not be read"


def instance(version: str) -> NtfyBackend:
    """A closed instance of a release, with one rule in mixed case."""
    backend = NtfyBackend(version, default_access="deny-all")
    backend.add_user(*ADMIN, role="admin")
    backend.add_user(*EVE)
    backend.grant(EVE[0], "BigTopic", "read-write")
    return backend


def version_requests(backend: NtfyBackend) -> int:
    """How often the release was read."""
    return sum(request.path == "/v1/version" for request in backend.requests)


@pytest.mark.requirement("N-19")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("version", "right"),
    [
        ("2.28.0", "server default"),
        ("2.24.0", "server default"),
        ("2.23.0", "read-write"),
        ("2.17.0", "read-write"),
    ],
)
async def test_what_is_told_is_what_the_instance_does(version: str, right: str, era: Era) -> None:
    with instance(version) as backend:
        result = structured(await use(serve(backend), "list_users", ASKED, era=era))
        (user,) = listed(result, "users")
        assert user["effective"] == right
        assert "note" not in result
        server = serve(backend, login(*EVE))
        given: Arguments = {"topics": ["bigtopic"]}
        (read,) = listed(structured(await use(server, "check_topic_access", given)), "results")
        assert read["read_access"] is (right == "read-write")


@pytest.mark.parametrize(("version", "count"), [("2.28.0", 0), ("2.23.0", 1)])
async def test_restated_grants_follow_the_release_too(version: str, count: int) -> None:
    with instance(version) as backend:
        server = serve(backend, {"NTFY_TOPICS": "bigtopic"})
        result = structured(await use(server, "list_users", {"username": "eve"}))
        assert len(listed(listed(result, "users")[0], "grants")) == count


@pytest.mark.requirement("N-19")
async def test_an_unknown_release_counts_as_new_and_is_told() -> None:
    with instance("2.16.0") as backend:
        result = structured(await use(serve(backend), "list_users", {**ASKED, "limit": 1}))
        assert listed(result, "users")[0]["effective"] == "server default"
        assert str(result["note"]).startswith(NOTE)
        both = structured(await use(serve(backend), "list_users", {"topic": "x", "limit": 1}))
        assert NOTE in str(both["note"])
        assert "2 more accounts" in str(both["note"])


async def test_the_release_is_read_once_and_only_for_a_comparison() -> None:
    with instance("2.28.0") as backend:
        server = serve(backend)
        await use(server, "list_users")
        assert version_requests(backend) == 0
        for _ in range(2):
            await use(server, "list_users", ASKED)
        assert version_requests(backend) == 1


async def test_a_reading_that_failed_is_made_again() -> None:
    with instance("2.23.0") as backend:
        backend.fail_next(50001, path="/v1/version")
        server = serve(backend)
        first = structured(await use(server, "list_users", ASKED))
        assert NOTE in str(first["note"])
        second = structured(await use(server, "list_users", ASKED))
        assert listed(second, "users")[0]["effective"] == "read-write"
        assert "note" not in second
