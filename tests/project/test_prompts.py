"""The prompts of the four servers."""

from __future__ import annotations

import re

import pytest

from mcp_serverkit.definition import Definition
from mcp_serverkit.prompts import Prompt
from mcp_serverkit.runtime.catalogue_writer import default_values
from scripts.definitions import DEFINITIONS, package_of
from scripts.tables import filled

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)

PROMPTS = {
    "ntfy-mcp": ("catch_up", ["topics", "since"]),
    "smtp-mcp": ("draft_mail", ["to", "purpose"]),
    "hetzner-dns-mcp": ("plan_dns_change", ["zone", "change"]),
    "woodpecker-ci-mcp": ("explain_failure", ["repo", "number"]),
}

OF_ASKING = r"\b(asked|asks|person|people|dialogs?|confirm\w*|approval|permission|token)\b"
"""Words for what depends on settings: whether somebody is asked, and how."""


def only(definition: Definition) -> Prompt:
    (prompt,) = definition.prompts()
    return prompt


@pytest.mark.requirement("F-24")
@by_name
def test_each_server_has_one_prompt_with_something_to_say(definition: Definition) -> None:
    prompt = only(definition)
    arguments = [argument.name for argument in prompt.arguments]
    assert (prompt.name, arguments) == PROMPTS[definition.name]


@pytest.mark.requirement("F-24")
@by_name
@pytest.mark.parametrize("preset", ["", "essential"])
@pytest.mark.parametrize("read_only", [False, True])
def test_it_is_offered_by_default_and_needs_tools_that_read(
    definition: Definition, preset: str, read_only: bool
) -> None:
    chosen = {"allow_tools": (preset,) if preset else (), "read_only": read_only}
    values = {**default_values(definition), **chosen}
    prompt = only(definition)
    assert definition.offered_prompts(definition.offered(values)) == [prompt]
    early = definition.answers(values)
    assert early is not None
    assert early.prompt(prompt.name, modern=False) is not None
    registry = definition.registry()
    assert all(registry[name].annotations.read_only for name in prompt.tools)


@pytest.mark.requirement("F-24")
@by_name
def test_a_readme_has_a_place_for_prompts_while_there_are_any(definition: Definition) -> None:
    readme = (package_of(definition) / "README.md").read_text(encoding="utf-8")
    assert f"| `{only(definition).name}` |" in filled(readme, definition)
    with pytest.raises(AssertionError, match="1 places for prompts"):
        filled(readme, definition._replace(prompts=lambda: ()))


@pytest.mark.requirement("F-24")
@by_name
def test_it_names_the_tools_that_it_uses_and_no_other(definition: Definition) -> None:
    prompt = only(definition)
    tools = {tool.name for tool in definition.registry()}
    assert tools & set(re.findall(r"\w+", prompt.text)) == set(prompt.tools)


@pytest.mark.requirement("F-24")
@by_name
def test_it_says_nothing_about_asking_and_leaves_acting_to_its_user(definition: Definition) -> None:
    prompt = only(definition)
    for text in (prompt.title, prompt.description, prompt.text):
        assert re.findall(OF_ASKING, text.lower()) == []
    assert re.search(
        r"\b(nothing until I tell you to|change nothing|approve nothing)\.", prompt.text
    )
    assert "\n" not in prompt.text
