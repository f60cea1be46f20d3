"""A name server on the loopback address that answers from the zones of the stand-in."""

from __future__ import annotations

import socketserver
import struct
import threading
from collections.abc import Callable
from typing import Self

import dns.flags
import dns.message
import dns.rcode
import dns.zone

Fault = Callable[[dns.message.Message], bytes | None]
"""Makes another answer of a good one; None says nothing."""

LARGEST = 1_232


class NameServer:
    """Answers for one zone, by UDP and TCP on one port, as long as it runs.

    Attributes:
        asked: Name, type and way of each query, and whether it wanted recursion.
        fault: What is done to each answer.
        recursive: Whether it is a resolver: it answers without authority.
    """

    def __init__(self, zonefile: str, zone: str) -> None:
        self.load(zonefile, zone)
        self.asked: list[tuple[str, str, str, bool]] = []
        self.fault: Fault | None = None
        self.recursive = False
        server = self

        class Datagram(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                data, socket = self.request
                if (reply := server._reply(data, "udp")) is not None:
                    socket.sendto(reply, self.client_address)

        class Stream(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                head = self.rfile.read(2)
                if len(head) == 2:
                    data = self.rfile.read(struct.unpack("!H", head)[0])
                    if (reply := server._reply(data, "tcp")) is not None:
                        self.wfile.write(struct.pack("!H", len(reply)) + reply)

        self._stream = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Stream)
        self.port = int(self._stream.server_address[1])
        self._datagram = socketserver.ThreadingUDPServer(("127.0.0.1", self.port), Datagram)
        self._servers = (self._stream, self._datagram)

    def load(self, zonefile: str, zone: str) -> None:
        """Take other content."""
        self._zone = dns.zone.from_text(zonefile, origin=f"{zone}.", relativize=False)

    def __enter__(self) -> Self:
        for server in self._servers:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def _reply(self, data: bytes, way: str) -> bytes | None:
        query = dns.message.from_wire(data)
        question = query.question[0]
        kind = dns.rdatatype.to_text(question.rdtype)
        recursion = bool(query.flags & dns.flags.RD)
        self.asked.append((question.name.to_text(), kind, way, recursion))
        reply = dns.message.make_response(query)
        self._answer(reply)
        if self.fault is not None:
            return self.fault(reply)
        wire = reply.to_wire(max_size=65_535)
        if way == "udp" and len(wire) > min(query.payload, LARGEST):
            reply.answer.clear()
            reply.flags |= dns.flags.TC
            wire = reply.to_wire()
        return wire

    def _answer(self, reply: dns.message.Message) -> None:
        question = reply.question[0]
        apex = self._zone.origin
        assert apex is not None
        if not question.name.is_subdomain(apex):
            reply.set_rcode(dns.rcode.REFUSED)
            return
        if not self.recursive:
            reply.flags |= dns.flags.AA
        node = self._zone.get_node(question.name)
        if node is None:
            reply.set_rcode(dns.rcode.NXDOMAIN)
            return
        found = self._zone.get_rdataset(question.name, question.rdtype)
        if found is not None:
            rrset = reply.find_rrset(
                reply.answer, question.name, question.rdclass, question.rdtype, create=True
            )
            rrset.update(found)  # type: ignore[no-untyped-call]
