"""A desktop that nobody sees: an X server of its own, and hands that type and click on it."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

PROGRAMS = ("Xvfb", "xdotool")


def missing() -> str:
    """What this machine lacks; empty when nothing."""
    lacking = [name for name in PROGRAMS if shutil.which(name) is None]
    if find_spec("tkinter") is None:
        lacking.append("tkinter")
    return f"needs {', '.join(lacking)}" if lacking else ""


@dataclass(frozen=True, slots=True)
class Desktop:
    """One display."""

    display: str

    @property
    def environ(self) -> dict[str, str]:
        """What a program needs to draw on it."""
        return {"DISPLAY": self.display, "HOME": "/nonexistent", "LANG": "C.UTF-8"}

    def hand(self, *arguments: str) -> str:
        """Let `xdotool` do something."""
        done = subprocess.run(
            ["xdotool", *arguments],
            env={**os.environ, "DISPLAY": self.display},
            check=True,
            capture_output=True,
            text=True,
            timeout=30,
        )
        return done.stdout.strip()

    def windows(self, title: str) -> list[str]:
        """The windows with this title that can be seen."""
        with contextlib.suppress(subprocess.CalledProcessError):
            return self.hand("search", "--onlyvisible", "--name", title).split()
        return []

    def size(self, window: str) -> tuple[int, int]:
        """Width and height of a window."""
        lines = self.hand("getwindowgeometry", "--shell", window).splitlines()
        told = dict(line.split("=") for line in lines)
        return int(told["WIDTH"]), int(told["HEIGHT"])

    def point(self, window: str, x: int, y: int) -> None:
        """Move the pointer; without a window manager the keys follow it."""
        self.hand("mousemove", "--sync", "--window", window, str(x), str(y))

    def keys(self, *names: str) -> None:
        """Press keys, one after the other."""
        self.hand("key", "--clearmodifiers", *names)

    def click(self, button: int = 1) -> None:
        """Click where the pointer is."""
        self.hand("click", str(button))

    def close(self, window: str) -> None:
        """Ask a window to close, as the cross in its corner does."""
        _close(self.display, int(window))


class _Message(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("rest", ctypes.c_long * 24),
    )


_CLIENT_MESSAGE = 33


def _close(name: str, window: int) -> None:
    x11 = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(name.encode()))
    protocols, delete = (
        x11.XInternAtom(display, atom, 0) for atom in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW")
    )
    message = _Message(type=_CLIENT_MESSAGE, window=window, message_type=protocols, format=32)
    message.data[0] = delete
    x11.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(message))
    x11.XCloseDisplay(display)


@contextlib.contextmanager
def desktop() -> Iterator[Desktop]:
    """Start an X server under a number that is free."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1024x768x24", "-nolisten", "tcp"],
        pass_fds=(writing,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        if not number:
            raise RuntimeError("the X server did not start")
        yield Desktop(f":{number}")
    finally:
        server.terminate()
        server.wait(timeout=20)
