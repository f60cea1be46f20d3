"""Keeping account of decisions: a line for the operator, and the record where there is one.

Both are fed here, so no decision can reach one and miss the other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from mcp_approval import messages
from mcp_approval.exceptions import NotRecorded
from mcp_approval.keys import canonical
from mcp_approval.typing import JSONValue, Told

# A name and a version; the rest is no name.
CLIENT_CHARS = 100
PROOF_CHARS = 40
"""A word or two; also for the name of a piece of evidence."""

EVIDENCE_CHARS = 200
"""A signature in text, which is the longest that a channel may want to keep."""

EVIDENCE_BYTES = 1_000
"""A line holds 2 KiB; what a channel keeps beside its word must leave room for the rest."""

# 128 bits: nobody guesses a value behind its digest by trying.
_SALT_BYTES = 16
_LOGGED = ("reason", "approver", "question")
_NUMBERS = frozenset({"waited_ms", "ms"})
_FOREIGN = {
    "client": CLIENT_CHARS,
    "evidence": EVIDENCE_CHARS,
    "name": PROOF_CHARS,
    "proof": PROOF_CHARS,
}


class CannotRecord(Exception):  # noqa: N818 (a refusal with its reason)
    """An event is not on disk; the text is the reason."""


class Recorder(Protocol):
    """Where decisions are kept; a test or a server may keep them elsewhere."""

    async def append(self, event: Mapping[str, JSONValue]) -> str:
        """Keep an event, and give back the head that covers it.

        Raises:
            CannotRecord: It is not kept.
        """

    async def append_later(self, event: Mapping[str, JSONValue]) -> str:
        """Keep an event that follows an act; what cannot be kept now is owed.

        Returns:
            Why it could not be kept; empty when it was.
        """

    async def keep(self, digest: str, text: str) -> None:
        """Keep a text that is about to be shown, where that is wanted.

        Raises:
            CannotRecord: It is wanted and not kept.
        """

    @property
    def head(self) -> str:
        """The newest head; empty before the first event."""


@dataclass(frozen=True, slots=True)
class Accounting:
    """The decisions of one process.

    Attributes:
        server: Name in log lines.
        nothing: The server's sentence for "it did not happen".
        log: Receives one line per decision.
        digest: Shortens a target key; never a value from a call.
        random_bytes: Source of salts.
        recorder: The record, if there is one; loaded when first needed.
    """

    server: str
    nothing: str
    log: Callable[[str], None]
    digest: Callable[[bytes], str]
    random_bytes: Callable[[int], bytes]
    recorder: Callable[[], Recorder | None]

    async def tell(self, decision: str, tool: str, key: bytes, extra: Mapping[str, Told]) -> None:
        """Keep account of what has been decided already."""
        await self.note(decision, tool, key, extra)
        self._line(decision, tool, key, extra, self.recorder())

    async def show(
        self, decision: str, tool: str, key: bytes, message: str, extra: Mapping[str, Told]
    ) -> None:
        """Keep account of a text before anybody sees it.

        Raises:
            NotRecorded: Nobody may see it.
        """
        recorder = self.recorder()
        if recorder is not None:
            from mcp_approval.record.chain import text_digest

            salt = self.random_bytes(_SALT_BYTES)
            shown = {"text": text_digest(salt, message), "salt": salt.hex()}
            event = self._event(decision, tool, key, {**extra, **shown})
            await self._insist(recorder, event, messages.NOT_ASKED, message)
        self._line(decision, tool, key, extra, recorder)

    async def allow(self, decision: str, tool: str, key: bytes, extra: Mapping[str, Told]) -> None:
        """Keep account of a yes before anything is done.

        Raises:
            NotRecorded: Nothing may be done.
        """
        recorder = self.recorder()
        if recorder is not None:
            event = self._event(decision, tool, key, extra)
            await self._insist(recorder, event, messages.ANSWER_NOT_RECORDED)
        self._line(decision, tool, key, extra, recorder)

    async def note(self, event: str, tool: str, key: bytes, extra: Mapping[str, Told]) -> None:
        """Keep in the record what the log has no line for, such as what became of a yes."""
        recorder = self.recorder()
        if recorder is None:
            return
        why = await recorder.append_later(self._event(event, tool, key, extra))
        if why:
            self.log(f"{self.server}: the record of approvals cannot be written: {why}")

    async def _insist(
        self, recorder: Recorder, event: Mapping[str, JSONValue], words: str, shown: str = ""
    ) -> None:
        try:
            if shown:
                await recorder.keep(str(event["text"]), shown)
            await recorder.append(event)
        except CannotRecord as error:
            raise NotRecorded(words.format(reason=error, nothing=self.nothing)) from None

    def _event(
        self, decision: str, tool: str, key: bytes, extra: Mapping[str, Told]
    ) -> dict[str, JSONValue]:
        event: dict[str, JSONValue] = {
            "event": "refused" if decision == "unreached" else decision,
            "tool": tool,
            "target": self.digest(key),
        }
        for name, value in extra.items():
            if not isinstance(value, str):
                event[name] = _short(value)
            elif name != "question":
                event[name] = int(value) if name in _NUMBERS else _clean(name, value)
        if decision == "unreached":
            # The words about each way are the log's.
            event["reason"] = decision
        return event

    def _line(
        self,
        decision: str,
        tool: str,
        key: bytes,
        extra: Mapping[str, Told],
        recorder: Recorder | None,
    ) -> None:
        fields = {"decision": decision, "tool": tool, "target": self.digest(key)}
        if extra.get("way", "dialog") != "dialog":
            fields["way"] = str(extra["way"])
        fields.update({name: str(extra[name]) for name in _LOGGED if name in extra})
        if recorder is not None and recorder.head:
            fields["record"] = recorder.head
        line = " ".join(f"{name}={_plain(value)}" for name, value in fields.items())
        self.log(f"{self.server}: approval {line}")


def _clean(name: str, value: str) -> str:
    """Clean and cut what a client or a channel may have chosen."""
    if name not in _FOREIGN:
        return value
    from mcp_approval.sanitize import clean_line

    return clean_line(value).text[: _FOREIGN[name]]


def _short(evidence: Mapping[str, str]) -> dict[str, JSONValue]:
    """As much of it as fits, in whole entries."""
    kept: dict[str, JSONValue] = {}
    for name, value in evidence.items():
        more = {**kept, _clean("name", name): _clean("evidence", value)}
        if len(canonical(more).encode()) <= EVIDENCE_BYTES:
            kept = more
    return kept


def _plain(value: str) -> str:
    return value if re.fullmatch(r"[A-Za-z0-9_.-]+", value) else json.dumps(value)
