"""Arguments and help of a server's command; loaded only when there are arguments."""

from __future__ import annotations

import argparse
import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias, get_args

if TYPE_CHECKING:
    from mcp_serverkit.config.settings import Variable
    from mcp_serverkit.definition import Definition

Option: TypeAlias = Literal["help", "version", "check"]

_KNOWN = {"-h": "help", **{f"--{option}": option for option in get_args(Option)}}
_LOOKS_LIKE_AN_OPTION = re.compile(r"-[A-Za-z]|--[A-Za-z-]{1,20}")

_NARROWEST, _WIDEST = 40, 100
"""Columns of the help, whatever the terminal."""

_ABOUT = {
    "help": "show this text",
    "version": "show the version",
    "check": "read the settings, make one harmless call, and say what was found",
}


class ArgumentsError(ValueError):
    """The arguments are not understood; the text holds no word that may be a secret."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:  # noqa: ARG002 (it may quote a value)
        raise ArgumentsError


def read_arguments(definition: Definition, arguments: Sequence[str]) -> Option:
    """Read the one option that is given.

    Raises:
        ArgumentsError: There is no such option, or more than one.
    """
    try:
        found, unknown = _parser(definition).parse_known_args(arguments)
    except ArgumentsError:
        raise ArgumentsError(_refusal(arguments)) from None
    if unknown or found.option is None:
        raise ArgumentsError(_refusal(arguments))
    option: Option = found.option
    return option


def help_text(definition: Definition) -> str:
    """Compose usage and the table of variables, wrapped to the terminal."""
    width = max(_NARROWEST, min(shutil.get_terminal_size((80, 24)).columns, _WIDEST))
    about = f"{definition.name} {definition.version}: {definition.summary}"
    lines = [
        *textwrap.wrap(about, width),
        *textwrap.wrap("An MCP server over stdio; a client starts it.", width),
        "",
        *_parser(definition, width).format_help().splitlines(),
        "",
        "environment variables:",
    ]
    for variable in definition.variables:
        lines += ["", *_described(variable, width)]
    return "\n".join([*lines, ""])


def _described(variable: Variable, width: int) -> Iterator[str]:
    head = f"{variable.name} ({variable.kind}; default: {variable.default})"
    twin = f" {variable.name}_FILE names a file that holds it." if variable.secret else ""
    for text, first in ((head, "  "), (f"{variable.meaning}{twin}", "    ")):
        yield from textwrap.wrap(
            text,
            width,
            initial_indent=first,
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def _parser(definition: Definition, width: int = 80) -> argparse.ArgumentParser:
    def shaped(prog: str) -> argparse.HelpFormatter:
        return argparse.HelpFormatter(prog, width=width)

    parser = _Parser(
        prog=definition.name,
        usage="%(prog)s [OPTION]",
        add_help=False,
        allow_abbrev=False,
        formatter_class=shaped,
    )
    group = parser.add_mutually_exclusive_group()
    for option, about in _ABOUT.items():
        flags = [flag for flag, known in _KNOWN.items() if known == option]
        group.add_argument(*flags, dest="option", action="store_const", const=option, help=about)
    return parser


def _refusal(arguments: Sequence[str]) -> str:
    """Say what is wrong; a word is repeated only if it can be no secret."""
    for argument in arguments:
        word, _, _ = argument.partition("=")
        if argument in _KNOWN:
            continue
        if word in _KNOWN:
            return f"{word} takes no value"
        if _LOOKS_LIKE_AN_OPTION.fullmatch(word):
            return f"{word} is no option; there are --help, --version and --check"
        return (
            "takes no arguments besides its options; settings come from the environment, see --help"
        )
    return "takes one of --help, --version and --check at a time"
