"""The stand-in as tests use it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Self

from . import administration, credentials, instance, pipelines, repositories
from .exchange import Answer, Exchange, Json, RecordedRequest, Stop, as_json, bare
from .routing import ROUTES, admit
from .state import State
from .wire import WireServer

__all__ = ["WoodpeckerBackend", "administration", "credentials", "instance", "pipelines"]

PAGE = b"<!DOCTYPE html><html><title>Woodpecker</title></html>"

_ = repositories

Script = Callable[[RecordedRequest], Answer | None]


class WoodpeckerBackend:
    """A Woodpecker server on the loopback address.

    Args:
        version: What it claims to be and behaves like.
        root: Path below which it lives.
    """

    def __init__(self, version: str = "3.18.0", root: str = "") -> None:
        self.state = State(version=version)
        self.requests: list[RecordedRequest] = []
        self.healthy = True
        self._root = root
        self._down = False
        self.cut = 0
        """Connections that were cut while it was down."""
        self._scripts: list[tuple[str, re.Pattern[str], Script]] = []
        self._wire = WireServer(self._answer)

    def __enter__(self) -> Self:
        self._wire.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._wire.stop()

    def go_down(self) -> None:
        """Stop answering, as while the server is started anew."""
        self._down = True

    def come_up(self) -> None:
        """Answer again; what only lived in memory is forgotten."""
        self.state.paused = False
        self.state.log_level = "info"
        self._down = False

    @property
    def url(self) -> str:
        """Its address, with the root path."""
        return f"http://127.0.0.1:{self._wire.port}{self._root}"

    @property
    def writes(self) -> list[RecordedRequest]:
        """The requests that are no reads."""
        return [request for request in self.requests if request.method != "GET"]

    def lines(self, method: str = "") -> list[str]:
        """Method and target of each request, in order."""
        return [
            f"{request.method} {request.target.removeprefix(self._root)}"
            for request in self.requests
            if method in {"", request.method}
        ]

    def script(self, method: str, path: str, answer: Answer | Script) -> None:
        """Answer some requests in another way.

        Args:
            method: Their method.
            path: Pattern that their raw path below the root must match as a whole.
            answer: The answer, or a function that may leave a request to the stand-in.
        """
        chosen = (lambda _: answer) if isinstance(answer, Answer) else answer
        self._scripts.append((method, re.compile(path), chosen))

    def _answer(self, request: RecordedRequest) -> Answer:
        if self._down:
            self.cut += 1
            raise ConnectionAbortedError
        self.requests.append(request)
        path = request.path.removeprefix(self._root)
        answer = self._scripted(request, path) or self._routed(request, path)
        headers = {"X-Woodpecker-Version": self.state.version, **answer.headers}
        return Answer(answer.status, answer.body, answer.content_type, headers, answer.chunked)

    def _scripted(self, request: RecordedRequest, path: str) -> Answer | None:
        for method, pattern, script in self._scripts:
            if method == request.method and pattern.fullmatch(path):
                answer = script(request)
                if answer is not None:
                    return answer
        return None

    def _routed(self, request: RecordedRequest, path: str) -> Answer:
        if path == "/version":
            return as_json({"source": "https://example.org", "version": self.state.version})
        if path == "/healthz":
            return bare(204) if self.healthy else Answer(500, b"database is locked", "text/plain")
        segments = path.strip("/").split("/")
        if segments[0] != "api":
            return Answer(200, PAGE, "text/html; charset=utf-8")
        for route in ROUTES:
            parts = route.match(request.method, segments[1:])
            if parts is not None:
                exchange = Exchange(request, self.state, self._user(request), parts)
                try:
                    admit(exchange, route.right)
                    return route.handle(exchange)
                except Stop as stop:
                    return stop.answer
        return Answer(200, PAGE, "text/html; charset=utf-8")

    def _user(self, request: RecordedRequest) -> Json | None:
        """An unknown token counts as none."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        return self.state.user(self.state.tokens.get(token, ""))
