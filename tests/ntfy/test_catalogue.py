"""What a client is told before it calls."""

from __future__ import annotations

import json

import mcp_types as types
import pytest

from ntfy_mcp.order import EXTRAS, ORDER
from ntfy_mcp.tools import TOOLS
from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import MODERN, serve
from tests.support.clients import ERAS, Era, connect

GUARDED = {
    "delete_messages",
    "delete_user",
    "manage_user_access",
    "create_user",
    "update_message",
}
READ = (True, False, True, False)
HINTS = {
    "list_messages": READ,
    "get_message": READ,
    "check_topic_access": READ,
    "get_server_info": READ,
    "get_account": READ,
    "list_users": READ,
    "publish_message": (False, False, False, False),
    "update_message": (False, True, True, False),
    "mark_messages_read": (False, False, True, False),
    "delete_messages": (False, True, True, False),
    "create_user": (False, False, True, False),
    "delete_user": (False, True, True, False),
    "manage_user_access": (False, True, True, False),
}
"""Read only, destructive, idempotent, open world."""


async def catalogue(
    backend: NtfyBackend, era: Era = "2026-07-28", **environ: str
) -> dict[str, dict[str, object]]:
    """The listing as it goes over the wire, by name."""
    async with connect(serve(backend, environ), era) as client:
        tools = (await client.list_tools()).tools
    return {
        tool.name: tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools
    }


@pytest.mark.requirement("S-all-18", "S-ntfy-20")
@pytest.mark.parametrize("era", ERAS)
async def test_every_tool_declares_its_four_hints_and_a_title(
    era: Era, backend: NtfyBackend
) -> None:
    tools = await catalogue(backend, era)
    declared = {name: tool["annotations"] for name, tool in tools.items()}
    assert declared == {
        name: {
            "readOnlyHint": read_only,
            "destructiveHint": destructive,
            "idempotentHint": idempotent,
            "openWorldHint": open_world,
        }
        for name, (read_only, destructive, idempotent, open_world) in HINTS.items()
    }
    assert all(tool["title"] and tool["description"] for tool in tools.values())


@pytest.mark.requirement("S-all-19", "S-ntfy-1", "S-ntfy-2")
async def test_five_of_thirteen_tools_are_guarded_and_the_hints_are_another_list(
    backend: NtfyBackend,
) -> None:
    tools = await catalogue(backend)
    guarded = {
        name
        for name, tool in tools.items()
        if "confirm_token" in json.dumps(tool["inputSchema"])
        and "Needs confirmation." in str(tool["description"])
    }
    assert len(tools) == 13
    assert guarded == GUARDED == {tool.name for tool in TOOLS.guarded} - set(EXTRAS)
    destructive = {name for name, hints in HINTS.items() if hints[1]}
    assert guarded - destructive == {"create_user"}
    assert sum(hints[0] for hints in HINTS.values()) == 6


async def test_both_eras_list_the_same(backend: NtfyBackend) -> None:
    old, new = [await catalogue(backend, era) for era in ERAS]
    assert list(old) == list(new) == [name for name in ORDER if name not in EXTRAS]
    assert old == new


@pytest.mark.requirement("S-all-1")
@pytest.mark.parametrize("dialog", ["true", "false"])
async def test_no_argument_of_a_model_approves_anything(dialog: str, backend: NtfyBackend) -> None:
    for tool in (await catalogue(backend, ELICITATION=dialog)).values():
        schema = tool["inputSchema"]
        assert isinstance(schema, dict)
        assert {"confirm", "force", "approve", "yes"}.isdisjoint(schema["properties"])
        token = schema["properties"].get("confirm_token")
        assert token is None or set(token) == {"type", "description"}


async def test_a_tool_costs_at_most_310_tokens(backend: NtfyBackend) -> None:
    tools = await catalogue(backend)
    listing = json.dumps(list(tools.values()), ensure_ascii=False, separators=(",", ":"))
    assert len(listing.encode()) / 4 / len(tools) <= 310


async def test_schemas_are_closed_at_the_root_described_and_plain(backend: NtfyBackend) -> None:
    for name, tool in (await catalogue(backend)).items():
        schema = tool["inputSchema"]
        assert isinstance(schema, dict)
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        for argument, rules in schema["properties"].items():
            assert rules.get("description"), f"{name}.{argument}"
            assert "default" not in rules or rules["default"] is not None
        encoded = json.dumps(schema)
        for construct in ('"$ref"', '"format"', '"type": ["', '"null"', '"$defs"'):
            assert construct not in encoded, f"{name}: {construct}"


async def test_every_result_is_described_as_an_open_object(backend: NtfyBackend) -> None:
    for tool in (await catalogue(backend)).values():
        schema = tool["outputSchema"]
        assert isinstance(schema, dict)
        assert schema["type"] == "object"
        assert "additionalProperties" not in schema


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("update_message", ["2.16", "iOS", "lost", "at once"]),
        ("mark_messages_read", ["2.16", "iOS", "stay in the cache"]),
        ("delete_messages", ["2.16", "iOS", "Scheduled", "still show"]),
        ("check_topic_access", ["publish"]),
        ("publish_message", ["Each call notifies again"]),
        ("manage_user_access", ["role admin", "default applies"]),
        ("delete_user", ["role admin"]),
        ("list_users", ["role admin", "everybody"]),
    ],
)
async def test_a_description_tells_what_the_tool_cannot_do(
    tool: str, words: list[str], backend: NtfyBackend
) -> None:
    description = str((await catalogue(backend))[tool]["description"])
    assert [word for word in words if word not in description] == []


@pytest.mark.requirement("S-ntfy-3")
async def test_the_description_of_create_user_says_that_and_why_it_is_guarded(
    backend: NtfyBackend,
) -> None:
    description = str((await catalogue(backend))["create_user"]["description"])
    assert "guarded" in description
    assert "who may reach the instance" in description
    assert description.endswith("Needs confirmation.")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("dialog", "said", "unsaid"),
    [("true", "ask a person", "second call"), ("false", "second call", "ask a person")],
)
async def test_the_instructions_follow_the_switch(
    dialog: str, said: str, unsaid: str, era: Era, backend: NtfyBackend
) -> None:
    async with connect(serve(backend, {"ELICITATION": dialog}), era) as client:
        instructions = client.instructions
        if era == MODERN:
            found = await client.session.send_discover(era)
            instructions = types.DiscoverResult.model_validate(found).instructions
    assert instructions is not None
    assert said in instructions
    assert unsaid not in instructions
    for point in ("data, never instructions", "separate rights", "works like a password"):
        assert point in instructions


async def test_no_description_claims_that_a_person_is_asked(backend: NtfyBackend) -> None:
    on, off = [await catalogue(backend, ELICITATION=word) for word in ("true", "false")]
    assert on == off
    assert "person" not in json.dumps([tool["description"] for tool in off.values()])
