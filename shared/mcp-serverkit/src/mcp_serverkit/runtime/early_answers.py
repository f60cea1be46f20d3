"""Answers for the start of a conversation, before the SDK is loaded.

A client spawns every server that it knows, used or not, and asks each for its tools.
Those answers are constants of a server and its settings, so they come from a stored
catalogue. Few methods are known here, in their plainest form. The first message that
is anything else ends it: the SDK is loaded and takes over, and what it must know of the
conversation so far is replayed into it.
"""

from __future__ import annotations

import json
from typing import NamedTuple, cast

from mcp_serverkit.catalogue import EMPTY_LISTS, StoredAnswers
from mcp_serverkit.runtime.jsonrpc_lines import (
    BYTE_ORDER_MARK,
    MAX_LINE_BYTES,
    drain,
    read_chunk,
    without_cancelled,
    write_all,
)

ENVELOPE = "io.modelcontextprotocol/"
MODERN = "2026-07-28"
# Above it a JSON reader may round, and the SDK decides.
_LARGEST_ID = 2**53

Message = dict[str, object]


class Handover(NamedTuple):
    """What the SDK gets.

    Attributes:
        replay: Requests that were answered here, to be put to it unseen, in order.
        waiting: What the client sent and nobody has looked at.
        begun: Whether the beginning of the input was read here.
    """

    replay: tuple[bytes, ...]
    waiting: bytes
    begun: bool = False


class EarlyAnswers:
    """Reads lines and answers the plain ones.

    Args:
        answers: The constants.
        source: Descriptor to read.
        sink: Descriptor to write.
    """

    def __init__(self, answers: StoredAnswers, source: int, sink: int) -> None:
        self._answers = answers
        self._source = source
        self._sink = sink
        self._replay: list[bytes] = []
        self._modern: bool | None = None
        self._initialized = False
        self._first_line = True

    def run(self) -> Handover | None:
        """Answer until something needs the SDK, or the client leaves.

        Returns:
            What the SDK gets, or nothing when the client left.
        """
        pending = bytearray()
        while chunk := read_chunk(self._source):
            start = len(pending)
            pending += chunk
            if self._first_line and pending.startswith(BYTE_ORDER_MARK):
                del pending[: len(BYTE_ORDER_MARK)]
                self._first_line, start = False, 0
            while (end := pending.find(b"\n", start)) >= 0:
                self._first_line = False
                if not self._handles(bytes(pending[:end])):
                    return Handover(tuple(self._replay), bytes(pending), begun=True)
                del pending[: end + 1]
                start = 0
            if len(pending) > MAX_LINE_BYTES:
                break
        if not pending.strip():
            return None
        return Handover(tuple(self._replay), bytes(pending), begun=True)

    def take_over(self, handover: Handover) -> Handover:
        """Complete a handover once the SDK is there: what arrived meanwhile, less the cancelled."""
        waiting, refusals = without_cancelled(handover.waiting + drain(self._source))
        for refusal in refusals:
            write_all(self._sink, refusal + b"\n")
        return handover._replace(waiting=waiting)

    def _handles(self, line: bytes) -> bool:
        if not line.strip():
            return True
        message = _plain_message(line)
        if message is None:
            return False
        if "id" not in message:
            return self._notified(line, message)
        result = self._result(message)
        if result is None:
            return False
        if self._modern is None or message["method"] == "initialize":
            self._replay.append(line)
        self._modern = _enveloped(message)
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        return write_all(self._sink, text.encode("utf-8") + b"\n")

    def _notified(self, line: bytes, message: Message) -> bool:
        if message["method"] == "notifications/initialized" and self._initialized:
            self._replay.append(line)
            return not message.get("params")
        return message["method"] == "notifications/cancelled" and self._modern is not None

    def _result(self, message: Message) -> Message | None:
        """Return the result of a plain request, or nothing where the SDK must decide."""
        modern = _enveloped(message)
        if self._modern is not None and modern is not self._modern:
            return None
        params = message.get("params", {})
        if not isinstance(params, dict):
            return None
        if modern:
            return self._modern_result(message["method"], params)
        return self._handshake_result(message["method"], params)

    def _handshake_result(self, method: object, params: Message) -> Message | None:
        if method == "initialize" and not self._initialized:
            if not _plain_initialize(params):
                return None
            self._initialized = True
            return self._answers.initialize(str(params["protocolVersion"]))
        if not _plain_meta(params.get("_meta", {})):
            return None
        if method == "prompts/get" and self._initialized:
            return self._prompt(params, modern=False)
        if params.keys() - {"_meta"}:
            return None
        if method == "ping":
            return {}
        if not self._initialized:
            return None
        if method == "prompts/list":
            return self._answers.prompts(modern=False)
        if method in EMPTY_LISTS:
            return self._answers.empty_list(str(method), modern=False)
        return self._answers.tools() if method == "tools/list" else None

    def _modern_result(self, method: object, params: Message) -> Message | None:
        if not _plain_envelope(cast("Message", params["_meta"])):
            return None
        if method == "prompts/get":
            return self._prompt(params, modern=True)
        if params.keys() != {"_meta"}:
            return None
        if method == "server/discover":
            return self._answers.discover()
        if method == "prompts/list":
            return self._answers.prompts(modern=True)
        if method in EMPTY_LISTS:
            return self._answers.empty_list(str(method), modern=True)
        return self._answers.modern_tools() if method == "tools/list" else None

    def _prompt(self, params: Message, *, modern: bool) -> Message | None:
        """Answer for a prompt with nothing said; the SDK fills in what comes with one."""
        name, said = params.get("name"), params.get("arguments", {})
        if params.keys() - {"_meta", "name", "arguments"} or said != {} or type(name) is not str:
            return None
        return self._answers.prompt(name, modern=modern)


