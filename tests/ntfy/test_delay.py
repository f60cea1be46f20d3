"""Delays: sent as text, judged by the server, explained by its code."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import FENCED, publish_refused, published_body, serve, use
from tests.support.clients import text


@pytest.mark.case("R-02")
@pytest.mark.parametrize("delay", ["1798761600", 1798761600, "5s", "4d", "tomorrow 10am"])
async def test_a_delay_is_sent_as_text_for_the_server_to_judge(
    delay: object, backend: NtfyBackend
) -> None:
    backend.respond_next(200, {"id": "Ab3dE5gH7jK9", "time": 1797990010})
    assert (await published_body(backend, {"message": "x", "delay": delay}))["delay"] == str(delay)


@pytest.mark.case("R-02")
@pytest.mark.parametrize("delay", ["", "  ", "x" * 65, True, 1.5, ["5m"]])
async def test_what_no_server_takes_as_delay_is_refused(
    delay: object, backend: NtfyBackend
) -> None:
    assert (await publish_refused(backend, {"message": "x", "delay": delay})).startswith("delay:")


@pytest.mark.case("R-02")
@pytest.mark.parametrize(
    ("delay", "code", "words"),
    [
        ("4d", 40006, "3 days"),
        ("5s", 40005, "10 seconds"),
        ("soonish", 40004, "Unix seconds"),
    ],
)
async def test_the_three_delay_errors_are_problems_of_delay(
    delay: str, code: int, words: str, backend: NtfyBackend
) -> None:
    server = serve(backend, FENCED)
    result = await use(server, "publish_message", {"message": "x", "delay": delay})
    assert result.is_error
    assert str(code) in text(result)
    assert "The problem is delay" in text(result)
    assert words in text(result)
    assert "message limit" not in text(result)
