"""What the guard asks, binds and lets through, for tools of every shape."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from importlib import import_module
from typing import Annotated, Any, cast

import mcp_types as types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.client.context import ClientRequestContext
from pydantic import BaseModel, Field, SecretStr

from mcp_approval import Ask, Detail, Question, Target, checked, requires_approval
from mcp_approval.decorator import is_guarded
from mcp_approval.reach import loading
from tests.approval.outside import Scripted
from tests.library.servers import (
    FASTMCP,
    FRAMEWORKS,
    SDK,
    Stand,
    as_caller,
    context_type,
    make_server,
    make_stand,
    wire_server,
)
from tests.support.clients import (
    ERAS,
    Arguments,
    Era,
    accept,
    call,
    connect,
    structured,
    text,
    token_in,
)

PLAIN = Question("do it", "It is done.")


async def yes(
    context: ClientRequestContext, params: types.ElicitRequestParams
) -> types.ElicitResult:
    return accept()


async def unasked(
    context: ClientRequestContext, params: types.ElicitRequestParams
) -> types.ElicitResult:
    raise AssertionError("nobody should be asked")


class Paint(BaseModel):
    """A model with two fields."""

    colour: str
    layers: int = 1


class Size(enum.Enum):
    """Two sizes."""

    SMALL = "small"
    LARGE = "large"


def plain_async(framework: str) -> Callable[..., object]:
    async def tool(name: str, count: int = 2) -> str:
        """Say a name."""
        return name * count

    return tool


def plain_sync(framework: str) -> Callable[..., object]:
    def tool(
        name: Annotated[str, Field(description="Whose name", max_length=40)],
    ) -> dict[str, int]:
        """Count."""
        return {name: 1}

    return tool


def with_model(framework: str) -> Callable[..., object]:
    async def tool(paint: Paint, size: Size = Size.SMALL) -> Paint:
        """Mix."""
        return paint

    return tool


def with_context(framework: str) -> Callable[..., object]:
    async def tool(name, whatever, count=1):  # type: ignore[no-untyped-def]
        """Needs a context."""
        assert type(whatever).__name__ == "Context"
        return name

    kind = context_type(framework)
    tool.__annotations__ = {"name": str, "whatever": kind, "count": int, "return": str}
    return tool


def with_nothing(framework: str) -> Callable[..., object]:
    async def tool() -> None:
        """Nothing in, nothing out."""

    return tool


def with_optional_context(framework: str) -> Callable[..., object]:
    async def tool(name, any_name=None):  # type: ignore[no-untyped-def]
        """Can use a context."""
        assert type(any_name).__name__ == "Context"
        return name

    kind = context_type(framework) | None
    tool.__annotations__ = {"name": str, "any_name": kind, "return": str}
    return tool


def with_written_context(framework: str) -> Callable[..., object]:
    globals()["WrittenContext"] = context_type(framework)

    async def tool(name, ctx):  # type: ignore[no-untyped-def]
        """Has its annotations as texts."""
        assert type(ctx).__name__ == "Context"
        return name

    tool.__annotations__ = {"name": "str", "ctx": "WrittenContext", "return": "str"}
    return tool


SHAPES = (
    with_optional_context,
    with_written_context,
    plain_async,
    plain_sync,
    with_model,
    with_context,
    with_nothing,
)
ARGUMENTS: dict[object, Arguments] = {
    plain_async: {"name": "ab"},
    plain_sync: {"name": "ab"},
    with_model: {"paint": {"colour": "red"}},
    with_context: {"name": "ab"},
    with_optional_context: {"name": "ab"},
    with_written_context: {"name": "ab"},
    with_nothing: {},
}


async def listed_tool(server: object) -> dict[str, Any]:
    async with connect(wire_server(server), "2026-07-28") as client:
        (tool,) = (await client.list_tools()).tools
    return tool.model_dump(by_alias=True, mode="json")


@pytest.mark.requirement("L-3")
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_client_sees_one_argument_more_and_nothing_else(
    framework: str, shape: Callable[[str], Callable[..., object]]
) -> None:
    bare, stand = make_server(framework), make_stand(framework)
    hints = types.ToolAnnotations(destructive_hint=True)
    bare.tool(title="A tool", annotations=hints)(shape(framework))
    guard = requires_approval(stand.approver, lambda: PLAIN)
    stand.server.tool(title="A tool", annotations=hints)(guard(shape(framework)))
    before, after = await listed_tool(bare), await listed_tool(stand.server)
    token = after["inputSchema"]["properties"].pop("confirm_token")
    before["inputSchema"].setdefault("properties", {})
    assert before == after
    token.pop("title", None)
    assert token == {
        "type": "string",
        "default": "",
        "description": "Only when an answer told you to send it.",
    }


@pytest.mark.requirement("L-3")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_yes_gives_what_the_bare_tool_gives(
    framework: str, shape: Callable[[str], Callable[..., object]], era: Era
) -> None:
    bare, stand = make_server(framework), make_stand(framework)
    bare.tool()(shape(framework))
    stand.server.tool()(requires_approval(stand.approver, lambda: PLAIN)(shape(framework)))
    results = []
    for server in (bare, stand.server):
        async with connect(wire_server(server), era, yes) as client:
            results.append(await call(client, "tool", ARGUMENTS[shape]))
    assert results[0].is_error is not True
    assert results[0].structured_content == results[1].structured_content
    assert text(results[0]) == text(results[1])


def register(stand: Stand, asked: Callable[..., object]) -> None:
    """A tool of one argument of any kind, which notes what it was given."""

    @stand.server.tool()
    @requires_approval(stand.approver, cast("Callable[..., Question]", asked))
    async def act(value: Any) -> str:
        stand.acts.append(value)
        return "done"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "1", "true", "null"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)


def same(one: object, other: object) -> bool:
    """Whether two JSON values are the same one; 1 and true are two."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


