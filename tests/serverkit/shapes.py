"""Tools whose arguments have every shape that a server may declare."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.tools.constraints import Bytes, Length, Pattern, Range, Sketched, Validator
from mcp_serverkit.tools.registry import Call, Registry

SHAPES = Registry(source="shapes")

Word = Annotated[str, Pattern(r"[a-z]{1,8}", "1 to 8 lower-case letters")]
Level = Literal["low", "high"]


def _even(value: object) -> object:
    if isinstance(value, int) and value % 2:
        raise ValueError("must be even")
    return value


class Record(TypedDict):
    """One record."""

    value: Annotated[str, "Its value", Length(1, 20)]
    weight: NotRequired[Annotated[int, "Its weight", Range(0, 100)]]
    tags: NotRequired[list[Word]]
    hidden: NotRequired[bool]


class Kept(TypedDict):
    """What arrived."""

    kept: bool
    items: NotRequired[list[Record]]
    labels: NotRequired[dict[str, str]]
    note: NotRequired[str | None]


@SHAPES.read("Take everything")
async def take(
    call: Call[object],
    name: Annotated[str, "A text"],
    word: Annotated[Word | None, "A word"] = None,
    number: Annotated[int | None, "A number", Range(-5, 1_000)] = None,
    even: Annotated[int | None, "An even number", Validator(_even)] = None,
    share: Annotated[float | None, "A share"] = None,
    switch: Annotated[bool, "A switch"] = False,
    level: Annotated[Level | None, "A level"] = None,
    words: Annotated[list[Word] | None, "Words", Length(1, 3)] = None,
    records: Annotated[list[Record] | None, "Records", Length(0, 5)] = None,
    record: Annotated[Record | None, "A record"] = None,
    sketched: Annotated[Record | None, "A record: value, weight, tags", Sketched()] = None,
    labels: Annotated[dict[str, str] | None, "Labels"] = None,
    either: Annotated[int | str | None, "A number or a text"] = None,
    short: Annotated[str | None, "A short text", Bytes(8)] = None,
    from_: Annotated[str | None, "A name that Python keeps for itself"] = None,
) -> Kept:
    """Take arguments of every shape."""
    return {"kept": True}


@SHAPES.write("Set a time to live", destructive=False, idempotent=True)
async def set_ttl(
    call: Call[object],
    ttl: Annotated[int | None, "Seconds; null for the default", Range(60)],
    zone_id: Annotated[int, "Zone"],
) -> Kept:
    """Set a time to live, or take it away: the one null that means something."""
    return {"kept": True}


@SHAPES.write("Guard", destructive=True, idempotent=True, asks="always")
async def guarded(call: Call[object], names: Annotated[list[str], "Names"]) -> Kept:
    """Ask about something."""
    return {"kept": True}


@SHAPES.read("Nothing to say", foreign=True)
async def bare(call: Call[object]) -> Kept:
    """Take nothing."""
    return {"kept": True}
