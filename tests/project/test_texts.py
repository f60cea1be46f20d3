"""What the texts for people say, against what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from demo.notifications import notified
from demo.picture import PHONE_PICTURE, PICTURE, drawn, drawn_on_a_phone
from demo.questions import MAIL, asked
from mcp_approval.environment import approval
from mcp_serverkit.definition import Definition
from scripts.definitions import DEFINITIONS, ROOT, package_of
from scripts.tables import filled

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)


@pytest.mark.requirement("F-26")
@by_name
def test_the_tables_of_a_readme_are_those_of_the_registry_and_the_settings(
    definition: Definition,
) -> None:
    readme = (package_of(definition) / "README.md").read_text(encoding="utf-8")
    assert filled(readme, definition) == readme, "run `make generate`"


@by_name
def test_the_root_readme_counts_a_servers_tools_rightly(definition: Definition) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    offered = [tool for tool in definition.registry() if tool.name not in definition.extras]
    row = next(line for line in readme.splitlines() if line.startswith(f"| [{definition.name}]"))
    assert f"| {len(offered)} |" in row
    assert f"| {sum(bool(tool.asks) for tool in offered)} |" in row


@by_name
@pytest.mark.requirement("S-all-17")
def test_elicitation_is_the_only_switch_that_is_on_by_default(definition: Definition) -> None:
    on = [variable.name for variable in definition.variables if variable.fallback is True]
    assert on == ["ELICITATION"]


@by_name
@pytest.mark.requirement("S-all-13")
def test_all_variables_but_those_on_approvals_carry_the_servers_prefix(
    definition: Definition,
) -> None:
    bare = [v.name for v in definition.variables if not v.name.startswith(f"{definition.prefix}_")]
    assert bare == ["ELICITATION", *(variable.name for variable in approval.VARIABLES)]
    assert all(name.startswith("APPROVAL_") for name in bare[1:])


@by_name
def test_version_and_summary_agree_with_the_packages_metadata(definition: Definition) -> None:
    metadata = (package_of(definition) / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{definition.version}"' in metadata
    assert f'{definition.name} = "' in metadata


def test_each_test_named_in_the_security_page_exists() -> None:
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    assert named
    for path, test in named:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"def {test}\(", source), f"{path}::{test}"


@pytest.mark.requirement("S-all-23", "S-ntfy-5", "S-hetzner-9")
@pytest.mark.parametrize(
    ("server", "words"),
    [
        ("ntfy-mcp", "mcp-hub"),
        ("smtp-mcp", "mcp-hub"),
        ("hetzner-dns-mcp", "mcp-hub"),
        ("woodpecker-ci-mcp", "mcp-hub"),
        ("ntfy-mcp", "an ntfy account that may touch just those topics"),
        ("hetzner-dns-mcp", "Certificate Transparency"),
    ],
)
def test_a_readme_gives_the_advice_that_no_tool_can_give(server: str, words: str) -> None:
    readme = (ROOT / "packages" / server / "README.md").read_text(encoding="utf-8")
    assert words.lower() in " ".join(readme.split()).lower()


@pytest.mark.requirement("F-3")
async def test_the_picture_in_the_readme_shows_a_real_question() -> None:
    assert PICTURE.read_text(encoding="utf-8") == drawn(await asked(MAIL)), "run `make generate`"


async def test_the_picture_of_a_phone_shows_a_real_notification() -> None:
    shown = drawn_on_a_phone(await notified(MAIL))
    assert PHONE_PICTURE.read_text(encoding="utf-8") == shown, "run `make generate`"


@pytest.mark.requirement("HO-4")
def test_the_words_that_the_contributors_page_explains_are_in_use() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    words = re.findall(r"^- \*\*([a-z -]+)\*\*: ", page, re.MULTILINE)
    assert len(words) == 15
    files = [*ROOT.glob("shared/*/src/**/*.py"), *ROOT.glob("packages/*/src/**/*.py")]
    files += [path for path in ROOT.glob("tests/**/*.py") if path != Path(__file__)]
    source = " ".join(path.read_text(encoding="utf-8") for path in files).lower()
    unused = [word for word in words if not re.search(rf"\b{word}s?\b", source)]
    assert unused == []
