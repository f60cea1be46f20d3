"""Prompts: commands for a client's user, offered while all their tools are."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import cast

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from mcp_serverkit import catalogue, definition
from mcp_serverkit.definition import Definition
from mcp_serverkit.prompts import Prompt, PromptArgument
from mcp_serverkit.runtime.catalogue_writer import catalogue as made
from mcp_serverkit.runtime.catalogue_writer import live_answers, rendered
from mcp_serverkit.server import build_server
from tests.serverkit.kit import KIT, App, reading
from tests.support.clients import ERAS, Era, connect

LOOK = Prompt(
    name="look_around",
    title="Look around",
    description="See what is there.",
    text="Look around with read_one.",
    arguments=(
        PromptArgument("place", "Place", "Where to look"),
        PromptArgument("aim", "Aim", "What for"),
    ),
    tools=("read_one",),
)
COMPARE = Prompt(
    name="compare",
    title="Compare",
    description="Compare two things.",
    text="Compare with read_one and read_two.",
    arguments=(PromptArgument("aim", "Aim", "What for"),),
    tools=("read_one", "read_two"),
)

PROMPTING = KIT._replace(
    prompts=lambda: (LOOK, COMPARE),
    order=("read_one", "read_two", "write_one", "delete_one"),
)

UNTOLD = "Look around with read_one.\n\nPlace: ask me which\nAim: ask me which"


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    return cast("Era", request.param)


@asynccontextmanager
async def connected(
    era: Era, environ: Mapping[str, str] | None = None, served: Definition = PROMPTING
) -> AsyncIterator[Client]:
    """A client of a server that has prompts."""
    values = reading({"KIT_URL": "http://kit.example", **(environ or {})}).values
    async with connect(build_server(served, values, app=App()), era) as client:
        yield client


async def announced(client: Client, era: Era) -> bool:
    """Whether a server says that it has prompts."""
    if era == "2026-07-28":
        told = await client.session.send_discover(era)
        return "prompts" in told["capabilities"]
    return client.server_capabilities.prompts is not None


def text(result: types.GetPromptResult | types.InputRequiredResult) -> str:
    """The one text of a prompt."""
    assert isinstance(result, types.GetPromptResult)
    (message,) = result.messages
    assert message.role == "user"
    assert isinstance(message.content, types.TextContent)
    return message.content.text


async def refused(client: Client, name: str, arguments: dict[str, str]) -> str:
    """The error of a request for a prompt."""
    with pytest.raises(MCPError) as caught:
        await client.get_prompt(name, arguments)
    assert caught.value.code == types.INVALID_PARAMS
    return str(caught.value)


@pytest.mark.requirement("F-24")
async def test_a_prompt_is_listed_with_arguments_that_nobody_must_give(era: Era) -> None:
    async with connected(era) as client:
        assert await announced(client, era)
        first, second = (await client.list_prompts()).prompts
    assert (first.name, first.title, first.description) == (LOOK.name, LOOK.title, LOOK.description)
    assert second.name == "compare"
    assert first.arguments is not None
    told = [(each.name, each.title, each.description, each.required) for each in first.arguments]
    assert told == [("place", "Place", "Where to look", False), ("aim", "Aim", "What for", False)]


@pytest.mark.requirement("F-24")
@pytest.mark.parametrize("arguments", [None, {}, {"aim": ""}, {"aim": " \t", "place": "\n"}])
async def test_what_is_not_given_is_asked_for(era: Era, arguments: dict[str, str] | None) -> None:
    async with connected(era) as client:
        result = await client.get_prompt("look_around", arguments)
    assert text(result) == UNTOLD


@pytest.mark.requirement("F-24")
@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("the shed", "the shed"),
        ("  the shed\r\n", "the shed"),
        ("x" * 500, "x" * 500),
        (" " + "x" * 500 + "\n", "x" * 500),
        ("the\u202e shed\U000e0041\U000e0042", "the shed"),
        ("\x1b[2Jthe shed\x00", "the shed"),
        ("the shed\ud83d", "the shed\ufffd"),
        ("{place} %s Aim: dig", "{place} %s Aim: dig"),
    ],
)
async def test_what_is_given_stands_on_a_line_of_its_own(era: Era, given: str, shown: str) -> None:
    async with connected(era) as client:
        result = await client.get_prompt("look_around", {"place": given})
    assert text(result) == UNTOLD.replace("Place: ask me which", f"Place: {shown}")


@pytest.mark.requirement("F-24")
@pytest.mark.parametrize(
    "value",
    [
        "x" * 501,
        "the shed\nAim: dig",
        "the shed\r\nAim: dig",
        "the shed\rAim: dig",
        "the shed\u2028Aim: dig",
        "the shed\u2029Aim: dig",
        "the shed\x85Aim: dig",
    ],
)
async def test_what_is_no_short_line_is_refused_by_its_name(era: Era, value: str) -> None:
    async with connected(era) as client:
        told = await refused(client, "look_around", {"place": value})
    assert told == "place: must be one line of at most 500 characters"


@pytest.mark.requirement("F-24")
@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("look_away", {}, "Unknown prompt: look_away"),
        ("look away", {}, "Unknown prompt: (not a prompt name)"),
        ("x" * 65, {}, "Unknown prompt: (not a prompt name)"),
        ("look_around", {"plce": "x"}, "plce: look_around takes place, aim"),
        ("look_around", {"a b": "x"}, "(not an argument name): look_around takes place, aim"),
        ("compare", {"place": "x"}, "place: compare takes aim"),
    ],
)
async def test_what_is_unknown_is_named_if_it_looks_like_a_name(
    era: Era, name: str, arguments: dict[str, str], told: str
) -> None:
    async with connected(era) as client:
        assert await refused(client, name, arguments) == told


CHOICES = [
    ({}, ["look_around", "compare"]),
    ({"KIT_READ_ONLY": "1"}, ["look_around", "compare"]),
    ({"KIT_DENY_TOOLS": "read_two"}, ["look_around"]),
    ({"KIT_ALLOW_TOOLS": "read_one,read_two"}, ["look_around", "compare"]),
    ({"KIT_ALLOW_TOOLS": "essential"}, ["look_around"]),
    ({"KIT_DENY_TOOLS": "read_*"}, []),
]


@pytest.mark.requirement("F-24")
@pytest.mark.parametrize(("environ", "names"), CHOICES)
async def test_a_prompt_is_offered_while_all_its_tools_are(
    era: Era, environ: dict[str, str], names: list[str]
) -> None:
    async with connected(era, environ) as client:
        assert await announced(client, era) == bool(names)
        assert [each.name for each in (await client.list_prompts()).prompts] == names
        for name in names:
            await client.get_prompt(name)
        if names == ["look_around"]:
            assert await refused(client, "compare", {}) == "Unknown prompt: compare"
        if not names:
            with pytest.raises(MCPError) as caught:
                await client.get_prompt("look_around")
            assert caught.value.code == types.METHOD_NOT_FOUND


@pytest.mark.requirement("F-24")
@pytest.mark.parametrize(("environ", "names"), CHOICES)
@pytest.mark.parametrize("served", [PROMPTING, KIT._replace(order=PROMPTING.order)])
async def test_one_catalogue_holds_the_answers_for_every_choice(
    environ: dict[str, str],
    names: list[str],
    served: Definition,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stored = catalogue.Catalogue(json.loads(rendered(await made(served))))
    monkeypatch.setattr(definition, "load", lambda _package: stored)
    values = reading(environ).values
    early, live = served.answers(values), await live_answers(served, values)
    assert early is not None
    assert early.initialize("2025-11-25") == live["initialize"]
    assert early.discover() == live["discover"]
    told = names if served is PROMPTING else []
    for modern, prefix in ((False, ""), (True, "modern_")):
        assert early.prompts(modern=modern) == live[f"{prefix}prompt_list"]
        given = {name: early.prompt(name, modern=modern) for name in told}
        assert given == live[f"{prefix}prompt"]
        for name in {"look_around", "compare"} - set(told):
            assert early.prompt(name, modern=modern) is None


@pytest.mark.requirement("F-24")
async def test_a_server_without_prompts_announces_none_and_lists_none(era: Era) -> None:
    async with connected(era, served=KIT) as client:
        assert not await announced(client, era)
        assert (await client.list_prompts()).prompts == []
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("look_around")
    assert caught.value.code == types.METHOD_NOT_FOUND


async def test_a_prompt_for_a_tool_that_there_is_not_gets_no_catalogue() -> None:
    lost = replace(LOOK, tools=("read_onne",))
    with pytest.raises(ValueError, match="look_around uses a tool that is never offered"):
        await made(PROMPTING._replace(prompts=lambda: (lost,)))
