from fastmcp import FastMCP

from mcp_approval import Detail, Question, approver_for, requires_approval

server = FastMCP("shop")
approver = approver_for(server)


def removal(branch: str) -> Question:
    return Question("delete a branch", "Its commits are lost.", (Detail("Branch", branch),))


@server.tool()
@requires_approval(approver, removal)
async def delete_branch(branch: str, force: bool = False) -> str:
    """Delete a branch of the shop's repository."""
    return f"deleted {branch}"


if __name__ == "__main__":
    server.run()
