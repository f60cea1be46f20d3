"""What both stand-ins are: servers on loopback in the test's own event loop."""

from __future__ import annotations

import asyncio
import socket
import ssl
from abc import abstractmethod
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

_LINE_BYTES = 100_000


@dataclass(kw_only=True)
class Listener:
    """A server that holds one conversation for each connection.

    Attributes:
        connections: How many there were.
        port: Where it listens.
    """

    connections: int = field(default=0, init=False)
    port: int = 0
    _server: asyncio.Server | None = field(default=None, init=False)
    _sessions: set[asyncio.Task[None]] = field(default_factory=set, init=False)

    @property
    @abstractmethod
    def first_tls(self) -> ssl.SSLContext | None:
        """The certificate, where TLS begins with the first byte."""

    @abstractmethod
    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hold one conversation until it ends."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", 0, ssl=self.first_tls, limit=_LINE_BYTES
        )
        listening = self._server.sockets[0]
        # The system would take megabytes of a message that nobody reads, more of them the
        # slower the machine is.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        self.port = listening.getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._sessions):
            task.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._sessions.add(task)
        self.connections += 1
        try:
            await self.converse(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, asyncio.CancelledError):
            pass
        finally:
            self._sessions.discard(task)
            writer.transport.abort()
