"""`make demo`: a real client, a real process, an embedded backend."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys

from scripts.servers import UnknownServerError, find

FURTHER_SCENES: tuple[str, ...] = ("library",)
"""Scenes beside those of the servers, by the name of their module, with `-` for `_`."""


def main(arguments: list[str]) -> int:
    try:
        return _play(arguments[0] if arguments else "ntfy")
    except KeyboardInterrupt:
        print("\nended before its end", file=sys.stderr)
        return 130


def _play(name: str) -> int:
    # Loading takes a while, in which somebody may change their mind.
    from demo.stage import ending, given_answer, write_anywhere

    try:
        given_answer(os.environ.get("DEMO_ANSWER", ""))
        scene = _scene(name)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    write_anywhere()
    asyncio.run(importlib.import_module(f"demo.{scene}").demo())
    ending("" if scene in FURTHER_SCENES else scene)
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
