"""The command of a server: options, settings, exit codes.

Exit codes: 0 done, 1 the configuration is wrong or a check failed, 2 unknown option.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import MutableMapping, Sequence
from contextlib import suppress

from mcp_approval.environment import approval
from mcp_approval.output import write_stderr, write_text
from mcp_serverkit.config.settings import Reading, read_settings
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime.early_answers import EarlyAnswers, Handover
from mcp_serverkit.runtime.jsonrpc_lines import claim_stdio
from mcp_serverkit.runtime.leaving import Leaving
from mcp_serverkit.runtime.stderr import QueuedText, own_stderr

_LAST_LINES_SECONDS = 0.2
"""How long lines that are still queued at the end may take: nobody may be reading."""

_LAST_WORDS_SECONDS = 1.0
"""The same where they say why the command fails."""


def run(definition: Definition) -> None:
    """Be the process of a server."""
    stderr = own_stderr(definition.name)
    gc.disable()  # what is loaded at start stays; serving switches it on again

    def leave_at_once() -> None:
        stderr.finish(_LAST_LINES_SECONDS)
        os._exit(0)

    leaving = Leaving(leave_at_once)
    leaving.start()
    code = main(definition, sys.argv[1:], os.environ, leaving)
    stderr.finish(_LAST_WORDS_SECONDS if code else _LAST_LINES_SECONDS)
    sys.exit(code)


def main(
    definition: Definition,
    arguments: Sequence[str],
    environ: MutableMapping[str, str],
    leaving: Leaving | None = None,
) -> int:
    """Run the command.

    Args:
        definition: The server.
        arguments: The command's own, without its name.
        environ: The environment; secrets are taken out of it.
        leaving: Sees to the end of the process; one that sees to nothing, if none is given.

    Returns:
        The exit code.
    """
    check = False
    if arguments:
        from mcp_serverkit.runtime.arguments import ArgumentsError, help_text, read_arguments

        try:
            option = read_arguments(definition, arguments)
        except ArgumentsError as error:
            write_stderr(f"{definition.name}: {error}")
            return 2
        if option == "help":
            return _told(help_text(definition))
        if option == "version":
            return _told(f"{definition.name} {definition.version}\n")
        check = True
    try:
        reading = read(definition, environ)
        if reading.problems:
            return 1
        return _work(definition, reading, leaving or Leaving(lambda: None), check=check)
    except Exception as error:  # noqa: BLE001 (the last line of defence prints no traceback)
        from mcp_serverkit.runtime.log import where

        write_stderr(f"{definition.name}: ended by a defect: {where(error)}")
        return 1


def read(definition: Definition, environ: MutableMapping[str, str]) -> Reading:
    """Read and check all settings, and print what is to be said about them."""
    reading = read_settings(definition.variables, definition.prefix, environ)
    definition.cross_check(reading.values, reading)
    choice = definition.select(reading.values)
    reading.problems += choice.problems
    reading.warnings += choice.warnings
    for line in reading.warnings:
        write_stderr(f"{definition.name}: warning: {line}")
    for line in reading.problems:
        write_stderr(f"{definition.name}: {line}")
    return reading


def _told(text: str) -> int:
    write_text(sys.stdout, text)
    _forget_unread_output()
    return 0


def _forget_unread_output() -> None:
    """Keep the interpreter from complaining at its end that a pipe has no reader any more."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _work(definition: Definition, reading: Reading, leaving: Leaving, *, check: bool) -> int:
    if check:
        _configure_log(definition, reading)
        from mcp_serverkit.runtime.check import run_check

        code = run_check(definition, reading.values)
        _forget_unread_output()
        return code
    _print_start(definition, reading)
    return _serve(definition, reading, leaving)


def _serve(definition: Definition, reading: Reading, leaving: Leaving) -> int:
    """Answer what needs no SDK; load it for the first message that does."""
    source, sink = claim_stdio()
    if isinstance(sys.stderr, QueuedText):
        sys.stdout = sys.stderr
    answers = definition.answers(reading.values)
    early = EarlyAnswers(answers, source, sink) if answers is not None else None
    handover = early.run() if early is not None else Handover((), b"")
    if handover is None:
        return 0
    _configure_log(definition, reading)
    from mcp_serverkit.runtime.process import serve_stdio

    if early is not None:
        handover = early.take_over(handover)
    return serve_stdio(definition, reading.values, source, sink, handover, leaving)


def _configure_log(definition: Definition, reading: Reading) -> None:
    from mcp_serverkit.runtime.log import configure

    configure(definition.name, str(reading.values["log_level"]))


def _print_start(definition: Definition, reading: Reading) -> None:
    if not reading.values["elicitation"]:
        write_stderr(definition.off_line)
    for line in approval.start_lines(definition.name, reading.values):
        write_stderr(line)
    for line in definition.start_lines(reading.values):
        write_stderr(f"{definition.name}: {line}")
    missing = definition.missing(reading.values)
    if missing:
        write_stderr(f"{definition.name}: {missing}")
    if sys.stdin is not None and sys.stdin.isatty():
        write_stderr(
            f"{definition.name}: this speaks MCP over stdio and is started by an MCP client, "
            f'registered with the command "{definition.name}"; see --help'
        )
