"""Every guarded tool against all that may come back from a phone, in both eras."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.conftest import MakeServer
from tests.ntfy.test_personas import CALLS
from tests.support.clients import ERAS, Era
from tests.support.phone_personas import Case, hand, play_no, play_yes


@pytest.mark.requirement("A-21")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", CALLS)
async def test_only_the_first_tap_reaches_the_backend_and_once(
    tool: str,
    era: Era,
    backend: NtfyBackend,
    make_server: MakeServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    backend.add_user("eve", "eve-password")

    def writes() -> list[str]:
        return [request.method for request in backend.requests if request.method != "GET"]

    case = Case(make_server, tool, CALLS[tool], writes)
    with hand(monkeypatch) as phone:
        await play_no(case, phone, era)
    with hand(monkeypatch) as phone:
        assert len(await play_yes(case, phone, era)) == 1
