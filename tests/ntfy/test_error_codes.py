"""What an error code of ntfy means, and what to do about it."""

from __future__ import annotations

import pytest

from ntfy_mcp.api.error_hints import hint
from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, listed, serve, use
from tests.support.clients import ERAS, Era, structured, text

CODES = (
    *range(40001, 40012),
    *(40013, 40014, 40015, 40017, 40018, 40021, 40024, 40025),
    *range(40030, 40038),
    *range(40041, 40057),
    *(40101, 40301, 40401),
    *range(40901, 40909),
    *(41001, 41301, 41303),
    *range(42901, 42912),
    *(50001, 50002, 50003, 50004, 50701),
)
"""The codes of ntfy 2.27 but for those of signing up, paying, Matrix and web push."""


@pytest.mark.requirement("N-17")
@pytest.mark.parametrize("code", CODES)
def test_each_code_of_ntfy_has_a_word(code: int) -> None:
    assert hint("POST", "/", code // 100, code)


@pytest.mark.requirement("N-17")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (40003, "about e-mail, which this server does not send"),
        (40050, "about e-mail"),
        (40054, "about e-mail"),
        (42902, "about e-mail"),
        (40033, "about phone calls, which this server does not make"),
        (40036, "about phone calls"),
        (40037, "about phone calls"),
        (40904, "about phone calls"),
        (41001, "about phone calls"),
        (42910, "about phone calls"),
        (40041, "about templates, which this server does not use"),
        (40048, "about templates"),
        (40055, "about templates"),
        (40056, "about templates"),
        (40046, "user name"),
        (40049, "1 to 64 letters, digits, - and _"),
        (40902, "one's own account, which this server does not do"),
        (40908, "one's own account"),
        (42906, "one's own account"),
        (42907, "one's own account"),
        (40905, "server's configuration"),
        (40906, "server's configuration"),
        (50002, "check NTFY_URL"),
        (50003, "lacks base-url"),
        (50004, "about web push"),
    ],
)
async def test_a_refused_publication_says_what_the_code_is_about(
    code: int, words: str, era: Era, backend: NtfyBackend
) -> None:
    backend.fail_next(code, method="POST")
    result = await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"}, era=era)
    assert result.is_error
    assert f"code {code}" in text(result)
    assert words in text(result)


@pytest.mark.requirement("N-17")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("version", "topic", "status"),
    [("2.28.0", "docs", 404), ("2.28.0", "v1", 400), ("2.20.0", "v1", 400)],
)
async def test_a_name_that_the_instance_keeps_is_called_reserved(
    version: str, topic: str, status: int, era: Era
) -> None:
    with NtfyBackend(version) as backend:
        server = serve(backend, {"NTFY_USERNAME": "", "NTFY_PASSWORD": ""})
        given = {"topics": [topic, "alerts"]}
        result = structured(await use(server, "check_topic_access", given, era=era))
    reserved, open_one = listed(result, "results")
    assert (reserved["status"], reserved["note"]) == (status, "reserved on this instance")
    assert (reserved["read_access"], open_one["read_access"]) == (False, True)
