"""Wrong uses of the decorator, each with the complaint that the type checker must make.

Nothing here is run: a complaint that is not made is itself one.
"""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from mcp.server import MCPServer

from mcp_approval import Question, approver_for, requires_approval


def asked(value: str) -> Question:
    return Question("do it", "It is done.")


def wrongly_asked(value: str) -> str:
    return value


async def uses() -> int:
    server = MCPServer[object]("shop")
    approver = approver_for(server, environ={})

    @server.tool()
    @requires_approval(approver, asked)
    async def act(value: str) -> str:
        return value

    requires_approval(approver, wrongly_asked)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    approver_for("shop")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    await act(1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    act("x")  # type: ignore[unused-coroutine]  # pyright: ignore[reportUnusedCoroutine]
    text: str = act(value="x")  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    right: str = await act("x")
    assert right == text
    return await act("x")  # type: ignore[return-value]  # pyright: ignore[reportReturnType]
