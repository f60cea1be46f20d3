"""What the script of a window uses of Tk, without a screen; `tests/live` tries the real one."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

ROWS = 24
"""Lines of text that are in view."""


class TclError(Exception):
    """Nothing can be drawn."""


class Widget:
    """Keeps what it is told."""

    def __init__(self, *_parents: object, **options: Any) -> None:
        self.options = options
        self.bound: dict[str, Callable[..., object]] = {}
        self.config(**options)

    def config(self, **options: Any) -> None:
        self.options.update(options)

    def pack(self, **_options: object) -> None:
        pass

    def bind(self, name: str, act: Callable[..., object]) -> None:
        self.bound[name] = act

    def unbind(self, name: str) -> None:
        del self.bound[name]


class Button(Widget):
    def press(self) -> None:
        """Click it; a button that is disabled does nothing."""
        if self.options["state"] == "normal":
            self.options["command"]()


class Scrollbar(Widget):
    def set(self, first: float, last: float) -> None:
        self.options["at"] = (first, last)


class Text(Widget):
    first = 0

    def insert(self, _where: str, text: str) -> None:
        self.lines = text.split("\n")
        self._tell()

    def yview(self) -> tuple[float, float]:
        total = max(len(self.lines), 1)
        return self.first / total, min(1.0, (self.first + ROWS) / total)

    def yview_scroll(self, pages: int, _what: str) -> None:
        last = max(0, len(self.lines) - ROWS)
        self.first = min(max(0, self.first + pages * ROWS), last)
        self._tell()

    def _tell(self) -> None:
        self.options["yscrollcommand"](*self.yview())


class Tk(Widget):
    """The root window, whose time passes when a test says so."""

    opened: Tk

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.mapped = self.destroyed = False
        self.timers: list[tuple[int, Callable[[], object]]] = []
        self.now = 0
        Tk.opened = self

    def title(self, text: str) -> None:
        self.options["title"] = text

    def attributes(self, name: str, value: object) -> None:
        self.options[name] = value

    def protocol(self, name: str, act: Callable[..., object]) -> None:
        self.bound[name] = act

    def bind_class(self, kind: str, name: str, act: Callable[..., object]) -> None:
        self.bound[f"{kind}{name}"] = act

    def after(self, ms: int, act: Callable[[], object]) -> None:
        self.timers.append((self.now + ms, act))

    def focus_set(self) -> None:
        self.options["focus"] = True

    def winfo_ismapped(self) -> bool:
        return self.mapped

    def destroy(self) -> None:
        self.destroyed = True
        self.timers.clear()

    def mainloop(self) -> None:
        self.map()

    def map(self) -> None:
        """Bring it onto the screen; its children are mapped as well."""
        self.mapped = True
        for widget in (Widget(), self):
            self.bound["<Map>"](SimpleNamespace(widget=widget))

    def pass_time(self, ms: int) -> None:
        until = self.now + ms
        while due := sorted((at, n) for n, (at, _) in enumerate(self.timers) if at <= until):
            at, number = due[0]
            _, act = self.timers.pop(number)
            self.now = at
            act()
        self.now = until

    def event(self, name: str) -> object:
        return self.bound[name](SimpleNamespace(widget=self))


Frame = Label = Widget
