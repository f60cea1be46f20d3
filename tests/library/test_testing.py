"""What an author's own tests are given: the tools without a guard, and answers by script."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from importlib import import_module
from typing import Any, cast

import mcp_types as types
import pytest

from mcp_approval import Detail, Question, requires_approval
from mcp_approval.approver import Approver
from mcp_approval.testing import Reply, scripted, unguarded
from scripts import library_readme
from tests.library.servers import (
    FASTMCP,
    FRAMEWORKS,
    SDK,
    context_type,
    example_text,
    load,
    make_server,
    make_stand,
)
from tests.library.test_guard import PLAIN, unasked
from tests.library.test_surface import loaded_by
from tests.support.clients import ERAS, Era, call, connect, text


@pytest.mark.requirement("L-8")
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_the_tools_without_a_guard_are_named(framework: str) -> None:
    stand = make_stand(framework)
    guard = requires_approval(stand.approver, lambda: PLAIN)

    async def guarded(value: str) -> str:
        return value

    def renamed(value: str) -> str:
        return value

    async def seeing(value, seen):  # type: ignore[no-untyped-def]
        return value

    seeing.__annotations__ = {"value": str, "seen": context_type(framework), "return": str}

    async def bare(value: str) -> str:
        return value

    stand.server.tool()(guard(guarded))
    stand.server.tool(name="other")(guard(renamed))
    stand.server.tool()(guard(seeing))
    assert await unguarded(stand.server) == []
    stand.server.tool()(bare)
    assert await unguarded(stand.server) == ["bare"]


@pytest.mark.requirement("L-8")
async def test_a_tool_that_was_registered_in_another_way_is_found() -> None:
    fastmcp = import_module("fastmcp.tools")
    stand = make_stand(FASTMCP)

    async def act(value: str) -> str:
        return value

    requires_approval(stand.approver, lambda: PLAIN)(act)
    cast("Any", stand.server).add_tool(fastmcp.Tool.from_function(act))
    plain = make_stand(SDK)
    requires_approval(plain.approver, lambda: PLAIN)(act)
    cast("Any", plain.server).add_tool(act)
    assert await unguarded(stand.server) == await unguarded(plain.server) == ["act"]


async def test_a_tool_of_another_server_is_no_tool_of_ours() -> None:
    stand, other = make_stand(FASTMCP), make_server(FASTMCP, "other")

    @other.tool()
    async def act(value: str) -> str:
        return value

    cast("Any", stand.server).mount(other)
    assert await unguarded(stand.server) == ["act"]
    with pytest.raises(TypeError, match="neither an MCPServer nor a FastMCP"):
        await unguarded(cast("Any", object()))


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("yes", "deleted main"),
        ("no", "Not approved: "),
        ("silent", "Not approved: the client answered nothing in time."),
    ],
)
async def test_a_guarded_tool_can_be_called_like_a_function(
    framework: str, reply: Reply, said: str
) -> None:
    shop = load(example_text(framework))
    with scripted(shop.approver, reply) as shown:
        result = await shop.delete_branch("main")
    told = text(result) if isinstance(result, types.CallToolResult) else str(result)
    assert told.startswith(said)
    assert [message.count("Branch: main") for message in shown] == [1]
    with pytest.raises(RuntimeError, match="can be called by a client only"):
        await shop.delete_branch("main")


@pytest.mark.requirement("L-8")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_client_is_not_asked_while_answers_are_scripted(framework: str, era: Era) -> None:
    stand = make_stand(framework, ELICITATION="false")

    def asked(value: str) -> Question:
        return Question("do it", "It is done.", (Detail("Value", value),))

    @stand.server.tool()
    @requires_approval(stand.approver, asked)
    async def act(value: str) -> str:
        stand.acts.append(value)
        return "done"

    for reply, acts in (("no", []), ("yes", ["x"])):
        with scripted(stand.approver, cast("Reply", reply)) as shown:
            async with connect(stand.wire, era, unasked) as client:
                await call(client, "act", {"value": "x"})
        assert (len(shown), stand.acts) == (1, acts)
    async with connect(stand.wire, era) as client:
        assert "confirm_token" in text(await call(client, "act", {"value": "x"}))


async def test_nobody_outside_is_asked_while_answers_are_scripted() -> None:
    stand = make_stand(SDK, APPROVAL_REACH="window", APPROVAL_REACH_WHEN="instead")

    @stand.server.tool()
    @requires_approval(stand.approver, lambda: PLAIN)
    async def act(value: str) -> str:
        return value

    with scripted(stand.approver, "yes") as shown:
        assert await act("x") == "x"
    assert len(shown) == 1
    assert stand.approver.asks_outside


async def test_what_changes_while_somebody_reads_is_asked_again() -> None:
    stand, count = make_stand(SDK), iter((1, 2, 2, 2))

    @stand.server.tool()
    @requires_approval(stand.approver, lambda: Question(f"throw {next(count)} away", "Gone."))
    async def act(value: str) -> str:
        return value

    with scripted(stand.approver, "yes") as shown:
        assert await act("x") == "x"
    assert ["throw 1 away" in shown[0], "throw 2 away" in shown[1]] == [True, True]


@pytest.mark.requirement("L-8")
async def test_the_test_of_the_readme_passes_and_fails_with_what_it_tests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = library_readme.EXAMPLE_TEST.read_text(encoding="utf-8")
    body = written[written.index("async def") :].splitlines()
    assert len(body) <= 6
    for text_of_shop, passes in (
        (example_text(SDK), True),
        (example_text(SDK).replace("@requires_approval(approver, removal)\n", ""), False),
        (example_text(SDK).replace('"Branch"', '"Tree"'), False),
    ):
        monkeypatch.setitem(sys.modules, "shop", load(text_of_shop))
        tested = load(written).test_a_branch_is_deleted_after_a_yes
        with nullcontext() if passes else pytest.raises(AssertionError):
            await tested()


def test_an_approver_of_another_kind_is_none() -> None:
    with (
        pytest.raises(TypeError, match="comes from approver_for"),
        scripted(Approver("shop"), "yes"),
    ):
        raise AssertionError("it was taken")


def test_nothing_else_imports_it() -> None:
    names = "import mcp_approval; [getattr(mcp_approval, name) for name in mcp_approval.__all__]"
    loaded = loaded_by(names)
    assert "mcp_approval.decorator" in loaded
    assert "mcp_approval.testing" not in loaded
    assert "unittest.mock" not in loaded
