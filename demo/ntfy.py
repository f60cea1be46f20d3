"""The demo of ntfy-mcp."""

from __future__ import annotations

from demo.stage import Person, client, heading, say, show_result, show_tools
from ntfy_mcp.tools import TOOLS
from tests.backends.ntfy import NtfyBackend

MODULE = "ntfy_mcp"


async def demo() -> None:
    person = Person()
    with NtfyBackend() as backend:
        backend.add_user("ops", "ops-password")
        environ = {
            "NTFY_URL": backend.url,
            "NTFY_TOKEN": backend.add_token("ops"),
            "NTFY_TOPICS": "alerts",
        }
        for era in ("2025-11-25", "2026-07-28"):
            await _with_dialogs(environ, era, person)
        await _without_dialogs(environ)
        heading("What the ntfy instance saw")
        for request in backend.requests:
            if request.method != "GET":
                say(f"{request.method} {request.path}  {request.body.decode()}")


async def _with_dialogs(environ: dict[str, str], era: str, person: Person) -> None:
    heading(f"ntfy-mcp over stdio, protocol {era}, a client that shows dialogs")
    async with client(MODULE, environ, era, person) as connected:
        info = connected.server_info
        say(f"connected to {info.name if info else '?'} {info.version if info else ''}")
        if era == "2025-11-25":
            await show_tools(connected, {tool.name: tool.asks for tool in TOOLS})
        say("\npublish_message: nobody is asked")
        message = {"message": f"Backup finished ({era})", "priority": "high", "tags": ["tada"]}
        published = await connected.call_tool("publish_message", message)
        show_result(published)
        sequence_id = _sequence_id(published.structured_content)
        say("\nupdate_message: the client shows this, and you answer")
        revised = {"sequence_id": sequence_id, "message": "Backup finished, 3 warnings"}
        show_result(await connected.call_tool("update_message", revised))
        say("\ndelete_messages: declined")
        person.decline_next = True
        show_result(await connected.call_tool("delete_messages", {"sequence_ids": [sequence_id]}))


async def _without_dialogs(environ: dict[str, str]) -> None:
    heading("The same deletion from a client without dialogs")
    async with client(MODULE, environ, "2025-11-25", None) as connected:
        arguments: dict[str, object] = {"sequence_ids": ["nightly"]}
        first = await connected.call_tool("delete_messages", arguments)
        show_result(first)
        prompt = str(first.content[0])
        token = prompt.partition('confirm_token="')[2][:32]
        say("\nthe second call, with the token")
        show_result(
            await connected.call_tool("delete_messages", {**arguments, "confirm_token": token})
        )


def _sequence_id(published: object) -> str:
    assert isinstance(published, dict)
    return str(published["results"][0]["sequence_id"])
