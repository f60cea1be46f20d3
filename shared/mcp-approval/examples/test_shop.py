from shop import approver, delete_branch, server

from mcp_approval.testing import scripted, unguarded


async def test_a_branch_is_deleted_after_a_yes() -> None:
    assert await unguarded(server) == []
    with scripted(approver, "yes") as shown:
        assert await delete_branch("main") == "deleted main"
    assert "Branch: main" in shown[0]
