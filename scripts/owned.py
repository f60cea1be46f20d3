"""The lines that follow from who publishes this: addresses, names of registries, labels.

python -m scripts.owned     write them

The descriptions in JSON, which follow from it too, are written by `scripts.manifests`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from scripts.release import RELEASE, ROOT, Release
from scripts.servers import SERVERS

LINK = re.compile(r"(?<=\]\()(?:\.\./\.\./|https://[^)\s]+?/(?:blob|tree)/main/)([^)\s]+)(?=\))")
"""A link of a package's README that leaves its folder, as a path and as an address."""


def urls(pyproject: str, folder: str, release: Release) -> str:
    """A package's metadata with its addresses."""
    addresses = {
        "Homepage": release.repository,
        "Documentation": release.address(f"{folder}#readme"),
        "Source": release.address(folder),
        "Issues": f"{release.repository}/issues",
        "Changelog": release.address("CHANGELOG.md"),
        "Security": release.address("SECURITY.md"),
    }
    lines = "".join(f'{name} = "{address}"\n' for name, address in addresses.items())
    section = f"[project.urls] # written by make generate\n{lines}\n"
    text, count = re.subn(
        r"^\[project\.urls\].*?\n(?=\[)", section, pyproject, flags=re.MULTILINE | re.DOTALL
    )
    assert count == 1, f"{folder}: pyproject.toml has no place for addresses"
    return text


def readme(text: str, release: Release) -> str:
    """A package's README with the links that leave its folder, and its name in a registry.

    While nobody owns the repository they lead through the checkout, where all of them arrive.
    """

    def written(found: re.Match[str]) -> str:
        path = found[1]
        if not (ROOT / path.partition("#")[0]).exists():
            return found[0]
        return release.address(path) if release.owned else f"../../{path}"

    named = r"(?<=<!-- mcp-name: )\S+/(?=\S+ -->)"
    return re.sub(named, f"{release.namespace}/", LINK.sub(written, text))


def dockerfile(text: str, release: Release) -> str:
    """The Dockerfile with what its labels say."""
    labels = {
        "ARG SOURCE": release.repository,
        "io.modelcontextprotocol.server.name": f'"{release.namespace}/$SERVER"',
    }
    for name, value in labels.items():
        text, count = re.subn(rf"(?<={re.escape(name)}=)\S+", value, text)
        assert count == 1, f"the Dockerfile has no place for {name}"
    return text


def listing(release: Release) -> str:
    """The file for listings."""
    document = {
        "$schema": "https://glama.ai/mcp/schemas/server.json",
        "maintainers": [release.maintainer],
    }
    return json.dumps(document, indent=2) + "\n"


def folders() -> list[str]:
    """The folders of all six packages."""
    shared = (str(path.parent.relative_to(ROOT)) for path in ROOT.glob("shared/*/pyproject.toml"))
    return [*sorted(shared), *(f"packages/{server.folder}" for server in SERVERS)]


def files(release: Release) -> Iterator[tuple[Path, str]]:
    """Each file that names the owner, with its text for a release."""
    for folder in folders():
        pyproject, page = ROOT / folder / "pyproject.toml", ROOT / folder / "README.md"
        yield pyproject, urls(pyproject.read_text(encoding="utf-8"), folder, release)
        yield page, readme(page.read_text(encoding="utf-8"), release)
    image = ROOT / "docker" / "Dockerfile"
    yield image, dockerfile(image.read_text(encoding="utf-8"), release)
    yield ROOT / "glama.json", listing(release)


def main() -> None:
    """Write them, where they differ: the environment is as old as the packages' metadata."""
    for path, text in files(RELEASE):
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main()
