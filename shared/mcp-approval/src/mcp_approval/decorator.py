"""The same approval for a tool of somebody else's server, in two lines."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial, wraps
from typing import Annotated, NamedTuple, TypeAlias, TypeVar, cast

import anyio.to_thread
import mcp_types as types
from pydantic import Field

from mcp_approval.approval import CallApproval
from mcp_approval.approver import Approver
from mcp_approval.asking_client import AskingClient
from mcp_approval.binding import CannotBindError, complete
from mcp_approval.exceptions import CallEnded
from mcp_approval.for_server import ServerApprover
from mcp_approval.frameworks import Framework, Function, layers
from mcp_approval.mcp_adapter import ended_result, error_result, principal
from mcp_approval.question import Question, TooMuchToShowError, UnsafeIdentifierError
from mcp_approval.verdict import Ask

Made: TypeAlias = Question | Ask | None
Questioner: TypeAlias = Callable[..., Made | Awaitable[Made]]
Ended: TypeAlias = types.CallToolResult | types.InputRequiredResult

F = TypeVar("F", bound=Callable[..., object])

TOKEN = "confirm_token"  # noqa: S105 (the name of an argument)
TOKEN_TEXT = "Only when an answer told you to send it."  # noqa: S105
CONTEXT = "context_of_approval"

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def requires_approval(approver: Approver, question: Questioner) -> Callable[[F], F]:
    """Have a person asked before a tool does its work; stands below the registering line.

    Args:
        approver: From `approver_for`.
        question: Takes arguments of the tool by their names, and returns what is asked,
            or `None` where nobody need be asked. Called on every call, and again after a
            yes; it must not change anything.

    Raises:
        TypeError: Tool or question cannot work like this.
    """
    if not isinstance(approver, ServerApprover):
        raise TypeError("the first argument of requires_approval comes from approver_for")
    if not callable(question):
        raise TypeError("the second argument of requires_approval is a function that asks")

    def guard(function: F) -> F:
        _refuse_unfit(approver.framework, function)
        tool = _Tool.of(approver, function, question)

        @wraps(function)
        async def guarded(*args: object, **kwargs: object) -> object:
            return await tool.call(guarded, args, kwargs)

        vars(guarded)["__signature__"] = tool.signature
        guarded.__annotations__ = _annotations(tool.signature)
        _guarded.add(guarded)
        return cast("F", guarded)

    return guard


_guarded: weakref.WeakSet[Function] = weakref.WeakSet()


def is_guarded(function: Function) -> bool:
    """Whether a function, or what it was wrapped around, asks before it acts."""
    return any(layer in _guarded for layer in layers(function))


class _Caller(NamedTuple):
    """Who calls, and what was called.

    Attributes:
        asked: Whom a question is put to.
        tool: Name of the tool.
        sent: The arguments as they were sent.
        principal: Who that is, where the transport knows it.
    """

    asked: AskingClient
    tool: str
    sent: Mapping[str, object]
    principal: str | None


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool, and what a client is shown of it.

    Attributes:
        signature: The function's own, with a token and, where it has none, a context.
        context: The parameter that is given the framework's context.
        keeps_context: Whether that is a parameter of the function.
        injected: Parameters that the framework fills.
        asked: The parameters of the question.
    """

    approver: ServerApprover
    function: Function
    question: Questioner
    signature: inspect.Signature
    context: str
    keeps_context: bool
    injected: frozenset[str]
    asked: tuple[str, ...]

    @classmethod
    def of(cls, approver: ServerApprover, function: Function, question: Questioner) -> _Tool:
        framework = approver.framework
        own = framework.signature(function)
        asked = _asked(question, own, function.__name__)
        found = framework.context_parameter(function)
        added = [] if found is not None else [_keyword(CONTEXT, framework.context_type)]
        token = Annotated[str, Field(description=TOKEN_TEXT)]
        added.append(_keyword(TOKEN, token, ""))
        return cls(
            approver,
            function,
            question,
            own.replace(parameters=[*own.parameters.values(), *added]),
            found or CONTEXT,
            found is not None,
            framework.injected(function),
            asked,
        )

    async def call(
        self, guarded: Function, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> object:
        """Ask, and then do the work."""
        given = self._given(args, kwargs)
        caller = self._caller(given, guarded)
        token = given.pop(TOKEN, "")
        if not self.keeps_context:
            given.pop(CONTEXT, None)
        async with self.approver.call(caller.asked, caller.tool, token or None) as approval:
            ended = await self._ask(approval, caller, given)
            return await _run(self.function, given) if ended is None else ended

    def _caller(self, given: Mapping[str, object], guarded: Function) -> _Caller:
        client = self.approver.framework.client(given.get(self.context), guarded)
        asked = self.approver.stand_in or client
        if asked is None:
            raise RuntimeError(
                f"{self.function.__name__} asks a person and can be called by a client only"
            )
        if client is None:
            return _Caller(asked, self.function.__name__, given, None)
        params = client.params
        return _Caller(asked, params.name, params.arguments or {}, principal(client))

    async def _ask(
        self, approval: CallApproval, caller: _Caller, given: Mapping[str, object]
    ) -> Ended | None:
        """Return what the call ends with, if it must not go on."""
        try:
            first = await self._made(caller, given)
            if first is None:
                return None
            readings: list[Ask | None] = [first]

            async def read() -> Ask:
                # What needs nobody any more was allowed as it stood before.
                return (readings.pop() if readings else await self._made(caller, given)) or first

            await approval.require(read)
        except CallEnded as ended:
            return ended_result(ended)
        except (TooMuchToShowError, UnsafeIdentifierError, CannotBindError) as refusal:
            reason = str(refusal)
            return error_result(f"{self.approver.nothing} {reason[:1].upper()}{reason[1:]}.")
        return None

    async def _made(self, caller: _Caller, given: Mapping[str, object]) -> Ask | None:
        made = await _run(self.question, {name: given[name] for name in self.asked})
        if made is None:
            return None
        if not isinstance(made, Question | Ask):
            raise TypeError(
                f"the question of {self.function.__name__} is a {type(made).__name__}, "
                "and not a Question, an Ask or None"
            )
        hidden = {*self.injected, self.context}
        arguments = {name: value for name, value in given.items() if name not in hidden}
        return complete(
            made,
            caller.tool,
            arguments,
            caller.sent,
            caller.principal,
            self.approver.limits,
        )

    def _given(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> dict[str, object]:
        try:
            bound = self.signature.bind_partial(*args, **kwargs)
        except TypeError:
            return {}  # no framework calls like this
        bound.apply_defaults()
        return dict(bound.arguments)


async def _run(function: Function, arguments: Mapping[str, object]) -> object:
    """Call a function, in a thread where it may take its time."""
    call = partial(function, **arguments)
    if inspect.iscoroutinefunction(function):
        result = call()
    else:
        result = await anyio.to_thread.run_sync(call)
    return await cast("Awaitable[object]", result) if inspect.isawaitable(result) else result


def _refuse_unfit(framework: Framework, function: Function) -> None:
    if not inspect.isroutine(function):
        raise TypeError(
            f"{type(function).__name__} is no function; put @requires_approval below @server.tool()"
        )
    name = function.__name__
    if is_guarded(function):
        raise TypeError(f"{name} asks for an approval already")
    if framework.registered(function):
        raise TypeError(
            f"{name} is a tool already, so it could be called unasked; "
            "put @requires_approval below @server.tool()"
        )
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{name} yields its result; it cannot be told when it is done")
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in _BY_NAME:
            raise TypeError(f"{name}: the parameter {parameter.name} cannot be given by its name")
        if parameter.name in {TOKEN, CONTEXT}:
            raise TypeError(f"{name} has a parameter {parameter.name}; that name is taken")


def _asked(question: Questioner, tool: inspect.Signature, name: str) -> tuple[str, ...]:
    parameters = inspect.signature(question).parameters.values()
    for parameter in parameters:
        if parameter.kind not in _BY_NAME:
            raise TypeError(
                f"the question of {name}: its parameter {parameter.name} must be given by name"
            )
        if parameter.name not in tool.parameters:
            raise TypeError(f"the question of {name} wants {parameter.name}, which {name} has not")
    return tuple(parameter.name for parameter in parameters)


def _keyword(name: str, annotation: object, *default: object) -> inspect.Parameter:
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        annotation=annotation,
        default=default[0] if default else inspect.Parameter.empty,
    )


def _annotations(signature: inspect.Signature) -> dict[str, object]:
    empty = inspect.Parameter.empty
    found = {name: one.annotation for name, one in signature.parameters.items()}
    found["return"] = signature.return_annotation
    return {name: kind for name, kind in found.items() if kind is not empty}
