"""The stored answers of a server, and those that its settings select.

`catalogue.json` lies in each server's package. It is made from the live server, so the
SDK itself wrote every answer in it; a test compares the two.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import NamedTuple, cast

from mcp_serverkit.instructions import Offered

FILE = "catalogue.json"

FORMAT = 2
"""Changes with the form of the file: one of another form is as good as none."""

EMPTY_LISTS = ("resources/list", "resources/templates/list")
"""Asked by clients whatever was announced; nothing is there, and nothing is announced."""

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that the SDK negotiates by `initialize`; the last one answers any other."""

Document = dict[str, object]


class StoredTool(NamedTuple):
    """A tool as the catalogue knows it.

    Attributes:
        name: Its name.
        read_only: Whether it changes nothing.
        extra: Whether it is off by default.
        asks: When it asks, as registered.
        listings: Its entry in `tools/list`, for each text that `asks` may take.
    """

    name: str
    read_only: bool
    extra: bool
    asks: str
    listings: Mapping[str, Document]


class Catalogue:
    """The stored answers of one server."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._version = (document["format"], document["version"])
        self.tools = [
            StoredTool(
                str(tool["name"]),
                bool(tool["read_only"]),
                bool(tool.get("extra")),
                str(tool["asks"]),
                cast("Mapping[str, Document]", tool["listings"]),
            )
            for tool in cast("list[Document]", document["tools"])
        ]
        self.prompts = cast("list[Document]", document["prompts"])

    def belongs_to(self, version: str, order: Sequence[str]) -> bool:
        """Whether it was made from this version of a server, with these tools in this order."""
        names = [tool.name for tool in self.tools]
        return self._version == (FORMAT, version) and names == list(order)

    def part(self, name: str) -> Document:
        """Return a copy of one stored answer."""
        return dict(cast("Document", self._document[name]))


class StoredAnswers:
    """The answers of one server process.

    Args:
        catalogue: The stored answers.
        offered: Tools on offer, in order.
        instructions: What a client is told.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        offered: Sequence[Offered],
        instructions: str,
    ) -> None:
        self._catalogue = catalogue
        self._instructions = instructions
        by_name = {tool.name: tool for tool in catalogue.tools}
        self._listings = [by_name[tool.name].listings[tool.asks] for tool in offered]
        names = {tool.name for tool in offered}
        self._prompts = {
            str(prompt["name"]): prompt
            for prompt in catalogue.prompts
            if names.issuperset(cast("list[str]", prompt["tools"]))
        }

    def initialize(self, requested: str) -> Document:
        """Answer `initialize`."""
        known = requested in HANDSHAKE_VERSIONS
        version = requested if known else HANDSHAKE_VERSIONS[-1]
        return {
            "protocolVersion": version,
            **self._announced("initialize"),
            "instructions": self._instructions,
        }

    def discover(self) -> Document:
        """Answer `server/discover`."""
        return {**self._announced("discover"), "instructions": self._instructions}

    def tools(self) -> Document:
        """Answer `tools/list` after a handshake."""
        return {**self._catalogue.part("list"), "tools": self._listings}

    def modern_tools(self) -> Document:
        """Answer `tools/list` on 2026-07-28."""
        return {**self._catalogue.part("modern_list"), "tools": self._listings}

    def prompts(self, *, modern: bool) -> Document:
        """Answer `prompts/list`."""
        around = self._catalogue.part("modern_prompt_list" if modern else "prompt_list")
        return {**around, "prompts": [prompt["listing"] for prompt in self._prompts.values()]}

    def prompt(self, name: str, *, modern: bool) -> Document | None:
        """Answer `prompts/get` without arguments, if there is such a prompt."""
        prompt = self._prompts.get(name)
        if prompt is None:
            return None
        around = self._catalogue.part("modern_prompt" if modern else "prompt")
        return {**around, **cast("Document", prompt["answer"])}

    def empty_list(self, method: str, *, modern: bool) -> Document:
        """Answer one of `EMPTY_LISTS`."""
        return cast("Document", self._catalogue.part("modern_empty" if modern else "empty")[method])

    def _announced(self, name: str) -> Document:
        """Return an answer that announces prompts only while there are any."""
        part = self._catalogue.part(name)
        if not self._prompts:
            announced = cast("Document", part["capabilities"]).items()
            part["capabilities"] = {key: value for key, value in announced if key != "prompts"}
        return part


@cache
def _read(path: str) -> Catalogue:
    # A start asks for it several times: to check the choice of tools, and to answer.
    with open(path, encoding="utf-8") as file:
        return Catalogue(json.load(file))


def load(package: str) -> Catalogue | None:
    """Load the catalogue of a server's package, if it has one."""
    folder = os.path.dirname(import_module(package).__file__ or "")
    try:
        return _read(os.path.join(folder, FILE))
    except (OSError, ValueError, KeyError, TypeError):
        return None
