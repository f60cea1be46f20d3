"""`make demo`: a real client, a real process, an embedded backend."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys

from scripts.names import UnknownServerError, find
from tests.demo.stage import given_answer

FURTHER_SCENES: tuple[str, ...] = ("library",)
"""Scenes beside those of the servers, by the name of their module, with `-` for `_`."""


def main(arguments: list[str]) -> int:
    name = arguments[0] if arguments else "ntfy"
    try:
        given_answer(os.environ.get("DEMO_ANSWER", ""))
        scene = _scene(name)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    asyncio.run(importlib.import_module(f"tests.demo.{scene}").demo())
    return 0


def _scene(name: str) -> str:
    further = name.strip().lower().replace("_", "-")
    if further in FURTHER_SCENES:
        return further.replace("-", "_")
    try:
        return find(name).short[0]
    except UnknownServerError as error:
        scenes = "".join(f", {scene}" for scene in FURTHER_SCENES)
        raise ValueError(f"{error}{scenes}") from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
