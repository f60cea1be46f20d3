"""One place for the owner, one command for the version, and one page of steps."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest

from scripts import manifests, owned
from scripts.commands import SHARED
from scripts.definitions import DEFINITIONS
from scripts.release import RELEASE, ROOT, Release, lacking
from scripts.servers import SERVERS
from scripts.version import OPEN, UnfitError, closed, version_of

NOBODY = Release("io.github.example", "https://github.com/example/mcp-servers", "example")
SOMEBODY = Release("io.github.somebody", "https://github.com/somebody/asking", "somebody")
"""Two owners, besides the one that there is: all of this holds whoever that is."""

OWNERS_WORDS = re.compile(rf"{re.escape(RELEASE.namespace)}|{re.escape(RELEASE.repository)}")

FOLDERS = ("packages", "shared", "scripts", "docker", "demo", "bench", "tests", ".ci")


def tree() -> list[Path]:
    """The files of the repository; pictures, locks and what a run leaves behind aside."""
    inside = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    files = (path for path in [*ROOT.glob("*"), *inside] if path.is_file())
    left_out = {".png", ".svg", ".lock", ".pyc"}
    return [
        path
        for path in files
        if path.suffix not in left_out
        and not path.name.startswith(".coverage")
        and path != Path(__file__)
    ]


def written(release: Release) -> dict[Path, str]:
    """All that is written for an owner."""
    described = {
        manifests.path_of(definition, file): manifests.rendered(describe(definition, release))
        for definition in DEFINITIONS
        for file, describe in manifests.FILES.items()
    }
    return {**described, **dict(owned.files(release))}


@pytest.mark.requirement("F-13")
def test_what_follows_from_the_owner_is_written() -> None:
    for path, text in written(RELEASE).items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run `make generate`"


@pytest.mark.requirement("F-13")
def test_nothing_but_one_table_names_the_owner_by_hand() -> None:
    another = written(SOMEBODY)
    # README, pyproject.toml and, of a server, its two descriptions; one image, one index.
    assert len(another) == 4 * len(SERVERS) + 2 * len(SHARED) + 2
    named = [
        str(path.relative_to(ROOT))
        for path in tree()
        if OWNERS_WORDS.search(another.get(path) or path.read_text(encoding="utf-8"))
    ]
    assert named == ["pyproject.toml"]
    assert SOMEBODY.repository in another[ROOT / "docker" / "Dockerfile"]
    assert f'"{SOMEBODY.maintainer}"' in another[ROOT / "glama.json"]


@pytest.mark.requirement("F-13")
@pytest.mark.parametrize("folder", owned.folders())
def test_a_packages_links_arrive_wherever_its_readme_is_shown(folder: str) -> None:
    page = owned.readme((ROOT / folder / "README.md").read_text(encoding="utf-8"), NOBODY)
    links = re.findall(r"\]\(([^)#\s]*)[^)]*\)", page)
    assert all((ROOT / folder / link).exists() for link in links if "://" not in link)
    published = owned.readme(page, SOMEBODY)
    assert "](../" not in published
    assert owned.readme(published, NOBODY) == page
    away = [link for link in links if link.startswith("../")]
    assert published.count(f"]({SOMEBODY.repository}/blob/main/") == len(away)
    assert bool(away) == folder.startswith("packages/")


@pytest.mark.requirement("F-13")
@pytest.mark.parametrize("field", Release._fields)
def test_no_part_of_the_owner_may_stay_a_placeholder(field: str) -> None:
    assert SOMEBODY.owned
    assert not NOBODY.owned
    assert not SOMEBODY._replace(**{field: getattr(NOBODY, field)}).owned


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the tree, with something to release."""
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("packages", "shared", "scripts", "docker", "demo"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    for file in ("pyproject.toml", "CHANGELOG.md", "glama.json", "Makefile"):
        shutil.copy(ROOT / file, tmp_path)
    changelog = tmp_path / "CHANGELOG.md"
    text = changelog.read_text(encoding="utf-8")
    changelog.write_text(text.replace(OPEN, f"{OPEN}\n- new\n", 1), encoding="utf-8")
    return tmp_path


def python(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the Python of here over the code of a tree."""
    sources = [*tree.glob("*/*/src"), tree]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources))}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=tree, env=env, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.requirement("F-13")
def test_a_version_is_written_in_all_places_and_the_changelog_is_closed(copy: Path) -> None:
    before = version_of(copy)
    done = python(copy, "scripts/version.py", "7.8.9")
    assert (done.returncode, done.stderr) == (0, "")
    assert version_of(copy) == "7.8.9"
    pattern = re.compile(rf"(?<![\d.]){re.escape(before)}(?![\d.])")
    left = {
        path.relative_to(copy).as_posix()
        for path in copy.rglob("*")
        if path.suffix in {".py", ".toml", ".json", ".md", ""} and path.is_file()
        if pattern.search(path.read_text(encoding="utf-8"))
    }
    assert left <= OTHER_VERSIONS
    changelog = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(
        r"^## Unreleased\n\n## 7\.8\.9 \(\d{4}-\d\d-\d\d\)\n\n- new\n", changelog, re.M
    )
    checked = python(copy, "-c", AGREES)
    assert (checked.returncode, checked.stderr) == (0, "")


OTHER_VERSIONS = {
    "CHANGELOG.md",  # what was released stays
    "scripts/version.py",  # its example
    "scripts/library_readme.py",  # an example of a record, which says what wrote it
    "shared/mcp-approval/README.md",
}

AGREES = """
from scripts import manifests
from scripts.definitions import DEFINITIONS
for definition in DEFINITIONS:
    assert definition.version == "7.8.9"
    for file, describe in manifests.FILES.items():
        text = manifests.path_of(definition, file).read_text(encoding="utf-8")
        assert text == manifests.rendered(describe(definition, manifests.RELEASE)), file
"""


@pytest.mark.requirement("F-13")
@pytest.mark.parametrize(
    ("version", "changelog", "said"),
    [
        ("0.2", "## Unreleased\n\n- a\n", "three numbers"),
        ("0.2.0rc1", "## Unreleased\n\n- a\n", "three numbers"),
        ("0.2.0", "## Unreleased\n\n- a\n\n## 0.2.0 (2027-01-01)\n", "does not come after 0.2.0"),
        ("0.9.0", "## Unreleased\n\n- a\n\n## 0.10.0 (2027-01-01)\n", "does not come after 0.10.0"),
        ("0.2.0", "## Unreleased\n\n## 0.1.0 (2027-01-01)\n\n- a\n", "nothing stands under"),
        ("0.2.0", "# Changelog\n", "nothing stands under"),
    ],
)
def test_a_version_that_cannot_be_is_refused(version: str, changelog: str, said: str) -> None:
    with pytest.raises(UnfitError, match=re.escape(said)):
        closed(changelog, version, date(2027, 1, 2))


@pytest.mark.requirement("F-13")
def test_what_stood_under_unreleased_stands_under_the_version() -> None:
    text = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0 (2026-12-24)\n\n- old\n"
    assert closed(text, "0.2.0", date(2027, 1, 2)) == (
        "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2027-01-02)\n\n- new\n\n"
        "## 0.1.0 (2026-12-24)\n\n- old\n"
    )


def give(tree: Path, owner: Release) -> None:
    """Write an owner into a tree."""
    pyproject = tree / "pyproject.toml"
    text = pyproject.read_text(encoding="utf-8")
    for field, value in owner._asdict().items():
        text = re.sub(rf'^{field} = ".*"$', f'{field} = "{value}"', text, flags=re.MULTILINE)
    pyproject.write_text(text, encoding="utf-8")


@pytest.mark.requirement("F-14")
def test_nothing_is_packed_for_release_while_nobody_owns_it(copy: Path) -> None:
    give(copy, NOBODY)
    command = ["make", "-s", "package", "RELEASE=1", f"PYTHON={sys.executable}"]
    done = subprocess.run(
        command, cwd=copy, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "no release: the owner is `example`: set [tool.release]" in done.stderr
    assert not (copy / ".venv").exists()


@pytest.mark.requirement("F-14")
def test_an_owner_and_a_closed_changelog_are_all_that_a_release_lacks(copy: Path) -> None:
    give(copy, NOBODY)
    python(copy, "scripts/version.py", "7.8.9")
    (owner,) = lacking(copy)
    assert owner.startswith("the owner is `example`")
    give(copy, SOMEBODY)
    assert lacking(copy) == []
    changelog = copy / "CHANGELOG.md"
    text = changelog.read_text(encoding="utf-8")
    changelog.write_text(text.replace("## 7.8.9 ", "## 7.8.8 "), encoding="utf-8")
    (version,) = lacking(copy)
    assert version.startswith("the changelog does not know 7.8.9")


@pytest.mark.requirement("F-14")
def test_the_page_on_releasing_is_commands_that_there_are_in_their_order() -> None:
    page = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) < 120
    steps = page.split("\n## ")[1:]
    assert [step for step in steps if not re.search(r"^    \S", step, re.MULTILINE)] == []
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in re.findall(r"^ +make ([^#\n]+)", page, re.MULTILINE):
        targets = [word for word in line.split() if "=" not in word]
        assert all(f"\n{target}:" in makefile for target in targets)
    assert all((ROOT / script).is_file() for script in re.findall(r"scripts/\w+\.py", page))
    published = (
        "mcp_approval-",
        "mcp_serverkit-",
        "$server-",
        "buildx",
        "mcp-publisher pub",
        "gh rel",
    )
    places = [page.index(words, page.index("## 5.")) for words in published]
    assert places == sorted(places)
    assert "://" not in page


def pythons() -> list[str]:
    """The versions of Python that `.ci/run` tests on, the first with all tests."""
    return (ROOT / ".ci" / "pythons").read_text(encoding="utf-8").split()


@pytest.mark.requirement("F-15")
@pytest.mark.parametrize("folder", owned.folders())
def test_a_package_names_the_versions_that_are_tested(folder: str) -> None:
    text = (ROOT / folder / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    named = [
        classifier.rpartition(" :: ")[2]
        for classifier in project["classifiers"]
        if classifier.startswith("Programming Language :: Python :: 3.")
    ]
    assert named == pythons()
    assert project["requires-python"] == f">={pythons()[0]}"


@pytest.mark.requirement("F-15")
def test_the_readme_says_what_was_tested_and_how_to_choose() -> None:
    first, *others = pythons()
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"All tests run on Python {first}; on {' and '.join(others)} " in text
    assert f"`make install PYTHON=python{others[-1]}` chooses" in text
    pinned = (ROOT / ".python-version").read_text(encoding="utf-8").strip()
    assert pinned == first
