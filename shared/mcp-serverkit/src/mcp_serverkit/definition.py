"""What a server consists of, in one value that loads nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from mcp_approval.limits import Limits
from mcp_approval.switch import start_line
from mcp_serverkit.catalogue import Catalogue, StoredAnswers, load
from mcp_serverkit.config.settings import CrossCheck, Reading, Values, Variable
from mcp_serverkit.config.tool_selection import SelectableTools, Selection, select_tools
from mcp_serverkit.instructions import AWAITED, Asking, Offered

if TYPE_CHECKING:
    from mcp_serverkit.prompts import Prompt
    from mcp_serverkit.tools.registry import Guarded, Registry, Tool


class App(Protocol):
    """A server's own objects behind its tools."""

    async def aclose(self) -> None:
        """Close what the app opened."""

    async def check(self) -> list[str]:
        """Make one harmless real call and say what was found, a line each.

        Raises:
            ToolFailure: It did not work.
        """


def _nothing_said(_values: Values) -> str:
    return ""


def _no_cross_check(_values: Values, _reading: Reading) -> None:
    return None


def _registered(registry: Registry) -> dict[str, bool]:
    return {tool.name: tool.annotations.read_only for tool in registry}


def _as_registered(tool: Guarded, _values: Values) -> str:
    return tool.asks


def _no_prompts() -> Sequence[Prompt]:
    return ()


def _no_lines(_values: Values) -> Sequence[str]:
    return ()


class Definition(NamedTuple):
    """A server.

    Attributes:
        name: Command, distribution and server name.
        title: Title for people.
        version: Version of server and distribution.
        summary: One sentence for people.
        prefix: Prefix of its variables.
        variables: Its table of variables, the common ones included.
        registry: Loads and returns its tools.
        load_app: Dotted path `module:function` of the function that builds its app, from the
            values and the names of the tools on offer.
        instructions: What a client is told at the start, given the tools on offer and whether
            dialogs are on.
        prompts: Loads and returns what it offers a client's user as commands.
        presets: Names that stand for several tools in an allow list.
        order: Names of all its tools in listing order; stored answers with others are stale.
        extras: Tools that are off by default; such a server has `extras_variable` in its table.
        cross_check: Checks that concern several variables.
        missing: Says what the configuration lacks for a call, or nothing.
        suppressed: Says which setting of its own leaves out the tools that write.
        spared: Tools that write and that this setting does not leave out.
        start_lines: Lines for stderr at start.
        instance: Names where calls act, from the operator's settings.
        limits: How much a dialog may hold.
        after_no: What an answer that is no yes costs, as a sentence; empty when nothing.
        nothing: The server's sentence for "it did not happen".
        asks: Says when a tool asks under these settings, in the registry's words; for
            switches that add questions.
        asking_switches: Field and value of each such switch, for the catalogue.
        catalogue_values: Settings under which every tool is offered, where the defaults
            leave some out.
        off_who: Who falls back to the token when dialogs are off, for the start line.
        off_remark: What is added to that line.
    """

    name: str
    title: str
    version: str
    summary: str
    prefix: str
    variables: tuple[Variable, ...]
    registry: Callable[[], Registry]
    load_app: str
    instructions: Callable[[Sequence[Offered], Asking], str]
    prompts: Callable[[], Sequence[Prompt]] = _no_prompts
    presets: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    order: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    cross_check: CrossCheck = _no_cross_check
    missing: Callable[[Values], str] = _nothing_said
    suppressed: Callable[[Values], str] = _nothing_said
    spared: tuple[str, ...] = ()
    start_lines: Callable[[Values], Sequence[str]] = _no_lines
    instance: Callable[[Values], str] = _nothing_said
    limits: Limits = Limits()
    nothing: str = "Nothing was changed."
    after_no: str = ""
    asks: Callable[[Guarded, Values], str] = _as_registered
    asking_switches: tuple[tuple[str, object], ...] = ()
    catalogue_values: Mapping[str, object] = MappingProxyType({})
    off_who: str = "guarded tools"
    off_remark: str = ""

    @property
    def off_line(self) -> str:
        """The start line of a server whose dialogs are off."""
        return start_line(self.name, self.off_who, self.off_remark)

    def select(self, values: Values) -> Selection:
        """Decide which tools are offered, from the catalogue where there is one."""
        catalogue = self._stored()
        if catalogue is None:
            return self._choose(values, _registered(self.registry()))
        return self._choose(values, {tool.name: tool.read_only for tool in catalogue.tools})

    def _choose(self, values: Values, read_only: Mapping[str, bool]) -> Selection:
        own = "" if values["read_only"] else self.suppressed(values)
        return select_tools(
            self.prefix,
            SelectableTools(
                read_only,
                self.presets,
                frozenset() if values.get("extras") else frozenset(self.extras),
                self.spared if own else (),
            ),
            allow=cast("Sequence[str]", values["allow_tools"]),
            deny=cast("Sequence[str]", values["deny_tools"]),
            suppressed=f"{self.prefix}_READ_ONLY is on" if values["read_only"] else own,
        )

    def _stored(self) -> Catalogue | None:
        """Return the stored answers, unless they are those of another version."""
        catalogue = load(self.package)
        fits = catalogue is not None and catalogue.belongs_to(self.version, self.order)
        return catalogue if fits else None

    @property
    def package(self) -> str:
        """The server's package, where its catalogue lies."""
        return self.load_app.partition(".")[0]

    def answers(self, values: Values) -> StoredAnswers | None:
        """Return the answers that need no SDK, if the catalogue is there."""
        catalogue = self._stored()
        if catalogue is None:
            return None
        by_name = {tool.name: tool for tool in catalogue.tools}
        offered = [
            Offered(tool.name, tool.read_only, self.asks(tool, values))
            for tool in map(by_name.__getitem__, self.select(values).names)
        ]
        return StoredAnswers(catalogue, offered, self.told(offered, values))

    def told(self, offered: Sequence[Offered], values: Values) -> str:
        """Return what a client is told at the start under these settings."""
        how: Asking = "dialog" if values["elicitation"] else "token"
        if values.get("approval_reach"):
            how = "reach"
        said = self.instructions(offered, how)
        awaits = how == "reach" and any(tool.asks for tool in offered)
        return f"{said} {AWAITED}" if awaits else said

    def offered(self, values: Values) -> dict[str, Tool]:
        """Return the tools that are offered under these settings, by name.

        The registry decides: a catalogue is made from what this returns.
        """
        registry = self.registry()
        names = self._choose(values, _registered(registry)).names
        tools = (registry[name] for name in names)
        return {tool.name: tool.asking(self.asks(tool, values)) for tool in tools}

    def offered_prompts(self, tools: Collection[str]) -> list[Prompt]:
        """Return the prompts whose tools are all on offer.

        Args:
            tools: Names of the tools on offer.
        """
        return [prompt for prompt in self.prompts() if set(prompt.tools) <= set(tools)]

    def build_app(self, values: Values, offered: Sequence[str]) -> App:
        """Load the server's own code and build its app.

        Args:
            values: The settings.
            offered: Names of the tools on offer.
        """
        module, _, name = self.load_app.partition(":")
        build = cast("Callable[[Values, Sequence[str]], App]", getattr(import_module(module), name))
        return build(values, offered)
