"""Write a version wherever one stands, and close "Unreleased" in the changelog.

python3 scripts/version.py 0.2.0

All packages carry one version. What is generated is written too, so `make generate` changes
nothing afterwards.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]

SHAPE = r"\d+\.\d+\.\d+"

PLACES = {
    "pyproject.toml": r'^version = "{}"',
    "shared/*/pyproject.toml": r'^version = "{}"|"mcp-[a-z]+=={}"',
    "packages/*/pyproject.toml": r'^version = "{}"|"mcp-[a-z]+=={}"',
    "packages/*/src/*/__init__.py": r'^__version__ = "{}"',
    "packages/*/src/*/catalogue.json": r'"version":"{}"',
    "packages/*/server.json": r'"version": "{}"',
    "packages/*/manifest.json": r'"version": "{}"',
    "docker/Dockerfile": r"^ARG VERSION={}$",
}
"""Where it stands, by files: the words around it."""

OPEN = "## Unreleased\n"


class UnfitError(ValueError):
    """This version cannot be written."""


def version_of(root: Path) -> str:
    """The version of a tree."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["project"]["version"])


def write(root: Path, version: str) -> list[Path]:
    """Write a version in all places of a tree, and return the files."""
    old = version_of(root)
    written = []
    for files, around in PLACES.items():
        pattern = re.compile(around.replace("{}", re.escape(old)), re.MULTILINE)
        for path in sorted(root.glob(files)):
            text = path.read_text(encoding="utf-8")
            changed, count = pattern.subn(lambda found: found[0].replace(old, version), text)
            if not count:
                raise UnfitError(f"{path.relative_to(root)} does not name version {old}")
            path.write_text(changed, encoding="utf-8")
            written.append(path)
    return written


def closed(changelog: str, version: str, day: date) -> str:
    """A changelog in which a version holds what was unreleased.

    Raises:
        UnfitError: It is no version, an old one, or there is nothing to release.
    """
    if not re.fullmatch(SHAPE, version):
        raise UnfitError("a version is three numbers, such as 0.2.0")
    known = re.findall(rf"^## ({SHAPE}) ", changelog, re.MULTILINE)
    if any(_numbers(version) <= _numbers(one) for one in known):
        raise UnfitError(f"{version} does not come after {known[0]}, which is released")
    before, opened, after = changelog.partition(OPEN)
    if not opened or not after.partition("\n## ")[0].strip():
        raise UnfitError("nothing stands under Unreleased in the changelog")
    return f"{before}{OPEN}\n## {version} ({day.isoformat()})\n{after}"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def main(arguments: Sequence[str]) -> int:
    """Do as the command line says."""
    if len(arguments) != 1:
        print("takes one version, such as 0.2.0", file=sys.stderr)
        return 2
    changelog = ROOT / "CHANGELOG.md"
    try:
        text = closed(changelog.read_text(encoding="utf-8"), arguments[0], datetime.now(UTC).date())
        written = write(ROOT, arguments[0])
    except UnfitError as error:
        print(error, file=sys.stderr)
        return 2
    changelog.write_text(text, encoding="utf-8")
    print(*(path.relative_to(ROOT) for path in [*written, changelog]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
