"""The registry of tools: one decorator each, the source of everything told about them.

    TOOLS = Registry(source="ntfy")

    @TOOLS.write("Delete an account", destructive=True, idempotent=True, asks="always")
    async def delete_user(call: Call[Ntfy], username: Annotated[Username, "Account"]) -> Deleted:
        \"\"\"Remove an account and its grants.\"\"\"

Name, description, arguments and result come from the function itself; annotations and
the guard from the decorator. Nothing is evaluated before a listing or a call needs it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from mcp_approval.approval import CallApproval
    from mcp_approval.verdict import Approval, AskSource, BeforeAsking

CONFIRM_TOKEN = "confirm_token"  # noqa: S105 (name of an argument)

AppT = TypeVar("AppT")
FunctionT = TypeVar("FunctionT", bound="ToolFunction")


class ToolFunction(Protocol):
    """A tool's function: the call first, its arguments by name, an object as result."""

    __name__: str
    __doc__: str | None

    @property
    def __call__(self) -> Callable[..., Awaitable[Mapping[str, object]]]:
        """Run the tool."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """The four hints that every tool declares."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


class Guarded(Protocol):
    """What decides whether a tool asks: its name, and when it asks as registered."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def asks(self) -> str:
        """Empty when it never asks; else when it does, in words."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        name: Its name.
        title: Its title for people.
        summary: Its description for models, without the guard.
        function: Its function.
        annotations: Its four hints.
        asks: Empty when it never asks; else when it does, in words ("always", "when ...").
        foreign: Who else may have written what it returns; empty when nobody.
        offline: Whether it works without the server's configuration.
        group: Heading in generated tables.
        elsewhere: Arguments that callers give to it by mistake, and the tool that takes them.
    """

    name: str
    title: str
    summary: str
    function: ToolFunction
    annotations: Annotations
    asks: str
    foreign: str
    offline: bool
    group: str
    elsewhere: tuple[tuple[str, str], ...] = ()

    @property
    def description(self) -> str:
        """Its description for models; says when the tool needs confirmation."""
        if not self.asks:
            return self.summary
        when = "" if self.asks == "always" else f" {self.asks}"
        return f"{self.summary} Needs confirmation{when}."

    def asking(self, asks: str) -> Tool:
        """Return the same tool with another guard."""
        return self if asks == self.asks else replace(self, asks=asks)


class Registry:
    """The tools of one server, in listing order.

    Args:
        source: Name of the service, for the mark on results that others could write.
        elsewhere: Of a tool's name and an argument that it does not take, the tool that does.
    """

    def __init__(
        self, source: str, elsewhere: Mapping[tuple[str, str], str] = MappingProxyType({})
    ) -> None:
        self.source = source
        self._elsewhere = elsewhere
        self._tools: dict[str, Tool] = {}

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    @property
    def guarded(self) -> tuple[Tool, ...]:
        """The tools that may ask."""
        return tuple(tool for tool in self if tool.asks)

    def load(self, package: str, folder: Iterable[str], names: Iterable[str]) -> None:
        """Import every module of a folder, so that none is silently absent, and order the tools.

        Args:
            package: Name of the folder's package.
            folder: Its `__path__`.
            names: The listing order.

        Raises:
            ValueError: The names are not exactly those registered.
        """
        for module in iter_modules(folder, f"{package}."):
            import_module(module.name)
        self.ordered(names)

    def ordered(self, names: Iterable[str]) -> None:
        """Fix the listing order.

        Raises:
            ValueError: The names are not exactly those registered.
        """
        wanted = list(names)
        if sorted(wanted) != sorted(self._tools):
            difference = sorted(set(wanted) ^ set(self._tools))
            raise ValueError(f"order and registry differ in {difference}")
        self._tools = {name: self._tools[name] for name in wanted}

    def read(
        self,
        title: str,
        *,
        foreign: bool | str = False,
        offline: bool = False,
        open_world: bool = False,
    ) -> Callable[[FunctionT], FunctionT]:
        """Register a tool that changes nothing."""
        hints = Annotations(
            read_only=True, destructive=False, idempotent=True, open_world=open_world
        )
        return self._register(title, hints, foreign=foreign, offline=offline)

    def write(
        self,
        title: str,
        *,
        destructive: bool,
        idempotent: bool,
        open_world: bool = False,
        asks: str = "",
        foreign: bool = False,
        offline: bool = False,
    ) -> Callable[[FunctionT], FunctionT]:
        """Register a tool that changes something.

        Args:
            title: Title for people.
            destructive: Whether it takes something away.
            idempotent: Whether a repeat changes nothing more.
            open_world: Whether it reaches beyond the configured service.
            asks: "always", or "when ..." in words for people and models.
            foreign: Whether its result holds text that others could write.
            offline: Whether it works without the server's configuration.
        """
        hints = Annotations(
            read_only=False, destructive=destructive, idempotent=idempotent, open_world=open_world
        )
        return self._register(title, hints, asks=asks, foreign=foreign, offline=offline)

    def _register(
        self,
        title: str,
        hints: Annotations,
        *,
        asks: str = "",
        foreign: bool | str = False,
        offline: bool = False,
    ) -> Callable[[FunctionT], FunctionT]:
        def register(function: FunctionT) -> FunctionT:
            name = function.__name__
            if name in self._tools:
                raise ValueError(f"two tools are named {name}")
            self._tools[name] = Tool(
                name=name,
                title=title,
                summary=_summary(function.__doc__),
                function=function,
                annotations=hints,
                asks=asks,
                foreign=foreign if isinstance(foreign, str) else self.source * foreign,
                offline=offline,
                group=getattr(function, "__module__", "").rpartition(".")[2],
                elsewhere=tuple(
                    (argument, other)
                    for (mistaken, argument), other in self._elsewhere.items()
                    if mistaken == name
                ),
            )
            return function

        return register


@dataclass(frozen=True, slots=True)
class Call(Generic[AppT]):
    """One call of one tool.

    Attributes:
        app: The server's own objects: client, settings, limits.
        tool: The tool that is called.
        approval: The approvals of this call; use `confirm`.
        report: Tells a client that asked for it how far the call came: a rising number, and
            words.
    """

    app: AppT
    tool: Tool
    approval: CallApproval
    report: Callable[[int, str], Awaitable[None]]

    async def confirm(self, ask: AskSource, before_asking: BeforeAsking | None = None) -> Approval:
        """Go on only if exactly this is approved; otherwise the call ends here.

        Args:
            ask: Question and target, or a function that reads the facts and returns them.
            before_asking: A limiter's hook, see `mcp_approval.verdict.BeforeAsking`.

        Raises:
            CallEnded: The call must not go on.
        """
        if not self.tool.asks:
            raise RuntimeError(f"{self.tool.name} is registered as a tool that never asks")
        if before_asking is None:
            return await self.approval.require(ask)
        return await self.approval.require(ask, before_asking)


def _summary(doc: str | None) -> str:
    text = " ".join((doc or "").split())
    if not text:
        raise ValueError("a tool needs a docstring: it is its description")
    return text
