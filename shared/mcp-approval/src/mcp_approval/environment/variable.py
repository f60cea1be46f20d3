"""One environment variable, as everything told about it needs it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from mcp_approval.environment import parsers


class Variable(NamedTuple):
    """One environment variable.

    Attributes:
        name: Its name.
        field: Its key among the parsed values.
        kind: Type in words, for people.
        default: Default in words, for people.
        meaning: One sentence for people.
        parse: Its parser.
        fallback: Value when it is unset.
        secret: `token` or `password`: never shown, taken out of the environment, with
            a twin `NAME_FILE`.
        one_line: Whether a line break at its ends is an error rather than trimmed.
        fence: Whether it limits what the server may do, so that a mistyped name must not
            leave it off.
        example: A value that parses, for snippets; empty for a secret, and where a snippet
            does better without.
        required: Whether no way of using the server goes without it.
        elsewhere: Names that other programs give it; one that is set alone is pointed out.
        listed: Whether it belongs in a short description, which a client makes questions of.
        title: A few plain words that stand for it on a settings page.
    """

    name: str
    field: str
    kind: str
    default: str
    meaning: str
    parse: parsers.Parser = parsers.text
    fallback: object = None
    secret: Literal["token", "password"] | None = None
    one_line: bool = False
    fence: bool = False
    example: str = ""
    required: bool = False
    listed: bool = False
    elsewhere: tuple[str, ...] = ()
    title: str = ""