@pytest.mark.requirement("L-3")
@pytest.mark.parametrize("framework", FRAMEWORKS)
@settings(max_examples=40)
@given(approved=JSON, other=JSON)
async def test_a_token_of_one_call_runs_no_other(
    framework: str, approved: object, other: object
) -> None:
    stand = make_stand(framework)
    register(stand, lambda: PLAIN)
    async with connect(stand.wire, "2025-11-25") as client:
        token = token_in(await call(client, "act", {"value": approved}))
        await call(client, "act", {"value": other, "confirm_token": token})
    assert stand.acts == ([other] if same(approved, other) else [])


@pytest.mark.requirement("L-3")
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_one_as_number_as_text_and_as_truth_are_three_calls(framework: str) -> None:
    stand = make_stand(framework)
    register(stand, lambda: PLAIN)
    async with connect(stand.wire, "2025-11-25") as client:
        for asked in (1, "1", True):
            token = token_in(await call(client, "act", {"value": asked}))
            for tried in (1, "1", True):
                if type(tried) is not type(asked):
                    await call(client, "act", {"value": tried, "confirm_token": token})
    assert stand.acts == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_what_a_model_hides_is_bound_and_the_order_of_its_fields_is_not(
    framework: str,
) -> None:
    class Login(BaseModel):
        name: str
        password: SecretStr
        remark: str = Field(default="", exclude=True)

    stand = make_stand(framework)

    async def login(who):  # type: ignore[no-untyped-def]
        stand.acts.append(who.password.get_secret_value())
        return "done"

    login.__annotations__ = {"who": Login, "return": str}
    stand.server.tool()(requires_approval(stand.approver, lambda: PLAIN)(login))
    first = {"name": "eve", "password": "one", "remark": ""}
    async with connect(stand.wire, "2025-11-25") as client:
        token = token_in(await call(client, "login", {"who": first}))
        for other in ({**first, "password": "two"}, {**first, "remark": "x"}):
            await call(client, "login", {"who": other, "confirm_token": token})
        assert stand.acts == []
        turned = dict(reversed(first.items()))
        await call(client, "login", {"who": turned, "confirm_token": token})
    assert stand.acts == ["one"]


