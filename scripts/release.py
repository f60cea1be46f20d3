"""Who publishes this, and where: `[tool.release]` of the root pyproject.toml.

python3 scripts/release.py     say what a release still lacks; code 1 if anything

It needs nothing but Python, so that `make package RELEASE=1` can ask it first.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

PLACEHOLDER = "example"
"""Stands for the owner until there is one; a domain of that name is nobody's."""


class Release(NamedTuple):
    """What stands there.

    Attributes:
        namespace: Where a registry puts the servers' names.
        repository: Address of the repository at GitHub, where the namespace is proved too.
        maintainer: Account that listings name.
    """

    namespace: str
    repository: str
    maintainer: str

    @property
    def owned(self) -> bool:
        """Whether all of it is somebody's."""
        return PLACEHOLDER not in re.split(r"[./]", "/".join(self))

    def address(self, path: str) -> str:
        """Where the repository shows a file or folder, which may end with `#` and a heading."""
        kind = "tree" if (ROOT / path.partition("#")[0]).is_dir() else "blob"
        return f"{self.repository}/{kind}/main/{path}"


def read(root: Path) -> Release:
    """Read it from a tree."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    return Release(**tomllib.loads(text)["tool"]["release"])


def lacking(root: Path) -> list[str]:
    """Name what keeps a tree from being released."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project["version"]
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    found = []
    if not read(root).owned:
        found.append(f"the owner is `{PLACEHOLDER}`: set [tool.release] in pyproject.toml")
    if f"\n## {version} " not in changelog:
        found.append(f"the changelog does not know {version}: run scripts/version.py {version}")
    return found


RELEASE = read(ROOT)


def main() -> int:
    """Say it."""
    found = lacking(ROOT)
    for line in found:
        print(f"no release: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
