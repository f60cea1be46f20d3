"""How far a request came: the facts that decide on its outcome."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from mcp_serverkit.errors import DoneUnreadable, UpstreamFailure
from mcp_serverkit.outcome import Outcome, outcome_of


class Progress:
    """Learns how far one request came.

    Attributes:
        sent: Whether it began to leave; httpcore tells.
        status: Status of the answer, once its line came.
        content_type: Media type of the answer; `None` once its body is known to be empty.
    """

    def __init__(self, method: str, announced: Collection[str]) -> None:
        self._method = method
        self._announced = announced
        self.sent = False
        self.status: int | None = None
        self.content_type: str | None = ""

    @property
    def outcome(self) -> Outcome | None:
        """What became of the request, as far as it is known."""
        return outcome_of(self._method, self.sent, self.status, self.content_type, self._announced)

    @property
    def foreign(self) -> bool:
        """Whether a write was answered by a success of a type that the service never sends."""
        named = self.content_type not in {None, "", *self._announced}
        return named and self.outcome is not None and (self.status or 0) < 300

    def failure(self, kind: type[UpstreamFailure], text: str, hint: str = "") -> UpstreamFailure:
        """Make the failure that is true of an answer which cannot be used."""
        if self.outcome == "done":
            return DoneUnreadable(text)
        return kind(text, hint=hint, outcome=self.outcome)

    async def trace(self, event: str, info: Mapping[str, object]) -> None:
        """Note what httpcore does."""
        # A proxy is asked for a tunnel first; that request is not ours.
        tunnel = getattr(info.get("request"), "method", b"") == b"CONNECT"
        if event.endswith("send_request_headers.started") and not tunnel:
            self.sent = True
