"""Every guarded tool against all that may come back from a phone, in both eras."""

from __future__ import annotations

import pytest

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import ERAS, Era
from tests.support.phone_personas import Case, hand, play_no, play_yes
from tests.woodpecker.calls import GUARDED, arrange
from tests.woodpecker.conftest import MakeServer

CALLS = {guarded.tool: guarded for guarded in reversed(GUARDED)}
"""One reason for each tool: the first, which stands after it was followed as well."""


@pytest.mark.requirement("A-21")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", CALLS)
async def test_only_the_first_tap_reaches_the_backend_and_once(
    tool: str,
    era: Era,
    backend: WoodpeckerBackend,
    make_server: MakeServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arrange(backend)
    case = Case(
        make_server,
        tool,
        CALLS[tool].arguments,
        lambda: [f"{request.method} {request.target}" for request in backend.writes],
    )
    with hand(monkeypatch) as phone:
        await play_no(case, phone, era)
    with hand(monkeypatch) as phone:
        assert await play_yes(case, phone, era) == list(CALLS[tool].writes)
