"""The command `mcp-approval`: checks and shows a record, and reads nothing but its arguments."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence

from mcp_approval.output import write_stderr, write_stdout, write_text
from mcp_approval.record.lines import FaultFound
from mcp_approval.record.show import shown
from mcp_approval.record.verify import Findings, verify

_HEAD = r"[0-9A-Fa-f]{12,64}"


def _head(value: str) -> str:
    if re.fullmatch(_HEAD, value) is None:
        raise argparse.ArgumentTypeError("a head has 12 to 64 hex digits")
    return value.lower()


def _count(value: str) -> int:
    if not value.isascii() or not value.isdigit() or len(value) > 9:
        raise argparse.ArgumentTypeError("a number is needed")
    return int(value)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mcp-approval",
        description="Check and read a record of approvals. Nothing is written.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("verify", help="check the chain from end to end")
    checking.add_argument("file")
    checking.add_argument(
        "--head", action="append", default=[], type=_head, help="digits seen elsewhere"
    )
    showing = commands.add_parser("show", help="one line an event, oldest first")
    showing.add_argument("file")
    showing.add_argument("--last", type=_count, help="only so many of the newest")
    showing.add_argument("--text", action="store_true", help="with the texts that were kept")
    showing.add_argument("--json", action="store_true", help="the lines as they are")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: What follows the command's name; the process's own without it.

    Returns:
        0 when the record is whole, 1 when it is not, 2 when it cannot be read.
    """
    options = _parser().parse_args(arguments)
    try:
        if options.command == "verify":
            for line in verify(options.file, options.head).lines():
                write_stdout(line)
        else:
            _show(options)
    except FaultFound as fault:
        write_stdout(f"not whole: {fault}")
        return 1
    except OSError as error:
        write_stderr(f"mcp-approval: {error.strerror or 'cannot be read'}")
        return 2
    return 0


def _show(options: argparse.Namespace) -> None:
    findings = Findings()
    told = shown(
        options.file, findings, last=options.last, as_json=options.json, texts=options.text
    )
    for event in told:
        write_text(sys.stdout, f"{event}\n")
    if not options.json:
        for line in findings.lines():
            write_stdout(line)
