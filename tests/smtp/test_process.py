"""The command as clients run it: over real stdio, ended while a mail is under way."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import cast

import pytest

from tests.backends.smtp import HANG, Fault, SmtpBackend
from tests.smtp.support import MAIL, audit_lines, environment
from tests.support.process import Message, ServerProcess, spawn

MODULE = "smtp_mcp"


def result_of(answer: Message) -> dict[str, object]:
    return cast("dict[str, object]", answer["result"])


def text_of(answer: Message) -> str:
    content = cast("list[dict[str, str]]", result_of(answer)["content"])
    return content[0]["text"]


async def send(server: ServerProcess, number: int, arguments: Message) -> Message:
    """Call send_mail and wait for its answer."""
    return await server.request(number, "tools/call", {"name": "send_mail", "arguments": arguments})


async def token_from(server: ServerProcess) -> str:
    """Get the token of the first of two calls."""
    await server.initialize()
    prompt = text_of(await send(server, 1, dict(MAIL)))
    return prompt.partition('confirm_token="')[2].partition('"')[0]


@pytest.mark.requirement("R-21")
@pytest.mark.parametrize("more", [{}, {"PYTHONWARNINGS": "always"}, {"PYTHONASYNCIODEBUG": "1"}])
async def test_stdout_carries_the_protocol_and_nothing_else(
    more: dict[str, str], backend: SmtpBackend
) -> None:
    environ = environment(
        backend.port, ELICITATION="false", SMTP_INSECURE_TLS="true", SMTP_LOG_LEVEL="debug"
    )
    async with spawn(MODULE, {**environ, **more}) as server:
        token = await token_from(server)
        sent = await send(server, 2, {**MAIL, "confirm_token": token})
        assert result_of(sent)["structuredContent"]
        refused = await send(server, 3, {**MAIL, "to": ["x@elsewhere.test"]})
        assert "recipient_not_allowed" in text_of(refused)
        await server.close_stdin()
        assert await server.exit_code() == 0
        assert await server.rest() == b""
        err = await server.errors()
    assert len(backend.messages) == 1
    assert [line["outcome"] for line in audit_lines(err)] == ["sent", "refused"]
    assert "pass word" not in err
    assert "Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="platform: signals of POSIX")
@pytest.mark.parametrize("ending", ["signal", "end of stdin"])
async def test_a_process_that_ends_behind_the_final_dot_logs_the_outcome_as_unknown(
    ending: str, backend: SmtpBackend
) -> None:
    backend.faults = [Fault("DOT", HANG)]
    async with spawn(MODULE, environment(backend.port, ELICITATION="false")) as server:
        token = await token_from(server)
        calling = asyncio.create_task(send(server, 2, {**MAIL, "confirm_token": token}))
        await backend.dot_seen.wait()
        if ending == "signal":
            server.signal(signal.SIGTERM)
        else:
            await server.close_stdin()
        assert await server.exit_code() == 0
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        [line] = audit_lines(await server.errors())
    assert (line["outcome"], line["error"]) == ("unknown", "cancelled")


async def test_the_check_of_the_command_reports_and_sends_nothing(backend: SmtpBackend) -> None:
    async with spawn(MODULE, environment(backend.port), arguments=("--check",)) as server:
        report = (await server.rest()).decode()
        assert await server.exit_code() == 0
    assert "login: cram-md5" in report
    assert "recipients: @example.test, boss@other.test" in report
    assert "MAIL" not in backend.verbs()


async def test_a_check_that_fails_says_why_and_ends_with_code_one(backend: SmtpBackend) -> None:
    environ = environment(backend.port, SMTP_PASSWORD="not it")
    async with spawn(MODULE, environ, arguments=("--check",)) as server:
        report = (await server.rest()).decode()
        assert await server.exit_code() == 1
    assert "auth_failed" in report
    assert "not it" not in report
