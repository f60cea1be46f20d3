"""Reading an answer up to its bound, and refusing what is not the service's."""

from __future__ import annotations

import httpx

from mcp_serverkit.errors import Unexpected
from mcp_serverkit.http.connection import Connection
from mcp_serverkit.http.progress import Progress
from mcp_serverkit.http.response import Response, media_type

ERROR_BODY_BYTES = 16_384
"""How much of an error answer is read."""


async def read_answer(
    connection: Connection, response: httpx.Response, progress: Progress, max_bytes: int
) -> Response:
    """Read an answer whose head has come.

    Args:
        connection: Where it comes from.
        response: Its head, and its body as a stream.
        progress: Learns status and type.
        max_bytes: Bound of a success body.

    Raises:
        Unexpected: A redirect, compressed, over the bound, or somebody else's page.
        DoneUnreadable: The same, after a write that was done.
    """
    status, service = response.status_code, connection.service
    fields = {name.lower(): value for name, value in response.headers.items()}
    progress.sent, progress.status = True, status
    progress.content_type = media_type(fields)
    if fields.get("content-length") == "0":
        progress.content_type = None
    if 300 <= status < 400:
        raise progress.failure(
            Unexpected,
            f"{service} answered {response.request.method} with a redirect (HTTP {status}).",
            f"Set {connection.variable} to the final address.",
        )
    # Identity was asked for. Decoding would let a small chunk grow past every bound.
    if fields.get("content-encoding", "").strip().lower() not in {"", "identity"}:
        raise progress.failure(Unexpected, f"{service} compressed its answer (HTTP {status}).")
    body = await _body(response, progress, service, max_bytes)
    reply = Response(status, fields, body)
    if reply.is_blank:
        progress.content_type = None
    if progress.foreign:
        raise progress.failure(
            Unexpected,
            f"{service} did not answer {response.request.method} itself: a success of the type "
            f"{progress.content_type} is none of its answers.",
            f"Check {connection.variable}, and whether a proxy or login page stands in between.",
        )
    return reply.with_outcome(progress.outcome)


async def _body(
    response: httpx.Response, progress: Progress, service: str, max_bytes: int
) -> bytes:
    bound = max_bytes if response.is_success else ERROR_BODY_BYTES
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > bound:
            break
    if response.is_success and len(body) > bound:
        raise progress.failure(
            Unexpected,
            f"The answer of {service} is larger than {bound} bytes.",
            "" if progress.outcome else "Narrow the request.",
        )
    return bytes(body[:bound])
