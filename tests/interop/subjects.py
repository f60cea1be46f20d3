"""The four servers, each in front of its stand-in, with calls that any client can make."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from tests.backends.hetzner import HetznerBackend
from tests.backends.ntfy import NtfyBackend
from tests.backends.smtp import SmtpBackend
from tests.backends.woodpecker import WoodpeckerBackend

Call = tuple[str, Mapping[str, object]]


@dataclass(frozen=True)
class Subject:
    """A server that can be started, and what happened behind it.

    Attributes:
        name: Name that it gives itself.
        module: Module to run.
        environ: Its settings.
        tools: How many tools it offers.
        reads: Calls that ask nobody and change nothing.
        guarded: A call that asks, and makes one write when approved.
        asks: Words that its question contains.
        writes: Returns what the stand-in was told to change, so far.
    """

    name: str
    module: str
    environ: Mapping[str, str]
    tools: int
    reads: tuple[Call, ...]
    guarded: Call
    asks: str
    writes: Callable[[], list[str]]


@asynccontextmanager
async def ntfy() -> AsyncIterator[Subject]:
    with NtfyBackend() as backend:
        backend.add_user("ops", "ops-password")
        environ = {
            "NTFY_URL": backend.url,
            "NTFY_TOKEN": backend.add_token("ops"),
            "NTFY_TOPICS": "alerts",
        }
        reads: tuple[Call, ...] = (
            ("list_messages", {"topics": ["alerts"]}),
            ("check_topic_access", {"topics": ["alerts"]}),
            ("get_server_info", {}),
            ("get_account", {}),
        )
        guarded: Call = ("delete_messages", {"topic": "alerts", "sequence_ids": ["nightly"]})

        def writes() -> list[str]:
            changing = [request for request in backend.requests if request.method != "GET"]
            return [f"{request.method} {request.path}" for request in changing]

        yield Subject(
            "ntfy-mcp", "ntfy_mcp", environ, 13, reads, guarded, "delete 1 notification", writes
        )


@asynccontextmanager
async def smtp() -> AsyncIterator[Subject]:
    async with SmtpBackend() as backend:
        environ = {
            "SMTP_HOST": "127.0.0.1",
            "SMTP_PORT": str(backend.port),
            "SMTP_TLS": "none",
            "SMTP_USER": "tester",
            "SMTP_PASSWORD": "pass word ü",
            "SMTP_FROM": "Ada Ember <ada@sender.test>",
            "SMTP_ALLOW_SEND": "true",
            "SMTP_ALLOWED_RECIPIENTS": "@example.test",
        }
        mail = {"to": ["anna@example.test"], "subject": "Figures", "body": "Hello"}
        reads: tuple[Call, ...] = (
            ("get_server_info", {}),
            ("validate_recipients", {"addresses": ["anna@example.test", "eve@other.test"]}),
            ("preview_mail", mail),
            ("test_connection", {}),
        )

        def writes() -> list[str]:
            return [", ".join(message.recipients) for message in backend.messages]

        yield Subject(
            "smtp-mcp", "smtp_mcp", environ, 7, reads, ("send_mail", mail), "recipient", writes
        )


@asynccontextmanager
async def hetzner() -> AsyncIterator[Subject]:
    with HetznerBackend() as backend:
        backend.add_zone("example.com")
        backend.add_rrset("example.com", "www", "A", ["198.51.100.1", "198.51.100.2"], ttl=300)
        environ = {"HETZNER_API_TOKEN": backend.token, "HETZNER_API_BASE_URL": backend.url}
        www = {"zone": "example.com", "name": "www", "type": "A"}
        reads: tuple[Call, ...] = (
            ("list_zones", {}),
            ("get_zone", {"zone": "example.com"}),
            ("list_rrsets", {"zone": "example.com"}),
            ("get_rrset", www),
            ("export_zonefile", {"zone": "example.com"}),
            ("list_zone_actions", {"zone": "example.com"}),
        )

        def writes() -> list[str]:
            return [f"{request.method} {request.path}" for request in backend.writes]

        yield Subject(
            "hetzner-dns-mcp",
            "hetzner_dns_mcp",
            environ,
            22,
            reads,
            ("delete_rrset", www),
            "www",
            writes,
        )


@asynccontextmanager
async def woodpecker() -> AsyncIterator[Subject]:
    with WoodpeckerBackend() as backend:
        state = backend.state
        state.add_user("alice", admin=True, token="token-of-alice")
        state.add_repo(21, "acme/web")
        state.add_pipeline(21, status="failure")
        state.secrets.append(
            {
                "id": 1,
                "org_id": 0,
                "repo_id": 21,
                "name": "deploy_key",
                "value": "stored",
                "events": ["push"],
                "images": [],
                "note": "",
            }
        )
        environ = {"WOODPECKER_URL": backend.url, "WOODPECKER_TOKEN": "token-of-alice"}
        repo = {"repo": "acme/web"}
        reads: tuple[Call, ...] = (
            ("list_repositories", {}),
            ("get_repository", repo),
            ("list_pipelines", repo),
            ("get_pipeline", {**repo, "number": 1}),
            ("list_secrets", repo),
            ("get_server_info", {}),
            ("get_queue_info", {}),
            ("get_current_user", {}),
        )
        guarded: Call = ("delete_secret", {**repo, "name": "deploy_key"})

        def writes() -> list[str]:
            return [f"{request.method} {request.target}" for request in backend.writes]

        yield Subject(
            "woodpecker-ci-mcp",
            "woodpecker_ci_mcp",
            environ,
            71,
            reads,
            guarded,
            "deploy_key",
            writes,
        )


SUBJECTS: Mapping[str, Callable[[], AbstractAsyncContextManager[Subject]]] = {
    "ntfy": ntfy,
    "smtp": smtp,
    "hetzner": hetzner,
    "woodpecker": woodpecker,
}