def _plain_message(line: bytes) -> Message | None:
    """Parse a line that is beyond doubt: nothing that two parsers could read differently."""
    if b"\\u" in line:
        return None
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=_refuse, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.keys() - {"jsonrpc", "id", "method", "params"}:
        return None
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return None
    return message if "id" not in message or _plain_id(message["id"]) else None


def _refuse(_name: str) -> object:
    raise ValueError("no JSON")


def _once(pairs: list[tuple[str, object]]) -> Message:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a name comes twice")
    return fields


def _plain_id(value: object) -> bool:
    return isinstance(value, str) or (type(value) is int and abs(value) < _LARGEST_ID)


def _enveloped(message: Message) -> bool:
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    opens = isinstance(meta, dict) and f"{ENVELOPE}protocolVersion" in meta
    return opens and message["method"] != "initialize"


def _plain_initialize(params: Message) -> bool:
    return (
        params.keys() == {"protocolVersion", "capabilities", "clientInfo"}
        and isinstance(params["protocolVersion"], str)
        and _plain_capabilities(params["capabilities"])
        and _plain_info(params["clientInfo"])
    )


def _plain_envelope(meta: Message) -> bool:
    own = {key: meta[key] for key in meta if not key.startswith(ENVELOPE)}
    named = {key.removeprefix(ENVELOPE): meta[key] for key in meta if key.startswith(ENVELOPE)}
    return (
        _plain_meta(own)
        and named.keys() - {"clientInfo"} == {"protocolVersion", "clientCapabilities"}
        and named["protocolVersion"] == MODERN
        and _plain_capabilities(named["clientCapabilities"])
        and ("clientInfo" not in named or _plain_info(named["clientInfo"]))
    )


def _plain_meta(meta: object) -> bool:
    return (
        isinstance(meta, dict)
        and not meta.keys() - {"progressToken"}
        and ("progressToken" not in meta or _plain_id(meta["progressToken"]))
    )


_CAPABILITIES: dict[str, dict[str, type]] = {
    "roots": {"listChanged": bool},
    "sampling": {"context": dict, "tools": dict},
    "elicitation": {"form": dict, "url": dict},
}


def _plain_capabilities(capabilities: object) -> bool:
    return isinstance(capabilities, dict) and all(
        key in _CAPABILITIES and _plain_capability(_CAPABILITIES[key], value)
        for key, value in capabilities.items()
    )


def _plain_capability(known: dict[str, type], capability: object) -> bool:
    return isinstance(capability, dict) and all(
        type(part) is known.get(name) and part in (True, False, {})
        for name, part in capability.items()
    )


def _plain_info(info: object) -> bool:
    return (
        isinstance(info, dict)
        and {"name", "version"}
        <= info.keys()
        <= {"name", "version", "title", "description", "websiteUrl"}
        and all(isinstance(value, str) for value in info.values())
    )
