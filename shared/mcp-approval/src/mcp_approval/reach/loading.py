"""Opening the channels that the operator named, when the first question needs one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Protocol, cast

from mcp_approval.asking_call import ApproverState
from mcp_approval.reach.asking import Reach
from mcp_approval.reach.channel import Channel
from mcp_approval.reach.setting import ReachSettings, Setting

CHANNELS = {
    "phone": "mcp_approval.reach.phone:open_phone",
    "window": "mcp_approval.reach.window:open_window",
}
"""A word of the setting, and the function that opens its channel."""


class Asking(ApproverState, Protocol):
    """The approver, with what a reach is made of."""

    @property
    def settings(self) -> Mapping[str, object]:
        """The parsed variables on approvals."""

    @property
    def process(self) -> str:
        """This process among others."""

    @property
    def head(self) -> str:
        """The newest head of the record."""

    @property
    def log(self) -> Callable[[str], None]:
        """Takes a line."""

    @property
    def wall(self) -> Callable[[], float]:
        """Unix time."""

    @property
    def random_bytes(self) -> Callable[[int], bytes]:
        """Source of randomness."""

    def channel_key(self, word: str) -> bytes:
        """Derive the key of a channel."""


def open_channels(approver: Asking) -> list[Channel]:
    """Open what the operator named, in that order."""
    opened = []
    for word in cast("tuple[str, ...]", approver.settings["approval_reach"]):
        module, _, name = CHANNELS[word].partition(":")
        make = cast("Callable[[Setting], Channel]", getattr(import_module(module), name))
        opened.append(
            make(
                Setting(
                    approver.settings,
                    approver.server,
                    approver.process,
                    approver.channel_key(word),
                    lambda line: approver.log(f"{approver.server}: approval {line}"),
                    lambda: approver.head,
                    approver.clock,
                )
            )
        )
    return opened


def open_reach(approver: Asking) -> Reach:
    """Make what asks outside the client."""
    values = approver.settings
    return Reach(
        channels=open_channels(approver),
        settings=ReachSettings(
            str(values["approval_approver"]),
            float(cast("int", values["approval_wait_seconds"])),
            float(cast("int", values["approval_expires_seconds"])),
        ),
        server=approver.server,
        instance=approver.instance,
        nothing=approver.nothing,
        after_no=approver.after_no,
        random_bytes=approver.random_bytes,
        tell=approver.tell,
        log=lambda line: approver.log(f"{approver.server}: approval {line}"),
        clock=approver.clock,
        wall=approver.wall,
    )
