"""The stand-in and a real Woodpecker server answer the same requests in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

import httpx
import pytest

from tests.backends.woodpecker import Json, WoodpeckerBackend
from tests.live.woodpecker_server import ADMIN, USER, real_woodpecker
from tests.live.woodpecker_site import FILES

Send = Callable[..., httpx.Response]

pytestmark = pytest.mark.timeout(180)

KINDS = ["stand-in", pytest.param("real", marks=pytest.mark.live("woodpecker"))]


@dataclass
class Site:
    """A server under test, with one repository, one finished and one blocked pipeline.

    Attributes:
        send: Sends a request as somebody.
        repo: Id of the repository.
        done: Number of the finished pipeline.
        step: Id of its step.
    """

    send: Send
    repo: int
    done: int
    step: int


@pytest.fixture(scope="module", params=KINDS)
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    if request.param == "stand-in":
        yield from _stand_in()
    else:
        yield from _real()


def _stand_in() -> Iterator[Site]:
    with WoodpeckerBackend() as backend:
        state = backend.state
        for login in (ADMIN, USER):
            state.add_user(login, admin=login == ADMIN, token=f"token-of-{login}")
        state.forges.append({"id": 1, "type": "gitea", "url": "http://x", "client": "c"})
        repo = state.add_repo(1, f"{ADMIN}/site")
        state.rights[1, USER] = "pull"
        state.branches[1] = list(FILES)
        state.filtered_branches.add("filtered")
        done = state.add_pipeline(1, event="manual")
        step = cast("list[Json]", cast("list[Json]", done["workflows"])[0]["children"])[0]

        def send(method: str, path: str, login: str = ADMIN, **fields: object) -> httpx.Response:
            headers = {"authorization": f"Bearer token-of-{login}"} if login else {}
            url = f"{backend.url}{path}"
            return request_of(method, url, headers, fields.get("json"))

        yield Site(send, cast("int", repo["id"]), 1, cast("int", step["id"]))


def _real() -> Iterator[Site]:
    with real_woodpecker() as real:
        repo = real.forge.add_repo(ADMIN, "site")
        for branch, files in FILES.items():
            repo.push(branch, files)
        number = real.activate(repo)
        made = real.request("POST", f"/repos/{number}/pipelines", json={"branch": "main"}).json()
        done = real.wait(number, made["number"], "success")
        step = cast("list[Json]", cast("list[Json]", done["workflows"])[0]["children"])[0]

        def send(method: str, path: str, login: str = ADMIN, **fields: object) -> httpx.Response:
            headers = {"authorization": f"Bearer {real.tokens[login]}"} if login else {}
            url = f"{real.url}{path}"
            return request_of(method, url, headers, fields.get("json"))

        yield Site(send, number, cast("int", done["number"]), cast("int", step["id"]))


def request_of(method: str, url: str, headers: dict[str, str], body: object) -> httpx.Response:
    """Send one request; without a body there is no content type either."""
    if body is None:
        return httpx.request(method, url, headers=headers, trust_env=False, timeout=30)
    return httpx.request(method, url, headers=headers, json=body, trust_env=False, timeout=30)


def kind(answer: httpx.Response) -> str:
    """What an answer consists of."""
    if not answer.content.strip():
        return "empty"
    if "html" in answer.headers.get("content-type", ""):
        return "page"
    if "json" not in answer.headers.get("content-type", ""):
        return "text"
    parsed = answer.json()
    return "null" if parsed is None else "list" if isinstance(parsed, list) else "object"


SECRET = {"name": "one", "value": "v", "events": ["push"]}
CRON = {"name": "one", "schedule": "0 4 * * *"}

ANSWERS: tuple[tuple[str, str, str, object, int, str], ...] = (
    (ADMIN, "GET", "/version", None, 200, "object"),
    (ADMIN, "GET", "/healthz", None, 204, "empty"),
    (ADMIN, "GET", "/no/such/page", None, 200, "page"),
    (ADMIN, "GET", "/api/no/such/route", None, 200, "page"),
    ("", "GET", "/api/user", None, 401, "text"),
    (ADMIN, "GET", "/api/user", None, 200, "object"),
    ("", "GET", "/api/forges", None, 200, "list"),
    (USER, "GET", "/api/queue/info", None, 403, "text"),
    (ADMIN, "GET", "/api/queue/info", None, 200, "object"),
    (USER, "GET", "/api/repos/{repo}", None, 200, "object"),
    (USER, "GET", "/api/repos/{repo}/secrets", None, 404, "empty"),
    (USER, "PATCH", "/api/repos/{repo}", {"timeout": 5}, 403, "text"),
    ("", "GET", "/api/repos/{repo}", None, 401, "empty"),
    (ADMIN, "GET", "/api/repos/99999", None, 404, "empty"),
    (ADMIN, "GET", "/api/repos/x", None, 400, "empty"),
    (ADMIN, "GET", "/api/repos/lookup/alice/SITE", None, 200, "object"),
    (ADMIN, "GET", "/api/repos/lookup/alice/none", None, 404, "empty"),
    (ADMIN, "GET", "/api/repos/{repo}/permissions", None, 200, "object"),
    (ADMIN, "GET", "/api/repos/{repo}/branches", None, 200, "list"),
    (ADMIN, "GET", "/api/repos/{repo}/pipelines/9999", None, 404, "empty"),
    (ADMIN, "GET", "/api/repos/{repo}/pipelines/latest", None, 404, "empty"),
    (ADMIN, "GET", "/api/repos/{repo}/pipelines?event=nonsense", None, 400, "empty"),
    (ADMIN, "POST", "/api/repos/{repo}/pipelines", {"branch": "none"}, 500, "empty"),
    (
        ADMIN,
        "POST",
        "/api/repos/{repo}/pipelines",
        {"branch": "main", "variables": {"A": 1}},
        400,
        "empty",
    ),
    (ADMIN, "POST", "/api/repos/{repo}/pipelines", {"branch": "filtered"}, 204, "empty"),
    (ADMIN, "POST", "/api/repos/{repo}/pipelines/{done}?event=push", None, 400, "empty"),
    (ADMIN, "POST", "/api/repos/{repo}/pipelines/{done}?event=deployment", None, 403, "empty"),
    (ADMIN, "POST", "/api/repos/{repo}/pipelines/{done}/approve", None, 400, "text"),
    (ADMIN, "POST", "/api/repos/{repo}/pipelines/{done}/decline", None, 500, "empty"),
    (ADMIN, "POST", "/api/repos/{repo}/pipelines/{done}/cancel", None, 400, "text"),
    (ADMIN, "GET", "/api/repos/{repo}/logs/{done}/99999", None, 404, "empty"),
    (ADMIN, "GET", "/api/repos/{repo}/secrets", None, 200, "null"),
    (ADMIN, "POST", "/api/repos/{repo}/secrets", {**SECRET, "events": []}, 422, "text"),
    (ADMIN, "POST", "/api/repos/{repo}/secrets", {**SECRET, "value": ""}, 422, "text"),
    (ADMIN, "POST", "/api/repos/{repo}/secrets", SECRET, 200, "object"),
    (ADMIN, "POST", "/api/repos/{repo}/secrets", SECRET, 500, "text"),
    (ADMIN, "PATCH", "/api/repos/{repo}/secrets/one", {"events": []}, 422, "text"),
    (ADMIN, "PATCH", "/api/repos/{repo}/secrets/none", {"note": "x"}, 404, "empty"),
    (ADMIN, "DELETE", "/api/repos/{repo}/secrets/one", None, 204, "empty"),
    (ADMIN, "DELETE", "/api/repos/{repo}/secrets/one", None, 404, "empty"),
    (USER, "POST", "/api/secrets", SECRET, 403, "text"),
    (USER, "GET", "/api/secrets", None, 200, "list"),
    (
        ADMIN,
        "POST",
        "/api/repos/{repo}/registries",
        {"address": "10.0.0.8:5000", "username": "u", "password": "p"},
        400,
        "text",
    ),
    (
        ADMIN,
        "POST",
        "/api/repos/{repo}/registries",
        {"address": "reg.example.org", "username": "u", "password": "p"},
        200,
        "object",
    ),
    (ADMIN, "DELETE", "/api/repos/{repo}/registries/reg.example.org", None, 204, "empty"),
    (ADMIN, "DELETE", "/api/repos/{repo}/registries/reg.example.org", None, 404, "empty"),
    (ADMIN, "POST", "/api/repos/{repo}/cron", {**CRON, "schedule": "0 0 4 * * *"}, 422, "text"),
    (ADMIN, "POST", "/api/repos/{repo}/cron", {**CRON, "timezone": "No/Where"}, 422, "text"),
    (ADMIN, "POST", "/api/repos/{repo}/cron", {**CRON, "branch": "none"}, 400, "text"),
    (ADMIN, "POST", "/api/repos/{repo}/cron", CRON, 200, "object"),
    (ADMIN, "POST", "/api/repos/{repo}/cron", CRON, 409, "text"),
    (ADMIN, "DELETE", "/api/repos/{repo}/cron/99999", None, 404, "empty"),
    (ADMIN, "GET", "/api/orgs/99999", None, 200, "object"),
    (USER, "GET", "/api/orgs/99999", None, 403, "text"),
    (ADMIN, "DELETE", "/api/orgs/99999", None, 404, "empty"),
    (ADMIN, "GET", "/api/orgs/lookup/nobody", None, 404, "empty"),
    (ADMIN, "GET", "/api/users/nobody", None, 404, "empty"),
    (ADMIN, "POST", "/api/users", {"login": "first"}, 200, "object"),
    (ADMIN, "POST", "/api/users", {"login": "second"}, 500, "text"),
    (ADMIN, "GET", "/api/agents/99999", None, 404, "empty"),
    (ADMIN, "POST", "/api/log-level", {"log-level": "nonsense"}, 400, "empty"),
    (ADMIN, "GET", "/api/forges/99999", None, 404, "empty"),
    (ADMIN, "POST", "/api/repos?forge_remote_id=99999", None, 500, "text"),
    (ADMIN, "POST", "/api/repos/{repo}/move?to=alice/none", None, 500, "empty"),
)


@pytest.mark.parametrize(
    ("login", "method", "path", "body", "status", "shape"),
    ANSWERS,
    ids=[f"{method} {path} {status}" for _, method, path, _, status, _ in ANSWERS],
)
def test_an_answer_has_this_status_and_shape(
    login: str,
    method: str,
    path: str,
    body: object,
    status: int,
    shape: str,
    site: Site,
) -> None:
    target = path.format(repo=site.repo, done=site.done)
    answer = site.send(method, target, login, **({} if body is None else {"json": body}))
    assert (answer.status_code, kind(answer)) == (status, shape), answer.text
    if path.startswith("/api") and shape != "page":
        assert answer.headers["x-woodpecker-version"]


def test_a_job_without_the_switch_is_stored_switched_off(site: Site) -> None:
    job = {**CRON, "name": "two"}
    made = site.send("POST", f"/api/repos/{site.repo}/cron", json=job).json()
    assert made["enabled"] is False
    shown = site.send("GET", f"/api/repos/{site.repo}/cron/{made['id']}").json()
    assert shown["timezone"] == "UTC"


def test_a_change_of_an_unknown_remote_id_changes_nobody(site: Site) -> None:
    body = {"login": USER, "email": "x@example.org", "forge_id": 1, "forge_remote_id": "none"}
    answer = site.send("PATCH", f"/api/users/{USER}", json=body)
    assert (answer.status_code, answer.json()["id"]) == (200, 0)
    kept = site.send("GET", f"/api/users/{USER}?forge_id=1").json()
    assert kept["email"] != "x@example.org"


def test_an_admin_flag_is_ignored_at_creation(site: Site) -> None:
    made = site.send("GET", "/api/users/first?forge_id=1").json()
    assert made["forge_remote_id"] == "0"
    site.send("DELETE", "/api/users/first?forge_id=1")
    answer = site.send("POST", "/api/users", json={"login": "third", "admin": True}).json()
    assert answer.get("admin", False) is False


def test_agents_and_forges_are_replaced_field_by_field(site: Site) -> None:
    agent = site.send("POST", "/api/agents", json={"name": "spare"}).json()
    assert agent["token"]
    blanked = site.send("PATCH", f"/api/agents/{agent['id']}", json={"no_schedule": True}).json()
    assert (blanked["name"], blanked["no_schedule"]) == ("", True)
    body = {"type": "gitea", "url": "http://127.0.0.1:9", "client": "c", "oauth_client_secret": "s"}
    forge = site.send("POST", "/api/forges", json=body).json()
    assert "oauth_client_secret" not in forge
    bare = site.send("PATCH", f"/api/forges/{forge['id']}", json={"skip_verify": True}).json()
    assert (bare["url"], bare.get("client", "")) == ("", "")


def test_an_unknown_organisation_owns_the_secrets_of_everybody(site: Site) -> None:
    base = f"/api/repos/{site.repo}/secrets"
    for name, path in (("mine", base), ("everybodys", "/api/secrets")):
        assert site.send("POST", path, json={**SECRET, "name": name}).status_code == 200
    shown = site.send("GET", "/api/orgs/99999/secrets").json()
    assert {secret["name"] for secret in shown} >= {"mine", "everybodys"}
    assert site.send("DELETE", "/api/orgs/99999").status_code == 404
    assert site.send("GET", base).json() in (None, [])
    assert site.send("GET", "/api/secrets").json() in (None, [])


def test_a_registry_is_answered_with_its_echo(site: Site) -> None:
    body = {"address": "echo.example.org", "username": "u", "password": "p"}
    base = f"/api/repos/{site.repo}/registries"
    made = site.send("POST", base, json=body).json()
    assert (made["id"], made["password"]) == (0, "")
    changed = site.send("PATCH", f"{base}/echo.example.org", json={"password": "q"}).json()
    assert (changed["id"], changed["username"]) == (0, "")
    assert site.send("GET", f"{base}/echo.example.org").json()["username"] == "u"


def test_a_page_has_at_most_fifty_entries(site: Site) -> None:
    for query in ("perPage=0", "perPage=51", "perPage=x", "page=0"):
        answer = site.send("GET", f"/api/users?{query}")
        assert len(answer.json()) >= 2
    assert len(site.send("GET", "/api/users?perPage=1").json()) == 1
    assert site.send("GET", "/api/users?page=9").json() in (None, [])