@pytest.mark.requirement("L-3")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_quoted_number_that_changes_is_asked_again(framework: str, era: Era) -> None:
    stand, asked = make_stand(framework), list[str]()
    readings = iter([12, 12, 7, *[7] * 20]) if era == "2025-11-25" else iter([12, 7, *[7] * 20])

    def removal(value: str) -> Question:
        return Question(f"throw {next(readings)} away", "They are gone.")

    register(stand, removal)

    async def answer(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        asked.append(params.message)
        return accept()

    if era == "2025-11-25":
        next(readings)
    async with connect(stand.wire, era, answer) as client:
        result = await call(client, "act", {"value": "apples"})
    assert text(result) == "done"
    assert len(stand.acts) == 1
    assert "throw 12 away" in asked[0]
    assert asked[1].startswith("Asked again: what this question quotes has changed")
    assert "text of the question" in asked[1].partition("\n")[0]
    assert "throw 7 away" in asked[1]


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_number_that_never_rests_ends_the_call(framework: str) -> None:
    stand, count = make_stand(framework), iter(range(99))
    register(stand, lambda: Question(f"throw {next(count)} away", "They are gone."))
    async with connect(stand.wire, "2025-11-25", yes) as client:
        result = await call(client, "act", {"value": "apples"})
    assert result.is_error
    assert "3 times in a row" in text(result)
    assert stand.acts == []


@pytest.mark.requirement("L-3")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_call_that_needs_nobody_just_runs(framework: str, era: Era) -> None:
    stand = make_stand(framework)
    register(stand, lambda value: PLAIN if value == "risky" else None)
    async with connect(stand.wire, era, unasked) as client:
        result = await call(client, "act", {"value": "harmless"})
    assert text(result) == "done"
    async with connect(stand.wire, era) as client:
        assert "confirm_token" not in text(await call(client, "act", {"value": "harmless"}))
        assert token_in(await call(client, "act", {"value": "risky"}))


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_question_may_be_awaited_and_get_the_context(framework: str) -> None:
    stand = make_stand(framework)

    async def asked(value, seen):  # type: ignore[no-untyped-def]
        await asyncio.sleep(0)
        assert type(seen).__name__ == "Context"
        return Question("do it", "It is done.", (Detail("Value", value),))

    async def act(value, seen):  # type: ignore[no-untyped-def]
        return value

    act.__annotations__ = {"value": str, "seen": context_type(framework), "return": str}
    stand.server.tool()(requires_approval(stand.approver, asked)(act))
    async with connect(stand.wire, "2026-07-28", yes) as client:
        assert text(await call(client, "act", {"value": "x"})) == "x"


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_question_that_fails_or_gives_something_else_lets_nothing_run(
    framework: str,
) -> None:
    for asked in (lambda: 1 / 0, lambda: "yes", lambda: True):
        stand = make_stand(framework)
        register(stand, asked)
        async with connect(stand.wire, "2026-07-28", yes) as client:
            assert (await call(client, "act", {"value": "x"})).is_error
        assert stand.acts == []


@pytest.mark.requirement("L-5")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_what_cannot_be_shown_is_refused_in_the_servers_words(
    framework: str, era: Era
) -> None:
    for asked in (
        lambda value: Question("do it", "x", (Detail("Value", value * 300),)),
        lambda value: Question(f"delete {checked(value, '[a-z]+')}", "Gone."),
    ):
        stand = make_stand(framework)
        register(stand, asked)
        async with connect(stand.wire, era, unasked) as client:
            result = await call(client, "act", {"value": "A1"})
        assert result.is_error
        assert text(result).startswith("Nothing was changed. ")
        assert stand.acts == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_an_argument_without_a_json_form_is_named(framework: str) -> None:
    class Opaque:
        """Nothing that JSON knows."""

        @classmethod
        def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> object:
            from pydantic_core import core_schema

            return core_schema.no_info_plain_validator_function(
                lambda _: cls(),
                json_schema_input_schema=core_schema.str_schema(),
            )

    stand = make_stand(framework)

    async def act(thing):  # type: ignore[no-untyped-def]
        stand.acts.append(thing)
        return "done"

    act.__annotations__ = {"thing": Opaque, "return": str}
    stand.server.tool()(requires_approval(stand.approver, lambda: PLAIN)(act))
    async with connect(stand.wire, "2026-07-28", unasked) as client:
        result = await call(client, "act", {"thing": "x"})
    assert "the argument thing cannot be bound to an approval".lower() in text(result).lower()
    assert result.is_error
    assert stand.acts == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_an_author_may_bind_what_he_names(framework: str) -> None:
    stand = make_stand(framework)
    stock = [12]

    def asked(name: str) -> Ask:
        return Ask(
            Question(f"throw {stock[0]} away", "Gone.", (Detail("Name", name),)),
            Target.ordered("clear", ("name", name)),
        )

    @stand.server.tool()
    @requires_approval(stand.approver, asked)
    async def clear(name: str, remark: str = "") -> str:
        stand.acts.append(name)
        return "done"

    async with connect(stand.wire, "2025-11-25") as client:
        token = token_in(await call(client, "clear", {"name": "a", "remark": "x"}))
        await call(client, "clear", {"name": "b", "confirm_token": token})
        stock[0] = 7
        await call(client, "clear", {"name": "a", "confirm_token": token})
        stock[0] = 12
        assert stand.acts == [], "another name, or another text, is another call"
        await call(client, "clear", {"name": "a", "remark": "y", "confirm_token": token})
    assert stand.acts == ["a"]


@pytest.mark.requirement("L-5")
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_without_a_client_it_does_not_run(framework: str) -> None:
    stand = make_stand(framework)

    @stand.server.tool()
    @requires_approval(stand.approver, lambda: PLAIN)
    async def act(value: str) -> str:
        stand.acts.append(value)
        return "done"

    for arguments in ({"value": "x"}, {"value": "x", "confirm_token": "y"}, {"other": 1}):
        with pytest.raises(RuntimeError, match=r"^act asks a person and can be called by a client"):
            await cast("Any", act)(**arguments)
    with pytest.raises(RuntimeError):
        await act("x")
    assert stand.acts == []
    bare = cast("Any", act).__wrapped__
    assert await bare("x") == "done"


async def test_a_tool_cannot_lend_its_own_request_to_another() -> None:
    stand = make_stand(SDK)

    @stand.server.tool()
    @requires_approval(stand.approver, lambda: PLAIN)
    async def act(value: str) -> str:
        stand.acts.append(value)
        return "done"

    async def lend(seen):  # type: ignore[no-untyped-def]
        return await cast("Any", stand.server).call_tool("act", {"value": "x"}, seen)

    lend.__annotations__ = {"seen": context_type(SDK)}
    stand.server.tool()(lend)
    async with connect(stand.wire, "2025-11-25", yes) as client:
        assert (await call(client, "lend")).is_error
    assert stand.acts == []


@pytest.mark.requirement("L-5")
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_failure_of_the_function_is_the_frameworks_business(framework: str) -> None:
    class KnownError(Exception):
        approval_outcome = "failed"

    for raised, kind in ((OSError("disk"), "unknown"), (KnownError("no"), "failed")):
        stand, events = make_stand(framework), list[str]()
        stand.approver.recorder = _Recorder(events)
        fails = _failing(raised)
        bare = make_server(framework)
        bare.tool()(fails)
        stand.server.tool()(requires_approval(stand.approver, lambda: PLAIN)(_failing(raised)))
        results = []
        for server in (bare, stand.server):
            async with connect(wire_server(server), "2025-11-25", yes) as client:
                results.append(text(await call(client, "act")))
        assert results[0] == results[1]
        assert events[-1] == kind


def _failing(raised: Exception) -> Callable[..., object]:
    async def act() -> str:
        raise raised

    return act


class _Recorder:
    head = ""

    def __init__(self, events: list[str]) -> None:
        self._events = events

    async def append(self, event: Mapping[str, object]) -> str:
        self._events.append(str(event["event"]))
        return ""

    async def keep(self, digest: str, text: str) -> None:
        return None

    async def append_later(self, event: Mapping[str, object]) -> str:
        self._events.append(str(event["event"]))
        return ""


@pytest.mark.requirement("L-7")
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_two_callers_cannot_use_each_others_token_or_yes(framework: str) -> None:
    stand = make_stand(framework)
    register(stand, lambda: PLAIN)
    value: Arguments = {"value": "x"}
    with as_caller("anna"):
        async with connect(stand.wire, "2025-11-25") as client:
            token = token_in(await call(client, "act", value))
    with as_caller("bert"):
        async with connect(stand.wire, "2025-11-25") as client:
            refused = await call(client, "act", {**value, "confirm_token": token})
    assert text(refused).startswith("confirm_token refused")
    assert stand.acts == []
    with as_caller("anna"):
        async with connect(stand.wire, "2025-11-25") as client:
            await call(client, "act", {**value, "confirm_token": token})
    assert stand.acts == ["x"]


@pytest.mark.requirement("L-7")
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_questions_of_two_callers_do_not_displace_each_other(framework: str) -> None:
    stand = make_stand(framework)
    register(stand, lambda: PLAIN)
    shown, answers = asyncio.Event(), asyncio.Event()

    async def slow(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        shown.set()
        await answers.wait()
        return accept()

    async def first() -> types.CallToolResult:
        with as_caller("anna"):
            async with connect(stand.wire, "2025-11-25", slow) as client:
                return await call(client, "act", {"value": "x"})

    asking = asyncio.create_task(first())
    await shown.wait()
    with as_caller("bert"):
        async with connect(stand.wire, "2025-11-25", yes) as client:
            assert text(await call(client, "act", {"value": "x"})) == "done"
    answers.set()
    assert text(await asking) == "done"


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_call_that_is_cancelled_while_it_asks_does_not_run(framework: str) -> None:
    stand = make_stand(framework)
    register(stand, lambda: PLAIN)
    shown = asyncio.Event()

    async def slow(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        shown.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async with connect(stand.wire, "2025-11-25", slow) as client:
        asking = asyncio.create_task(call(client, "act", {"value": "x"}))
        await shown.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    assert stand.acts == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_of_a_call_that_is_cancelled_while_it_acts_nobody_knows(framework: str) -> None:
    stand, events = make_stand(framework), list[str]()
    stand.approver.recorder = _Recorder(events)
    acting, ended = asyncio.Event(), asyncio.Event()

    @stand.server.tool()
    @requires_approval(stand.approver, lambda: PLAIN)
    async def act(value: str) -> str:
        acting.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return value

    async with connect(stand.wire, "2025-11-25", yes) as client:
        calling = asyncio.create_task(call(client, "act", {"value": "x"}))
        await acting.wait()
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        await ended.wait()
    assert events == ["asked", "approved", "unknown"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_late_yes_for_one_caller_is_none_for_another(
    framework: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Scripted()
    monkeypatch.setattr("tests.approval.outside.opened", lambda _: window)
    monkeypatch.setattr(loading, "CHANNELS", {"window": "tests.approval.outside:opened"})
    stand = make_stand(framework, APPROVAL_REACH="window", APPROVAL_WAIT_SECONDS="0")
    register(stand, lambda: PLAIN)
    value: Arguments = {"value": "x"}
    async with AsyncExitStack() as connected:
        clients = {}
        for who in ("anna", "bert"):
            with as_caller(who):
                clients[who] = await connected.enter_async_context(
                    connect(stand.wire, "2025-11-25")
                )

        async def said(who: str) -> str:
            with as_caller(who):
                return text(await call(clients[who], "act", value))

        assert (await said("anna")).startswith("Awaiting a person")
        window.say("approve")
        assert (await said("bert")).startswith("Awaiting a person")
        assert stand.acts == []
        assert await said("anna") == "done"
    assert stand.acts == ["x"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_sync_function_runs_in_a_thread_after_the_yes(framework: str) -> None:
    import threading

    stand = make_stand(framework)

    @stand.server.tool()
    @requires_approval(stand.approver, lambda: PLAIN)
    def act(value: str) -> str:
        stand.acts.append(threading.current_thread() is threading.main_thread())
        return value

    async with connect(stand.wire, "2026-07-28", yes) as client:
        assert structured(await call(client, "act", {"value": "x"})) == {"result": "x"}
    assert stand.acts == [False]
    assert is_guarded(act)


async def test_a_dependency_of_fastmcp_is_handed_over_and_not_bound() -> None:
    dependencies = import_module("fastmcp.dependencies")
    stand = make_stand(FASTMCP)
    depends = dependencies.Depends(object)

    @stand.server.tool()
    @requires_approval(stand.approver, lambda: PLAIN)
    async def act(value: str, service: object = depends) -> str:
        stand.acts.append(type(service))
        return value

    async with connect(stand.wire, "2026-07-28", yes) as client:
        assert text(await call(client, "act", {"value": "x"})) == "x"
    assert stand.acts == [object]


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_with_dialogs_off_the_token_stands_in(framework: str) -> None:
    stand = make_stand(framework, ELICITATION="false")
    register(stand, lambda: PLAIN)
    async with connect(stand.wire, "2026-07-28", unasked) as client:
        assert "was started with ELICITATION=false" in text(await call(client, "act", {"value": 1}))


@pytest.mark.parametrize("detail", [{"task_id": "t1"}, {}], ids=["in a task", "without a request"])
async def test_a_background_task_of_fastmcp_is_no_client(detail: dict[str, str]) -> None:
    context = import_module("fastmcp").Context
    stand = make_stand(FASTMCP)

    @stand.server.tool()
    @requires_approval(stand.approver, lambda: PLAIN)
    async def act(value: str) -> str:
        stand.acts.append(value)
        return "done"

    with pytest.raises(RuntimeError, match="called by a client only"):
        await cast("Any", act)(value="x", context_of_approval=context(stand.server, **detail))
    assert stand.acts == []
