"""What is refused while an author's module is imported."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import fastmcp
import pytest

from mcp_approval import Question, approver_for, requires_approval
from mcp_approval.approver import Approver
from tests.library.servers import FASTMCP, FRAMEWORKS, SDK, make_server, make_stand
from tests.support.clients import connect

PLAIN = Question("do it", "It is done.")


async def act(value: str) -> str:
    return value


async def with_token(value: str, confirm_token: str = "") -> str:
    return value


async def with_rest(*values: str) -> str:
    return str(values)


async def with_names(**values: str) -> str:
    return str(values)


async def yielding(value: str) -> AsyncIterator[str]:
    yield value


def rest(*values: str) -> Question:
    return PLAIN


def names(**values: str) -> Question:
    return PLAIN


def mistyped(vlaue: str = "") -> Question:
    return PLAIN


@pytest.mark.requirement("L-4")
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    ("tool", "question", "words"),
    [
        (act, None, "a function that asks"),
        (act, PLAIN, "a function that asks"),
        (act, mistyped, "the question of act wants vlaue"),
        (act, rest, "its parameter values"),
        (act, names, "its parameter values"),
        (with_token, lambda: PLAIN, "a parameter confirm_token"),
        (with_rest, lambda: PLAIN, "the parameter values"),
        (with_names, lambda: PLAIN, "the parameter values"),
        (yielding, lambda: PLAIN, "yields its result"),
        (object(), lambda: PLAIN, "is no function"),
    ],
)
def test_a_mistake_does_not_wait_for_a_person(
    framework: str, tool: object, question: object, words: str
) -> None:
    stand = make_stand(framework)
    with pytest.raises(TypeError, match=words):
        requires_approval(stand.approver, cast("Any", question))(cast("Any", tool))


@pytest.mark.requirement("L-4")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_question_is_needed(framework: str) -> None:
    with pytest.raises(TypeError):
        cast("Any", requires_approval)(make_stand(framework).approver)


@pytest.mark.requirement("L-4")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_twice_is_once_too_often(framework: str) -> None:
    guard = requires_approval(make_stand(framework).approver, lambda: PLAIN)
    with pytest.raises(TypeError, match="asks for an approval already"):
        guard(guard(act))


@pytest.mark.requirement("L-4")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_wrong_order_is_told_with_the_right_one(framework: str) -> None:
    stand = make_stand(framework)
    guard = requires_approval(stand.approver, lambda: PLAIN)

    async def tool(value: str) -> str:
        return value

    with pytest.raises(TypeError, match=r"put @requires_approval below @server\.tool\(\)"):
        guard(stand.server.tool()(tool))


def test_an_approver_of_another_kind_is_no_approver() -> None:
    for other in (Approver("shop"), act, None):
        with pytest.raises(TypeError, match="comes from approver_for"):
            requires_approval(cast("Any", other), lambda: PLAIN)


@pytest.mark.requirement("L-2")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_server_has_one_approver(framework: str) -> None:
    server = make_server(framework)
    approver_for(server, environ={})
    with pytest.raises(ValueError, match="shop has an approver already"):
        approver_for(server, environ={})


@pytest.mark.requirement("L-2")
@pytest.mark.parametrize("other", [object(), None, "shop"])
def test_another_object_is_told_what_is_known(other: object) -> None:
    with pytest.raises(TypeError, match="neither an MCPServer nor a FastMCP"):
        approver_for(cast("Any", other), environ={})


@pytest.mark.requirement("L-10")
def test_another_version_of_fastmcp_is_told_which_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = make_server(FASTMCP)
    monkeypatch.setattr(fastmcp, "__version__", "5.0.0")
    with pytest.raises(TypeError, match=r"FastMCP 5\.0\.0 is not known here; known is 4\.x"):
        approver_for(server, environ={})


def test_a_tool_that_asks_by_its_parameters_is_refused() -> None:
    from mcp.server.mcpserver import Resolve

    async def found() -> str:
        return "x"

    async def tool(value):  # type: ignore[no-untyped-def]
        return value

    from typing import Annotated

    tool.__annotations__ = {"value": Annotated[str, Resolve(found)], "return": str}
    guard: Callable[..., object] = requires_approval(make_stand(SDK).approver, lambda: PLAIN)
    with pytest.raises(TypeError, match="ask the client themselves"):
        guard(tool)


@pytest.mark.requirement("L-2")
@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"ELICITATION": "perhaps"}, "shop: ELICITATION: "),
        ({"APPROVAL_REACH": "pigeon"}, "shop: APPROVAL_REACH: "),
        ({"APPROVAL_REACH": "phone"}, "shop: APPROVAL_NTFY_URL: is needed to ask by phone"),
        ({"APPROVAL_REACH": "window", "ELICITATION": "false"}, "shop: ELICITATION: false asks"),
        ({"APPROVAL_REACHH": "window"}, "did you mean APPROVAL_REACH?"),
        ({"APPROVAL_RECORD": "relative/path"}, "shop: APPROVAL_RECORD: "),
    ],
)
def test_a_wrong_variable_ends_the_process(
    variables: dict[str, str], words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        approver_for(make_server(SDK), environ=variables)
    assert ended.value.code == 1
    said = capfd.readouterr()
    assert words in said.err
    assert said.err.count(words) == 1
    assert said.out == ""


@pytest.mark.requirement("L-2")
def test_secrets_leave_the_environment_and_warnings_are_told(
    capfd: pytest.CaptureFixture[str],
) -> None:
    variables = {"APPROVAL_NTFY_TOKEN": "tk_0123456789", "APPROVAL_WAIT_SECONDS": "5"}
    approver_for(make_server(SDK), environ=variables)
    assert "APPROVAL_NTFY_TOKEN" not in variables
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 2
    assert all(line.startswith("shop: warning: APPROVAL_") for line in said)


@pytest.mark.requirement("L-2")
def test_without_variables_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    approver_for(make_server(SDK), environ={})
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")


@pytest.mark.requirement("L-2")
def test_who_is_asked_outside_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    approver_for(make_server(SDK), environ={"APPROVAL_REACH": "window"})
    assert capfd.readouterr().err.startswith("shop: approvals in a window (a person), where ")


async def test_a_context_without_a_tool_call_is_no_client() -> None:
    from mcp.server.mcpserver import Context

    stand, refused = make_stand(SDK), list[str]()

    @stand.server.tool()
    @requires_approval(stand.approver, lambda: PLAIN)
    async def act(value: str) -> str:
        stand.acts.append(value)
        return value

    async def borrowed(context: object) -> str:
        with pytest.raises(RuntimeError, match="can be called by a client only") as told:
            await cast("Any", act)(value="x", context_of_approval=context)
        refused.append(str(told.value))
        return "said"

    async def prompt(ctx):  # type: ignore[no-untyped-def]
        return await borrowed(ctx)

    prompt.__annotations__ = {"ctx": Context, "return": str}
    cast("Any", stand.server).prompt()(prompt)
    async with connect(stand.wire, "2025-11-25") as client:
        await client.get_prompt("prompt")
    await borrowed(Context())
    assert len(refused) == 2
    assert stand.acts == []
