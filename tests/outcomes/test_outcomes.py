"""What is said of a write, against what the service did: each tool, each kind of answer.

The oracle is the stand-in's own record. "Not done" may be said only where nothing was
recorded, "done" only where something was.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import httpx
import mcp_types as types
import pytest
from mcp.client.session import ElicitationFnT

from mcp_serverkit.outcome import LOOK_FIRST, Outcome
from tests.backends.gateway import Answer, Fault, body_of, in_front_of, reply
from tests.outcomes.sites import SITES, Site, StandIn
from tests.support.clients import Arguments, Result, accept, call, connect, text

JSON = "application/json"
PAGE = b"<html>Bad gateway, try again later</html>"


@dataclass(frozen=True)
class Row:
    """A kind of answer.

    Attributes:
        name: What it is.
        outcome: What must be said of it.
        answer: Makes the answer.
        passed: Whether the request may have been passed on: before, after, or both.
    """

    name: str
    outcome: Outcome
    answer: Answer
    passed: tuple[bool, ...] = (False, True)


def says(status: int, body: bytes = PAGE, kind: str = "text/html", *fields: str) -> Answer:
    """Make an answer."""
    return lambda _: reply(status, body, kind, *fields)


def _broken(answered: bytes) -> bytes:
    whole = reply(200, body_of(answered) + b" " * 50)
    return whole[:-40]


def _statuses(outcome: Outcome, *statuses: int) -> list[Row]:
    passed = (False,) if outcome == "not_done" else (False, True)
    return [Row(f"a {status}", outcome, says(status), passed) for status in statuses]


def _done(name: str, answer: Answer) -> Row:
    return Row(name, "done", answer, (True,))


KINDS = [
    [
        Row("no status line", "unknown", lambda _: None),
        Row("half a status line", "unknown", lambda _: b"HTTP/1.1 20"),
    ],
    _statuses("unknown", 101, 302, 303),
    _statuses("not_done", 301, 307, 308),
    _statuses("not_done", 400, 403, 413, 429),
    _statuses("unknown", 408, 499),
    _statuses("not_done", 501, 505, 511),
    _statuses("unknown", 502, 503, 504, 520),
    [
        _done("compressed", lambda a: reply(200, body_of(a), JSON, "content-encoding: GZIP")),
        _done("cut off", _broken),
    ],
    [
        _done("no JSON", lambda _: reply(200, b'{"id":')),
        _done("of another shape", lambda _: reply(200, b"[1]")),
    ],
    [
        Row("a page as success", "unknown", says(200)),
        Row("a page as success, cut off", "unknown", lambda _: reply(200, PAGE, "text/html")[:-5]),
    ],
]
"""The kinds of answers; each tool meets one of each, so that together they meet all."""

WRITING = [
    (name, tool.name)
    for name, site in SITES.items()
    for tool in site.definition.registry()
    if not tool.annotations.read_only
]

AGAIN = re.compile(
    r"\b(?:try|trying|repeat) (?:it |this )?(?:again|later)|later try|work later", re.IGNORECASE
)


@pytest.mark.parametrize("name", SITES)
def test_there_is_a_call_for_each_tool_that_writes(name: str) -> None:
    assert {tool for site, tool in WRITING if site == name} <= set(SITES[name].calls)


async def _yes(_context: object, params: object) -> types.ElicitResult:
    assert isinstance(params, types.ElicitRequestFormParams)
    return accept()


async def said(site: Site, tool: str, url: str, arguments: Arguments | None = None) -> Result:
    """Call a tool with a person who says yes."""
    async with connect(site.server(url), "2025-11-25", cast("ElicitationFnT", _yes)) as client:
        return await call(client, tool, site.calls[tool] if arguments is None else arguments)


def _claim(result: Result) -> Outcome:
    told = text(result)
    if not result.is_error:
        return "done"
    if told.startswith("code: outcome_unknown\n"):
        return "unknown"
    assert re.search(r"Nothing was \w+", told), f"no word on the outcome: {told}"
    return "not_done"


def _check(result: Result, cell: str, recorded: int, expected: Outcome) -> None:
    told, claimed = text(result), _claim(result)
    assert claimed == expected, f"{cell}: {told}"
    assert recorded == 0 or claimed != "not_done", f"{cell}: {told}"
    assert recorded > 0 or claimed != "done", f"{cell}: {told}"
    if claimed != "not_done":
        assert not re.search(r"Nothing was \w+", told), f"{cell}: {told}"
        assert not AGAIN.search(re.sub(r"<(untrusted-\w+)>.*?</\1>", "", told, flags=re.S)), told
    if claimed == "unknown":
        _, sentence, hint = told.split("\n", 2)
        assert sentence == LOOK_FIRST, f"{cell}: {told}"
        assert hint, f"{cell}: {told}"
    else:
        assert "is unknown: look before" not in told, f"{cell}: {told}"


def _writes(stand_in: StandIn) -> int:
    return sum(request.method not in {"GET", "HEAD"} for request in stand_in.requests)


@pytest.mark.requirement("R-70", "C-9")
@pytest.mark.parametrize(("name", "tool"), WRITING)
async def test_what_is_said_of_a_write_is_what_the_service_did(name: str, tool: str) -> None:
    site = SITES[name]
    with site.stand_in() as stand_in:
        async with in_front_of(stand_in.url) as gateway:
            result = await said(site, tool, gateway.url)
    assert _claim(result) == "done", text(result)
    position = WRITING.index((name, tool))
    rows = [kind[position % len(kind)] for kind in KINDS]
    for row, passed in [(each, passed) for each in rows for passed in each.passed]:
        with site.stand_in() as stand_in:
            async with in_front_of(stand_in.url) as gateway:
                gateway.fault = Fault(passed, row.answer)
                result = await said(site, tool, gateway.url)
                cell = f"{tool}, {row.name}, {'passed on' if passed else 'not passed on'}"
                assert gateway.passed + gateway.stopped > 0, cell
                _check(result, cell, _writes(stand_in), row.outcome)


@pytest.mark.requirement("R-70", "C-9")
@pytest.mark.parametrize(("name", "tool"), WRITING)
async def test_what_never_left_is_told_as_not_done(
    name: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    send: Callable[..., object] = httpx.AsyncClient.send

    async def refuse(self: httpx.AsyncClient, request: httpx.Request, **more: object) -> object:
        if request.method != "GET":
            raise httpx.ConnectError("refused")
        return await send(self, request, **more)  # type: ignore[misc]

    monkeypatch.setattr(httpx.AsyncClient, "send", refuse)
    site = SITES[name]
    with site.stand_in() as stand_in:
        result = await said(site, tool, stand_in.url)
        _check(result, tool, _writes(stand_in), "not_done")
