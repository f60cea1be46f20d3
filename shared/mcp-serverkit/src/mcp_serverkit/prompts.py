"""Prompts: requests that a client offers its user as commands.

What comes with one is somebody's typing: it stands on a labelled line of its own at the
end, and never inside a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcp_serverkit.text.describe import name_or_not
from mcp_serverkit.text.sanitize import clean_text

MAX_CHARACTERS = 500
"""Of an argument: some sentences, and no document."""

NOT_GIVEN = "ask me which"


class PromptArgumentError(ValueError):
    """An argument cannot be taken; the text names it, and repeats nothing of its value."""


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """What may be said with a prompt. None is required: clients ask for prompts without any.

    Attributes:
        name: Its name.
        title: Label of its line.
        description: What is expected, for people.
    """

    name: str
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt.

    Attributes:
        name: Its name.
        title: Its title for people.
        description: What it is for, for people.
        text: What the model is asked, in the user's voice.
        arguments: What may be said with it; at least one, as some clients lose prompts without.
        tools: Names of the tools that it uses; it is offered where all of them are.
    """

    name: str
    title: str
    description: str
    text: str
    arguments: tuple[PromptArgument, ...]
    tools: tuple[str, ...]

    def filled(self, given: Mapping[str, str]) -> str:
        """Return the text with its lines.

        Args:
            given: Values by argument. An empty one is none. What cannot be seen in it is
                removed: nobody meant it.

        Raises:
            PromptArgumentError: There is no such argument, or it is no short line.
        """
        known = [argument.name for argument in self.arguments]
        for name in given:
            if name not in known:
                shown = name_or_not(name, "an argument name")
                raise PromptArgumentError(f"{shown}: {self.name} takes {', '.join(known)}")
        return "\n".join([self.text, "", *self._lines(given)])

    def _lines(self, given: Mapping[str, str]) -> Iterator[str]:
        for argument in self.arguments:
            value = clean_text(given.get(argument.name, "")).strip()
            if "\n" in value or len(value) > MAX_CHARACTERS:
                bound = f"one line of at most {MAX_CHARACTERS} characters"
                raise PromptArgumentError(f"{argument.name}: must be {bound}")
            yield f"{argument.title}: {value or NOT_GIVEN}"
