"""Every sending tool against all that may come back from a phone, in both eras."""

from __future__ import annotations

import pytest

from tests.smtp.support import SENDING, Desk
from tests.support.clients import ERAS, Era
from tests.support.phone_personas import Case, hand, play_no, play_yes


def case(tool: str, desk: Desk) -> Case:
    return Case(
        lambda environ: desk.server(**environ),
        tool,
        SENDING[tool],
        lambda: ["mail" for _ in desk.backend.messages],
    )


@pytest.mark.requirement("A-21")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", SENDING)
async def test_only_the_first_tap_sends_and_once(
    tool: str, era: Era, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hand(monkeypatch) as phone:
        await play_no(case(tool, desk), phone, era)
    with hand(monkeypatch) as phone:
        assert await play_yes(case(tool, desk), phone, era) == ["mail"]
