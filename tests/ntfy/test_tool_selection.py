"""Which tools are offered, and which choices stop the server."""

from __future__ import annotations

import pytest

from ntfy_mcp.definition import NTFY
from ntfy_mcp.order import ESSENTIAL, EXTRAS
from ntfy_mcp.tools import TOOLS
from tests.ntfy.conftest import MakeServer
from tests.ntfy.support import started, stderr_of_refusal
from tests.support.clients import connect

READ_TOOLS = tuple(
    tool.name for tool in TOOLS if tool.annotations.read_only and tool.name not in EXTRAS
)


def offered(**environ: str) -> tuple[str, ...]:
    """The tools that settings offer."""
    return tuple(NTFY.offered(started(**environ).values))


@pytest.mark.requirement("T-ntfy-7")
@pytest.mark.parametrize("value", ["YES", "1", "true", "On"])
def test_read_only_offers_the_six_reading_tools(value: str) -> None:
    assert offered(NTFY_READ_ONLY=value) == READ_TOOLS
    assert len(READ_TOOLS) == 6


@pytest.mark.requirement("T-ntfy-7")
def test_a_writing_tool_cannot_be_allowed_with_read_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    err = stderr_of_refusal(capsys, NTFY_READ_ONLY="YES", NTFY_ALLOW_TOOLS="publish_message")
    assert "NTFY_READ_ONLY" in err
    for name in READ_TOOLS:
        assert name in err


@pytest.mark.requirement("T-ntfy-7")
def test_a_pattern_of_writing_tools_adds_nothing_to_read_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = offered(NTFY_READ_ONLY="YES", NTFY_ALLOW_TOOLS="delete_*, get_*")
    assert names == ("get_message", "get_server_info", "get_account")
    assert '"delete_*" adds nothing' in capsys.readouterr().err


@pytest.mark.requirement("T-ntfy-7")
def test_the_essential_tools_are_six_and_four_of_them_read() -> None:
    assert set(offered(NTFY_ALLOW_TOOLS="essential")) == set(ESSENTIAL) - set(EXTRAS)
    assert offered(NTFY_ALLOW_TOOLS="Essential", NTFY_READ_ONLY="1") == (
        "list_messages",
        "get_message",
        "check_topic_access",
        "get_server_info",
    )
    assert len(offered(NTFY_ALLOW_TOOLS="essential,list_users")) == 7


@pytest.mark.requirement("T-ntfy-8")
@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"NTFY_ALLOW_TOOLS": "tk_9f8e7d6c5b4a39281706"}, "entry 1 is no tool"),
        ({"NTFY_ALLOW_TOOLS": "get_account,tk_abc9"}, "entry 2 is no tool"),
        ({"NTFY_ALLOW_TOOLS": "publish"}, '"publish" is no tool'),
        ({"NTFY_ALLOW_TOOLS": "*_user"}, "may only stand at the end"),
        ({"NTFY_ALLOW_TOOLS": "list_*_x"}, "may only stand at the end"),
        ({"NTFY_DENY_TOOLS": "*"}, "no tool would be left"),
        ({"NTFY_DENY_TOOLS": "essential"}, '"essential" is no tool'),
        ({"NTFY_ALLOW_TOOLS": "get_account", "NTFY_DENY_TOOLS": "get_*"}, "no tool would be left"),
    ],
    ids=str,
)
def test_a_wrong_choice_of_tools_stops_the_server(
    environ: dict[str, str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    err = stderr_of_refusal(capsys, **environ)
    assert words in err
    assert "9f8e7d6c5b4a39281706" not in err
    assert "tk_abc9" not in err


async def test_a_tool_that_is_not_offered_does_not_exist(make_server: MakeServer) -> None:
    server = make_server({"NTFY_DENY_TOOLS": "delete_*"})
    async with connect(server, "2026-07-28") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert len(names) == 11
        with pytest.raises(Exception, match="Unknown tool: delete_user"):
            await client.call_tool("delete_user", {"username": "eve"})
