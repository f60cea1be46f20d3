"""The stand-in and a real server behind the same few calls, for scenarios that compare them."""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.backends.ntfy import JsonObject, Limits, NtfyBackend
from tests.live.ntfy_server import RealServer, binary, running, started_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STAND_INS = ("2.13.0", "2.16.0", "2.19.1", "2.28.0")
KINDS = [
    *(f"stand-in {version}" for version in STAND_INS),
    pytest.param("real", marks=pytest.mark.live("ntfy")),
]

_SEQUENCES = (2, 16)
has_sequences = pytest.mark.releases(since=_SEQUENCES)
lacks_sequences = pytest.mark.releases(before=_SEQUENCES)
TIER = "pro"
GENEROUS = Limits(exempt=True, new_topics=100_000)

Auth = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Site:
    """One server under test."""

    client: httpx.Client
    now: Callable[[], float]
    pass_time: Callable[[float], None]
    admin: Auth | None = None
    admin_name: str = ""
    version: tuple[int, int] = (0, 0)

    def request(
        self, method: str, path: str, auth: Auth | None = None, body: object = None
    ) -> httpx.Response:
        """A request with a login and a JSON body."""
        login = httpx.BasicAuth(*auth) if auth else httpx.Auth()
        return self.client.request(method, path, json=body, auth=login)

    def publish(self, topic: str, **fields: object) -> httpx.Response:
        """Publish as JSON."""
        return self.client.post("/", json={"topic": topic, **fields})

    def sent(self, topic: str, **fields: object) -> JsonObject:
        """Publish as JSON and return the message."""
        return document(self.publish(topic, **fields))

    def poll(self, topics: str, auth: Auth | None = None, **params: str) -> list[JsonObject]:
        """The cached messages."""
        query = httpx.QueryParams({"poll": "1", **params})
        answer = self.request("GET", f"/{topics}/json?{query}", auth)
        assert answer.status_code == 200, answer.text
        return [as_object(httpx.Response(200, text=line)) for line in answer.text.splitlines()]

    def as_admin(self, method: str, path: str, body: object = None) -> httpx.Response:
        """A request of the admin."""
        return self.request(method, path, self.admin, body)

    def new_user(self, **fields: object) -> Auth:
        """Create an account and return its login."""
        login = ("u" + secrets.token_hex(6), secrets.token_hex(8))
        body = {"username": login[0], "password": login[1], **fields}
        assert self.as_admin("POST", "/v1/users", body).json() == {"success": True}
        return login

    def grant(self, username: str, pattern: str, permission: str) -> None:
        """Set a rule."""
        body = {"username": username, "topic": pattern, "permission": permission}
        assert self.as_admin("PUT", "/v1/users/access", body).json() == {"success": True}

    def may_read(self, topic: str, auth: Auth | None = None) -> bool:
        """Whether a login opens a topic for reading."""
        answer = self.request("GET", f"/{topic}/auth", auth)
        return answer.is_success or code(answer) != 40301

    def may_write(self, topic: str, auth: Auth | None = None) -> bool:
        """Whether a login may publish to a topic."""
        answer = self.request("POST", "/", auth, {"topic": topic, "cache": "no"})
        return answer.is_success or code(answer) != 40301


def new_topic() -> str:
    """A topic nobody used before."""
    return "t" + secrets.token_hex(8)


def as_object(answer: httpx.Response) -> JsonObject:
    """An answer that must be a JSON object."""
    value = answer.json()
    assert isinstance(value, dict), answer.text
    return value


def document(answer: httpx.Response) -> JsonObject:
    """An answer that must be a success."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["access-control-allow-origin"] == "*"
    return as_object(answer)


def code(answer: httpx.Response) -> int:
    """The error code of an answer that must be one of ntfy's errors."""
    body = as_object(answer)
    assert answer.headers["content-type"] == "application/json"
    assert set(body) <= {"code", "http", "error", "link"}, body
    assert body["http"] == answer.status_code
    assert isinstance(body["error"], str)
    found = body["code"]
    assert isinstance(found, int)
    return found


@contextlib.contextmanager
def stand_in(backend: NtfyBackend, *, users: bool = True) -> Iterator[Site]:
    """The stand-in, with an admin when it has accounts."""
    with backend, _client(backend.url) as client:
        admin = None
        if users:
            admin = ("root", "root-password")
            backend.add_user(*admin, "admin")
            backend.add_tier(TIER, TIER.title())
        yield _with_release(Site(client, lambda: backend.time, backend.advance, admin, "root"))


def release_of(kind: str) -> str:
    """The release a kind of stand-in imitates."""
    return kind.split()[1]


@contextlib.contextmanager
def real(
    *,
    users: bool = True,
    attachments: bool = True,
    options: dict[str, str] | None = None,
    time_zone: str = "",
) -> Iterator[Site]:
    """A real server; one that runs already serves only when nothing special is asked for.

    Such a server needs uploads, a tier named as below, and no request limits for this machine.
    """
    path, found = binary(), running()
    special = options is not None or time_zone or not (users and attachments)
    if path is not None:
        tiers = [TIER] if users else []
        with started_server(
            path,
            users=users,
            attachments=attachments,
            tiers=tiers,
            options=options,
            time_zone=time_zone,
        ) as server:
            yield from _real_site(server)
    elif found is not None and not special:
        yield from _real_site(found)
    else:
        pytest.skip("platform: that server runs with settings of its own")


@pytest.fixture(scope="module", params=KINDS)
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    """A server with accounts and attachments whose request limits do not bother."""
    if request.param == "real":
        with real() as found:
            yield found
    else:
        backend = NtfyBackend(release_of(request.param), attachments=True, limits=GENEROUS)
        with stand_in(backend) as found:
            yield found


@pytest.fixture(scope="module", params=KINDS)
def open_site(request: pytest.FixtureRequest) -> Iterator[Site]:
    """A server without user database and without attachments."""
    if request.param == "real":
        with real(users=False, attachments=False) as found:
            yield found
    else:
        backend = NtfyBackend(release_of(request.param), users=False, limits=GENEROUS)
        with stand_in(backend, users=False) as found:
            yield found


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=20, trust_env=False)


def _real_site(server: RealServer) -> Iterator[Site]:
    with _client(server.url) as client:
        admin = (server.admin_user, server.admin_password) if server.admin_user else None
        if admin is not None:
            # A token spares the server the slow check of a password.
            answer = client.post("/v1/account/token", json={"expires": 0}, auth=admin)
            admin = ("", str(answer.json()["token"]))
        yield _with_release(Site(client, time.time, time.sleep, admin, server.admin_user))


def _with_release(site: Site) -> Site:
    """The site with what its server says about its release, or else what it can do."""
    answer = site.as_admin("GET", "/v1/version")
    if answer.is_success:
        major, minor = str(answer.json()["version"]).split(".")[:2]
        return dataclasses.replace(site, version=(int(major), int(minor)))
    for method, release in (("GET", (2, 25)), ("PUT", (2, 16))):
        if site.as_admin(method, "/probe/x/clear").is_success:
            return dataclasses.replace(site, version=release)
    return dataclasses.replace(site, version=(2, 13))
