"""The stand-in as tests and the demo use it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Self

from . import zonefiles
from .model import STATUSES, APIError, Json, RRSet, Zone
from .project import Project, links
from .routes import answer
from .wire import Reply, Request, WireServer

TOKEN = "T" * 60 + "test"
READ_ONLY_TOKEN = "R" * 60 + "read"


@dataclass
class _Scripted:
    reply: Reply
    method: str | None
    path: str | None
    times: int
    after_effect: bool = False

    def matches(self, request: Request) -> bool:
        return (self.method is None or request.method == self.method) and (
            self.path is None or fnmatchcase(request.path, self.path)
        )


class HetznerBackend:
    """A server that answers like the Hetzner Cloud API, on a free port of 127.0.0.1."""

    token = TOKEN
    read_only_token = READ_ONLY_TOKEN

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self.requests: list[Request] = []
        self.limit = 3600
        self.remaining = 3600
        self._now = now
        self._lock = threading.RLock()
        self._script: list[_Scripted] = []
        self.project = Project(lambda: self._now())
        self._server = WireServer(self._answer)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._server.port}/v1"

    @property
    def writes(self) -> list[Request]:
        """The requests that would change something."""
        return [request for request in self.requests if request.method != "GET"]

    # Content

    def add_zone(self, name: str, mode: str = "primary", zone_id: int | None = None) -> Zone:
        """Create a zone without a request."""
        with self._lock:
            zone = Zone(zone_id or self.project.next_id(), name, mode)
            zone.created = f"2026-06-01T12:00:{len(self.project.zones):02}Z"
            if mode == "primary":
                zone.start_content()
            else:
                zone.primaries = [{"address": "198.51.100.53"}]
            self.project.keep(zone)
            return zone

    def add_rrset(
        self,
        zone: str,
        name: str,
        record_type: str,
        values: Sequence[str],
        *,
        ttl: int | None = None,
        comment: str = "",
        labels: Mapping[str, str] | None = None,
        protected: bool = False,
    ) -> None:
        """Put a record set into a zone without a request and without a check."""
        with self._lock:
            records = dict.fromkeys(values, comment)
            rrset = RRSet(name, record_type, records, ttl, dict(labels or {}), protected)
            self.project.zone(zone).sets[name, record_type] = rrset

    def values(self, zone: str, name: str, record_type: str) -> list[str]:
        """The values of a record set, sorted; none when it is missing."""
        with self._lock:
            rrset = self.project.zone(zone).sets.get((name, record_type))
            return sorted(rrset.records) if rrset is not None else []

    def zonefile(self, zone: str) -> str:
        """A zone as its export shows it."""
        with self._lock:
            return zonefiles.export(self.project.zone(zone))

    # Time and faults

    def slow_actions(self, seconds: float, error: Json | None = None) -> None:
        """Let actions take this long, and end in an error if one is given."""
        self.project.action_seconds = seconds
        self.project.action_error = error

    def respond_next(
        self,
        status: int,
        body: bytes | str | Json | list[object] | None = b"",
        *,
        headers: Mapping[str, str] | None = None,
        content_type: str = "application/json",
        method: str | None = None,
        path: str | None = None,
        times: int = 1,
    ) -> None:
        """Give this answer to the next matching requests."""
        data = body if isinstance(body, bytes) else _encoded(body)
        reply = Reply(status, data, headers or {}, content_type)
        self._script.append(_Scripted(reply, method, path, times))

    def fail_next(
        self,
        code: str,
        message: str = "as the test wants it",
        *,
        headers: Mapping[str, str] | None = None,
        method: str | None = None,
        path: str | None = None,
        times: int = 1,
    ) -> None:
        """Answer the next matching requests with one of the API's error codes."""
        body = APIError(code, message).body()
        self.respond_next(
            STATUSES[code], body, headers=headers, method=method, path=path, times=times
        )

    def drop_next(
        self, *, method: str | None = None, path: str | None = None, after_effect: bool = False
    ) -> None:
        """Hang up on the next matching request, before or after it was carried out."""
        self._script.append(_Scripted(Reply(0), method, path, 1, after_effect))

    def _answer(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            scripted = self._scripted(request)
            if scripted is not None and not scripted.after_effect:
                return scripted.reply
            reply = self._honest(request)
            return reply if scripted is None else scripted.reply

    def _scripted(self, request: Request) -> _Scripted | None:
        for scripted in self._script:
            if scripted.matches(request):
                scripted.times -= 1
                if scripted.times < 1:
                    self._script.remove(scripted)
                return scripted
        return None

    def _honest(self, request: Request) -> Reply:
        self.remaining -= 1
        headers = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(max(0, self.remaining)),
            "RateLimit-Reset": str(int(self._now()) + max(1, self.limit - self.remaining)),
            "X-Correlation-Id": f"c{len(self.requests):015x}",
        }
        try:
            self._admit(request)
            status, body = answer(self.project, request)
            if "meta" in body:
                headers["Link"] = links(request, body)
        except APIError as error:
            return Reply(error.status, _encoded(error.body()), headers)
        return Reply(status, _encoded(body), headers)

    def _admit(self, request: Request) -> None:
        if not request.target.startswith("/v1/"):
            raise APIError("not_found", "no such path")
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if given not in {TOKEN, READ_ONLY_TOKEN}:
            raise APIError("unauthorized", "unable to authenticate")
        if self.remaining < 0:
            raise APIError("rate_limit_exceeded", "limit of 3600 requests per hour reached")
        if given == READ_ONLY_TOKEN and request.method != "GET":
            raise APIError("token_readonly", "the token is read-only")


def _encoded(body: object) -> bytes:
    if body is None:
        return b""
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()
