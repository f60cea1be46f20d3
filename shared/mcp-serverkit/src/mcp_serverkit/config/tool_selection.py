"""Choosing which tools a server offers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

_QUOTABLE = r"[a-z_*]{1,32}"


class Selection(NamedTuple):
    """The tools that remain, and what is to be said about the choice."""

    names: tuple[str, ...]
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class SelectableTools(NamedTuple):
    """What the choice needs to know.

    Attributes:
        read_only: Name to whether it changes nothing, in listing order.
        presets: Preset name to members; only an allow list may use them.
        switched_off: Tools among them that are extra and not switched on: as good as absent.
        spared: Tools that write and are not left out with the others.
    """

    read_only: Mapping[str, bool]
    presets: Mapping[str, Collection[str]]
    switched_off: Collection[str] = frozenset()
    spared: Collection[str] = ()


class _Chooser:
    def __init__(self, prefix: str, facts: SelectableTools, suppressed: str) -> None:
        self.prefix = prefix
        self.facts = facts
        self.read_only = {
            name: value for name, value in facts.read_only.items() if name not in facts.switched_off
        }
        self.stays = {name: kept or name in facts.spared for name, kept in self.read_only.items()}
        self.suppressed = suppressed
        self.problems: list[str] = []
        self.warnings: list[str] = []

    def offered(self) -> list[str]:
        return [name for name, stays in self.stays.items() if stays or not self.suppressed]

    def entries(self, variable: str, entries: Sequence[str], *, allow: bool) -> set[str]:
        chosen: set[str] = set()
        for position, entry in enumerate(entries, 1):
            chosen |= self._entry(variable, position, entry.lower(), allow=allow)
        return chosen

    def _entry(self, variable: str, position: int, entry: str, *, allow: bool) -> set[str]:
        shown = f'"{entry}"' if re.fullmatch(_QUOTABLE, entry) else f"entry {position}"
        if allow and entry in self.facts.presets:
            return set(self.facts.presets[entry]) - set(self.facts.switched_off)
        if "*" in entry[:-1]:
            self.problems.append(f"{variable}: {shown}: a * may only stand at the end")
            return set()
        matched = _matching(entry, self.read_only)
        if not matched:
            self._unknown(variable, entry, shown, allow=allow)
        elif allow and self.suppressed and not any(self.stays[name] for name in matched):
            self._suppressed(variable, shown, pattern=entry.endswith("*"))
        return matched

    def _unknown(self, variable: str, entry: str, shown: str, *, allow: bool) -> None:
        presets = f" or {', '.join(self.facts.presets)}" if allow and self.facts.presets else ""
        extra = _matching(entry, self.facts.switched_off)
        offers = f"; {self.prefix}_EXTRAS=true offers it" if extra else ""
        names = ", ".join(self.read_only)
        self.problems.append(f"{variable}: {shown} is no tool{presets}{offers}; tools are {names}")

    def _suppressed(self, variable: str, shown: str, *, pattern: bool) -> None:
        spared = [name for name in self.facts.spared if name in self.stays]
        but = f" but {', '.join(spared)}" if spared else ""
        reason = f"{self.suppressed}, which leaves out every tool that writes{but}"
        if pattern:
            self.warnings.append(f"{variable}: {shown} adds nothing: {reason}")
        else:
            names = ", ".join(self.offered())
            self.problems.append(f"{variable}: {shown}: {reason}; what remains is {names}")


def _matching(entry: str, names: Collection[str]) -> set[str]:
    if entry.endswith("*"):
        return {name for name in names if name.startswith(entry[:-1])}
    return {entry} & set(names)


def select_tools(
    prefix: str,
    facts: SelectableTools,
    *,
    allow: Sequence[str] = (),
    deny: Sequence[str] = (),
    suppressed: str = "",
) -> Selection:
    """Apply the allow list, the deny list and the switches that leave out writing tools.

    Args:
        prefix: Prefix of the server's variables.
        facts: The tools.
        allow: Entries of the allow list.
        deny: Entries of the deny list.
        suppressed: Which setting leaves out the tools that write; empty when none does.
    """
    chooser = _Chooser(prefix, facts, suppressed)
    allowed = chooser.entries(f"{prefix}_ALLOW_TOOLS", allow, allow=True)
    denied = chooser.entries(f"{prefix}_DENY_TOOLS", deny, allow=False)
    names = tuple(
        name for name in chooser.offered() if (not allow or name in allowed) and name not in denied
    )
    if not names and not chooser.problems:
        variable = f"{prefix}_DENY_TOOLS" if deny else f"{prefix}_ALLOW_TOOLS"
        chooser.problems.append(f"{variable}: no tool would be left to offer")
    return Selection(names, tuple(chooser.problems), tuple(chooser.warnings))
