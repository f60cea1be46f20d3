"""The steps of the Dockerfile, taken in a plain folder where no container engine is.

Absolute paths of the image stand for folders below one root, and the base image for a fresh
virtual environment. What only an engine does (layers, labels, users) is not replayed.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scripts.commands import run
from scripts.definitions import ROOT

DOCKERFILE = ROOT / "docker" / "Dockerfile"


class Instruction(NamedTuple):
    """One instruction: its word, and the rest of its lines as one."""

    word: str
    rest: str


def instructions(text: str) -> list[Instruction]:
    """Read a Dockerfile."""
    kept = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    joined = re.sub(r"\\\n\s*", "", kept)
    split = (line.split(maxsplit=1) for line in joined.splitlines() if line.strip())
    return [Instruction(word, rest) for word, rest in split]


def stages(steps: list[Instruction]) -> Iterator[list[Instruction]]:
    """Split instructions at each FROM."""
    starts = [index for index, step in enumerate(steps) if step.word == "FROM"]
    for start, end in zip(starts, [*starts[1:], len(steps)], strict=True):
        yield steps[start:end]


class Replay:
    """One build of one server's image below a root folder."""

    def __init__(self, root: Path, server: str) -> None:
        self.root = root
        self.server = server
        self.work = root
        self.steps = instructions(DOCKERFILE.read_text(encoding="utf-8"))

    def build(self) -> None:
        """Take all steps of all stages."""
        for number, stage in enumerate(stages(self.steps)):
            run([sys.executable, "-m", "venv", "--clear", self.root / "usr"])
            self.work = self.root
            for step in stage:
                self._take(step)
            if number == 0:
                shutil.rmtree(self.root / "source")

    @property
    def entry_point(self) -> list[str]:
        """The command that the image starts, in exec form."""
        (last,) = (step.rest for step in self.steps if step.word == "ENTRYPOINT")
        return [self._below_root(part) for part in json.loads(last)]

    @property
    def user(self) -> str:
        """The user that the image runs as."""
        (last,) = (step.rest for step in self.steps if step.word == "USER")
        return last.partition(":")[0]

    @property
    def env(self) -> dict[str, str]:
        """The environment of the image."""
        (last,) = (step.rest for step in self.steps if step.word == "ENV")
        return dict(pair.split("=", 1) for pair in last.split())

    def _take(self, step: Instruction) -> None:
        if step.word == "WORKDIR":
            self.work = Path(self._below_root(step.rest))
            self.work.mkdir()
        elif step.word == "COPY":
            self._copy(step.rest.split())
        elif step.word == "RUN":
            self._run(step.rest)

    def _copy(self, parts: list[str]) -> None:
        if parts[0] == "--from=build":
            return  # a virtual environment stays where it was made
        source, target = parts
        admitted = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        assert f"!{source}" in admitted, f"{source} does not reach the engine"
        ignore = shutil.ignore_patterns("__pycache__")
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, self.work / target, ignore=ignore)
        else:
            shutil.copy(ROOT / source, self.work / target)

    def _run(self, rest: str) -> None:
        programs = self.root / "usr" / "bin"
        env = {"SERVER": self.server, "PATH": f"{programs}:/usr/bin:/bin"}
        if rest.startswith("["):
            program, *arguments = json.loads(rest)
            run([programs / program, *arguments], cwd=self.work, env=env)
        else:
            run(["/bin/sh", "-c", self._below_root(rest)], cwd=self.work, env=env)

    def _below_root(self, text: str) -> str:
        return re.sub(r"(?<![\w.])/(?=(?:app|source)\b)", f"{self.root}/", text)
