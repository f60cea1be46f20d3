"""The approval library's example: printed, and then called by two kinds of client."""

from __future__ import annotations

from demo.stage import ERAS, Person, client, heading, say, show_result
from scripts.library_readme import EXAMPLE
from tests.approval.raw import Document
from tests.support.clients import token_in

TOOL = "delete_branch"


async def demo() -> None:
    heading("A server that somebody else wrote, with two lines of this library")
    print(EXAMPLE.read_text(encoding="utf-8"))
    person = Person()
    for era in ERAS:
        heading(f"A client with dialogs ({era})")
        async with client(EXAMPLE, {}, era, person) as connected:
            for branch in ("old-idea", "main"):
                say(f"→ {TOOL} {branch}")
                person.decline_next = branch == "main"
                show_result(await connected.call_tool(TOOL, {"branch": branch}))
    heading("A client without dialogs: the token proves two equal calls, and no person")
    async with client(EXAMPLE, {}, "2025-11-25", None) as connected:
        arguments: Document = {"branch": "old-idea"}
        say(f"→ {TOOL} old-idea")
        prompt = await connected.call_tool(TOOL, arguments)
        show_result(prompt)
        say(f"→ {TOOL} main, with that token")
        token = token_in(prompt)
        other = {"branch": "main", "confirm_token": token}
        show_result(await connected.call_tool(TOOL, other))
        say(f"→ {TOOL} old-idea, with that token")
        show_result(await connected.call_tool(TOOL, {**arguments, "confirm_token": token}))
