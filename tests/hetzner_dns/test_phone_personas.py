"""Every guarded tool against all that may come back from a phone, in both eras."""

from __future__ import annotations

import pytest

from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.hetzner_dns.support import GUARDED
from tests.hetzner_dns.test_personas import NARROWED
from tests.support.clients import ERAS, Era
from tests.support.phone_personas import Case, hand, play_no, play_yes

REASONS = {GUARDED[reason][0]: reason for reason in NARROWED}
"""One reason for each tool."""


@pytest.mark.requirement("A-21")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", REASONS)
async def test_only_the_first_tap_reaches_the_api_and_once(
    tool: str,
    era: Era,
    backend: HetznerBackend,
    make_server: MakeServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = Case(
        lambda environ: make_server(HETZNER_EXTRAS="true", **environ),
        *GUARDED[REASONS[tool]],
        lambda: [str(write) for write in backend.writes],
    )
    with hand(monkeypatch) as phone:
        await play_no(case, phone, era)
    with hand(monkeypatch) as phone:
        assert len(await play_yes(case, phone, era)) == 1
