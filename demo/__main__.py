"""`make demo`: a real client, a real process, an embedded backend."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys

from scripts.servers import UnknownServerError, find

FURTHER_SCENES: dict[str, str] = {"library": "", "ntfy-reach": "ntfy"}
"""Scenes beside those of the servers, each with the server to install after it.

Each is named like its module, with `-` for `_`.
"""


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
        scene, server = _scene(name)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    write_anywhere()
    asyncio.run(importlib.import_module(f"demo.{scene}").demo())
    ending(server)
    return 0


def _scene(name: str) -> tuple[str, str]:
    """Find a scene's module, and the server that it is about."""
    further = name.strip().lower().replace("_", "-")
    if further in FURTHER_SCENES:
        return further.replace("-", "_"), FURTHER_SCENES[further]
    try:
        server = find(name).short[0]
    except UnknownServerError as error:
        scenes = "".join(f", {scene}" for scene in FURTHER_SCENES)
        raise ValueError(f"{error}{scenes}") from None
    return server, server


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
