"""What a mail with a large file costs: little more memory than the message itself."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from tests.backends.smtp import ImapBackend, SmtpBackend
from tests.smtp.support import LEGACY, MAIL, MODERN, environment
from tests.support.clients import Era
from tests.support.process import Message, ServerProcess, spawn

pytestmark = [
    pytest.mark.requirement("S-15"),
    pytest.mark.skipif(sys.platform != "linux", reason="platform: peaks are read from /proc"),
]

FORM: Message = {"elicitation": {"form": {}}}
YES: Message = {"action": "accept", "content": {"confirm": True}}
DATA = 5_000_000

SLACK = 1.2
"""Interpreters, and what measures coverage in them, differ by some MiB."""


def bound_mib(further_bytes: int = 0) -> float:
    """The most that a process may have had in memory for `DATA` bytes of files."""
    return SLACK * (80 + (3 * DATA + further_bytes) / 2**20)


def peak_mib(process: int) -> float:
    """The most that a process has had in memory."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1_024


async def allowed(server: ServerProcess, era: Era, arguments: Mapping[str, object]) -> Message:
    """Call send_mail as a client whose person says yes; return its result."""
    params: Message = {"name": "send_mail", "arguments": dict(arguments)}
    if era == LEGACY:
        await server.initialize(LEGACY, FORM)
        return await answered(server, params)
    prefix = "io.modelcontextprotocol"
    params["_meta"] = {
        f"{prefix}/protocolVersion": MODERN,
        f"{prefix}/clientInfo": {"name": "test", "version": "1"},
        f"{prefix}/clientCapabilities": FORM,
    }
    asked = await answered(server, params)
    state, questions = asked["requestState"], cast("Message", asked["inputRequests"])
    answers = dict.fromkeys(questions, YES)
    return await answered(server, {**params, "requestState": state, "inputResponses": answers})


async def answered(server: ServerProcess, params: Message) -> Message:
    """Make a call, say yes to what is asked meanwhile, and return its result."""
    await server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    while "result" not in (message := await server.receive()):
        if message.get("method") == "elicitation/create":
            await server.send({"jsonrpc": "2.0", "id": message["id"], "result": YES})
    return cast("Message", message["result"])


@pytest.mark.parametrize("era", [LEGACY, MODERN])
async def test_a_large_file_is_held_once_as_it_leaves(era: Era, tmp_path: Path) -> None:
    (tmp_path / "big.pdf").write_bytes(b"%PDF-".ljust(DATA, b"x"))
    async with SmtpBackend() as backend:
        environ = environment(backend.port, SMTP_ATTACHMENT_DIR=str(tmp_path))
        async with spawn("smtp_mcp", environ) as server:
            result = await allowed(server, era, {**MAIL, "attachments": ["big.pdf"]})
            assert cast("Message", result["structuredContent"])["sent"]
            assert peak_mib(server.process.pid) < bound_mib()
        [message] = backend.messages
        [part] = message.parsed.iter_attachments()
        assert part.get_content() == (tmp_path / "big.pdf").read_bytes()


@pytest.mark.parametrize("era", [LEGACY, MODERN])
async def test_a_copy_in_the_sent_folder_costs_no_more_than_the_message_again(
    era: Era, tmp_path: Path
) -> None:
    names = ["one.pdf", "two.pdf"]
    for name in names:
        (tmp_path / name).write_bytes(b"%PDF-".ljust(DATA // 2, name[:1].encode()))
    async with SmtpBackend() as backend, ImapBackend() as imap:
        environ = environment(
            backend.port,
            SMTP_ATTACHMENT_DIR=str(tmp_path),
            SMTP_SENT_IMAP_HOST="127.0.0.1",
            SMTP_SENT_IMAP_PORT=str(imap.port),
            SMTP_SENT_IMAP_TLS="none",
        )
        async with spawn("smtp_mcp", environ) as server:
            result = await allowed(server, era, {**MAIL, "attachments": names})
            sent = cast("Message", result["structuredContent"])
            assert sent["sent_copy"] == {"saved": True, "folder": "Sent Items"}
            [message] = backend.messages
            assert peak_mib(server.process.pid) < bound_mib(len(message.raw))
        [(_, _, copy)] = imap.stored
        assert copy == message.raw
