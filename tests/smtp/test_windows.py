"""A client whose window clips a form gets a question that fits it."""

from __future__ import annotations

from typing import cast

import pytest

from mcp_approval.blocks import rows_of
from tests.approval.raw import FORM, Document, wire
from tests.smtp.support import MAIL, Desk

BODY = "\n".join(f"line {number}" for number in range(1, 41))
TALL = "  This client's window holds no longer question; preview_mail shows the whole text."


@pytest.mark.requirement("C-27")
@pytest.mark.parametrize("name", ["claude-code", "another"])
async def test_a_mail_of_forty_lines_fits_a_window_that_clips(name: str, desk: Desk) -> None:
    async with wire(desk.server()) as client:
        await client.initialize("2025-11-25", FORM, name)
        call: Document = {"name": "send_mail", "arguments": {**MAIL, "body": BODY}}
        await client.start("tools/call", call)
        params = cast("Document", (await client.receive())["params"])
    message = str(params["message"])
    lines = message.split("\n")
    assert {"  To: anna@example.test", "  Subject: Figures", "  | line 40"} <= set(lines)
    assert (rows_of(message) <= 30) is (name == "claude-code")
    assert (TALL in lines) is (name == "claude-code")
    assert ("  | line 25" in lines) is (name == "another")
