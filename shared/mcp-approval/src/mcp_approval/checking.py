"""Trying what the operator named outside the client, without asking anybody anything."""

from __future__ import annotations

import os
from typing import NamedTuple

from mcp_approval.accounting import CannotRecord
from mcp_approval.reach.channel import NotReached, Unsafe
from mcp_approval.reach.loading import Asking, open_channels
from mcp_approval.record.file import RecordFile


class Checked(NamedTuple):
    """What was found, a line each, and whether it all works."""

    lines: list[str]
    works: bool


async def check_outside(approver: Asking) -> Checked:
    """Try each channel, and whether the record can be built upon.

    One way to a person is enough, unless another one is set up so that it must not be used.
    """
    lines: list[str] = []
    channels = open_channels(approver) if approver.settings.get("approval_reach") else []
    works, safe = not channels, True
    for channel in channels:
        try:
            lines += await channel.check()
            works = True
        except NotReached as reason:
            lines.append(f"{channel.word}: {reason}")
            safe = safe and not isinstance(reason, Unsafe)
        finally:
            await channel.aclose()
    path = approver.settings.get("approval_record")
    writable = True
    if isinstance(path, str):
        line, writable = _record(path)
        lines.append(line)
    return Checked(lines, writable and works and safe)


def _record(path: str) -> tuple[str, bool]:
    try:
        last = RecordFile(path).last()
    except CannotRecord as error:
        return f"record: {error}", False
    if not os.access(path if os.path.exists(path) else os.path.dirname(path), os.W_OK):
        return "record: cannot be written", False
    if last is None:
        return "record: none yet, can be written", True
    return f"record: {last.seq} records, head {last.head}, can be written", True
