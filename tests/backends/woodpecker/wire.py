"""An HTTP/1.1 server on the loopback address, in threads of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .exchange import Answer, RecordedRequest

CHUNK = 64 * 1024

Handler = Callable[[RecordedRequest], Answer]


class WireServer:
    """Runs a request handler behind a real socket; one request at a time reaches it."""

    def __init__(self, handler: Handler) -> None:
        lock = threading.Lock()

        class Connection(BaseHTTPRequestHandler):
            # Headers and body leave at once; kept apart they meet a delayed acknowledgement.
            disable_nagle_algorithm = True
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                length = int(self.headers.get("content-length", "0"))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = RecordedRequest(self.command, self.path, headers, self.rfile.read(length))
                try:
                    with lock:
                        answer = handler(request)
                    self._send(answer)
                except ConnectionError:
                    self.close_connection = True

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer  # noqa: N815 (its names)

            def _send(self, answer: Answer) -> None:
                self.send_response(answer.status)
                if answer.content_type:
                    self.send_header("Content-Type", answer.content_type)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if answer.chunked:
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    for start in range(0, len(answer.body), CHUNK):
                        piece = answer.body[start : start + CHUNK]
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.write(b"0\r\n\r\n")
                    return
                if answer.status != 204:
                    self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_: object) -> None:
                """Stay silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Connection)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    def start(self) -> None:
        """Listen."""
        self._thread.start()

    def stop(self) -> None:
        """Close the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
