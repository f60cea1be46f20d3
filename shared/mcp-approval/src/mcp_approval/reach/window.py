"""A person is asked in a window on the desktop that this process runs on.

The window is a process of its own with a bare environment: nothing that lies in the
working folder or in a variable can answer in a person's place.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from mcp_approval.reach.channel import NotReached, Said, Shown
from mcp_approval.reach.setting import Setting

SHOWN_SECONDS = 5.0
"""A window that is not there by then is given up."""

CLOSING_SECONDS = 1.0
"""How long a window may take to close when the server ends."""

# A reply of the window is a few words; more is no reply.
LINE_BYTES = 65_536

HANDED_ON = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "XAUTHORITY",
    "HOME",
    "LANG",
    "LC_ALL",
    "SYSTEMROOT",
)

SCRIPT = Path(__file__).with_name("dialog_window.py")
PROGRAM_SCRIPT = Path(__file__).with_name("program_window.py")

NO_PROGRAM = "no program for a window"
_REASONS = re.compile(
    rf"no display|{NO_PROGRAM}|the question has \d+ characters and this window holds \d+"
)


def other_program(platform: str = sys.platform) -> tuple[str, ...]:
    """What draws where Python has no Tk: started isolated as well, and given a whole path."""
    name = "osascript" if platform == "darwin" else "zenity"
    return (sys.executable, "-I", str(PROGRAM_SCRIPT), name, f"/usr/bin/{name}")


class Window:
    """Asks in windows, one for each question.

    Args:
        environ: Where the display is named.
        command: Starts the script that draws; isolated, so that it imports nothing of ours.
        other: Starts what draws where that one cannot.
        shown_seconds: How long a window may take to appear.
    """

    word = "window"
    how = "in a window"

    def __init__(
        self,
        environ: Mapping[str, str] | None = None,
        *,
        command: Sequence[str] = (sys.executable, "-I", str(SCRIPT)),
        other: Sequence[str] = other_program(),
        shown_seconds: float = SHOWN_SECONDS,
    ) -> None:
        environ = os.environ if environ is None else environ
        self._environ = {name: environ[name] for name in HANDED_ON if name in environ}
        self._command = command
        self._other = other
        self._shown_seconds = shown_seconds
        self._open: dict[str, _Drawn] = {}

    async def put(self, shown: Shown, heard: Callable[[Said], None]) -> None:
        """Open a window with the question.

        Raises:
            NotReached: No window appeared.
        """
        left = max(1, round(shown.until - time.time()))
        drawn = await self._drawn(
            {
                "title": shown.title,
                "message": shown.message,
                "where": shown.where,
                "seconds": str(left),
            }
        )
        self._open[shown.question] = drawn
        drawn.listen(heard, lambda: self._open.pop(shown.question, None))

    async def end(self, question: str, words: str, *, final: bool) -> None:  # noqa: ARG002
        """Show what became of a question; the window closes itself a little later."""
        drawn = self._open.get(question)
        if drawn is not None:
            await drawn.tell({"end": words})

    async def check(self) -> list[str]:
        """Try whether a window can be drawn here."""
        try:
            drawn = await self._drawn({"probe": "true"})
        except NotReached as reason:
            if str(reason) != "no display":
                raise
            return [
                "window: no display here; the client may start the server with another environment"
            ]
        await drawn.close()
        return ["window: one can be drawn"]

    async def aclose(self) -> None:
        """Close all windows; each sees the end of its input."""
        await asyncio.gather(*(drawn.close() for drawn in [*self._open.values()]))

    async def _drawn(self, first: Mapping[str, str]) -> _Drawn:
        try:
            return await self._drawn_by(self._command, first)
        except NotReached as reason:
            if str(reason) != NO_PROGRAM:
                raise
        return await self._drawn_by(self._other, first)

    async def _drawn_by(self, command: Sequence[str], first: Mapping[str, str]) -> _Drawn:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=self._environ,
                limit=LINE_BYTES,
            )
        except OSError:
            raise NotReached(NO_PROGRAM) from None
        drawn = _Drawn(process)
        try:
            async with asyncio.timeout(self._shown_seconds):
                await drawn.tell(first)
                said = await drawn.read()
        except BaseException as error:
            await drawn.close()
            if isinstance(error, TimeoutError):
                raise NotReached("no window appeared") from None
            raise
        if said is None or said.get("shown") is not True:
            await drawn.close()
            raise NotReached(_reason(said))
        return drawn


class _Drawn:
    """A window that is there."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._input = cast("asyncio.StreamWriter", process.stdin)
        self._output = cast("asyncio.StreamReader", process.stdout)
        self._listening: asyncio.Task[None] | None = None

    def listen(self, heard: Callable[[Said], None], gone: Callable[[], object]) -> None:
        """Hand on the answer; a window that vanishes has given none."""
        self._listening = asyncio.create_task(self._listen(heard, gone))

    async def _listen(self, heard: Callable[[Said], None], gone: Callable[[], object]) -> None:
        try:
            while (said := await self.read()) is not None:
                match said.get("answer"):
                    case "approve":
                        heard(Said("approve", "window"))
                    case "decline":
                        heard(Said("decline", "window"))
            await self._process.wait()
        finally:
            gone()

    async def tell(self, message: Mapping[str, str]) -> None:
        with suppress(OSError):
            self._input.write(json.dumps(message).encode() + b"\n")
            await self._input.drain()

    async def read(self) -> dict[str, object] | None:
        """Read one line; nothing when the window is gone or says what is no answer."""
        try:
            said = json.loads(await self._output.readline() or b"null")
        except ValueError:
            return None
        return said if isinstance(said, dict) else None

    async def close(self) -> None:
        self._input.close()
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        if self._listening is not None:
            await asyncio.gather(self._listening, return_exceptions=True)


def _reason(said: Mapping[str, object] | None) -> str:
    reason = "" if said is None else str(said.get("unavailable"))
    return reason if _REASONS.fullmatch(reason) else "no window appeared"


def open_window(_setting: Setting) -> Window:
    """Open the way to this machine's desktop."""
    return Window()
