"""A small HTTP/1.1 server on the loopback address, in threads of its own."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it arrived; header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The raw path below the base URL."""
        return self.target.partition("?")[0].removeprefix("/v1")

    @property
    def query(self) -> dict[str, list[str]]:
        """The decoded query."""
        return parse_qs(self.target.partition("?")[2], keep_blank_values=True)

    def json(self) -> object:
        """The body read as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer; a status of 0 hangs up instead."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


class WireServer:
    """Runs a request handler behind a real socket."""

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        class Handler(BaseHTTPRequestHandler):
            # Headers and body leave at once; kept apart they meet a delayed acknowledgement.
            disable_nagle_algorithm = True
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                connections.add(self.connection)

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True

            def respond(self) -> None:
                length = int(self.headers.get("content-length", "0"))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.command, self.path, headers, self.rfile.read(length))
                reply = answer(request)
                if not reply.status:
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if reply.status != 204:
                    self.send_header("Content-Type", reply.content_type)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        for method in ("GET", "POST", "PUT", "DELETE", "PATCH"):
            setattr(Handler, f"do_{method}", Handler.respond)
        connections: set[object] = set()
        self._connections = connections
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._server.server_address[1])

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Close the port and every connection."""
        self._server.shutdown()
        for connection in self._connections:
            connection.close()  # type: ignore[attr-defined]  # a socket
        self._server.server_close()
        self._thread.join(10)
