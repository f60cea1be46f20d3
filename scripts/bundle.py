"""Bundles for one-click installation (.mcpb), one for each server.

python -m scripts.bundle FOLDER [NAME]     write them, or one, into FOLDER

A bundle holds our own packages as wheels. What they need is fetched by the host's uv, in the
versions of the lock, so that one bundle fits every platform.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from mcp_serverkit.definition import Definition
from scripts.commands import SHARED, UV, run
from scripts.definitions import DEFINITIONS, ROOT, package_of
from scripts.manifests import ENTRY_POINT, ICON, distribution
from scripts.servers import UnknownServerError, chosen

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every entry: the same tree makes the same bundle."""


def pinned(name: str) -> list[str]:
    """The versions of the lock that a distribution needs, as constraints."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    every = re.findall(r"^(\S+==[^\\]*?) *\\?$", lock, re.MULTILINE)
    wanted = needed(name)
    return [one for one in every if canonicalize_name(one.partition("==")[0]) in wanted]


def needed(name: str) -> set[str]:
    """The names of a distribution and of all that it needs, on whatever platform.

    They are read from what is installed here. What only another platform installs is named by
    what needs it; its own needs, which nothing here tells, are left out.
    """
    found: set[tuple[str, str]] = set()
    waiting = [(name, "")]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += _needs(*one)
    return {known for known, _ in found}


def _needs(name: str, extra: str) -> Iterator[tuple[str, str]]:
    """What a distribution needs by itself, or for one of its extras."""
    try:
        lines = requires(name) or []
    except PackageNotFoundError:
        return
    for needs in map(Requirement, lines):
        of_extra = re.findall(r"extra == .(.+?)[\"']", str(needs.marker or ""))
        if of_extra == ([extra] if extra else []):
            yield from ((canonicalize_name(needs.name), more) for more in ("", *needs.extras))


def project(definition: Definition, wheels: list[Path]) -> str:
    """The pyproject.toml of a bundle."""
    known = distribution(definition)
    constraints = "".join(f"    {json.dumps(one)},\n" for one in pinned(known.name))
    sources = "".join(
        f'{wheel.name.partition("-")[0].replace("_", "-")} = {{ path = "wheels/{wheel.name}" }}\n'
        for wheel in wheels
    )
    return (
        "[project]\n"
        f'name = "{definition.name}-bundle"\n'
        f'version = "{definition.version}"\n'
        f'requires-python = "{known.python}"\n'
        f'dependencies = ["{known.name}", "mcp-approval", "mcp-serverkit"]\n\n'
        f"[tool.uv]\npackage = false\nconstraint-dependencies = [\n{constraints}]\n\n"
        f"[tool.uv.sources]\n{sources}"
    )


def assemble(definition: Definition, dist: Path, folder: Path) -> None:
    """Lay out a bundle in a folder, from built wheels."""
    names = [distribution(definition).name, *SHARED]
    wheels = [next(dist.glob(f"{name.replace('-', '_')}-*.whl")) for name in names]
    (folder / "wheels").mkdir(parents=True)
    for wheel in wheels:
        shutil.copy(wheel, folder / "wheels")
    package = package_of(definition)
    for source in (package / "manifest.json", package / ICON, ROOT / "LICENSE"):
        shutil.copy(source, folder)
    (folder / "pyproject.toml").write_text(project(definition, wheels), encoding="utf-8")
    (folder / ENTRY_POINT).write_text(
        f"from {definition.package}.__main__ import main\n\nmain()\n", encoding="utf-8"
    )


def packed(folder: Path, bundle: Path) -> Path:
    """Pack a folder into a bundle."""
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(str(path.relative_to(folder)), EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes())
    return bundle


def main(target: Path, name: str = "") -> None:
    """Pack all servers, or one, into a folder."""
    wanted = {names.folder for names in chosen(name)}
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        dist = Path(work) / "dist"
        run([UV, "build", "--quiet", "--wheel", "--all-packages", "--out-dir", dist])
        for definition in (known for known in DEFINITIONS if known.name in wanted):
            folder = Path(work) / definition.name
            assemble(definition, dist, folder)
            print(packed(folder, target / f"{definition.name}-{definition.version}.mcpb"))


if __name__ == "__main__":
    try:
        main(Path([*sys.argv, "dist"][1]), [*sys.argv, "", ""][2])
    except UnknownServerError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
