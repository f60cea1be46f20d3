"""Forges: PATCH replaces every field of one, so all of them are sent again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_serverkit.errors import ToolFailure, UpstreamFailure
from mcp_serverkit.http.json_fields import Document, number_of

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import WoodpeckerAPI


async def create_forge(api: WoodpeckerAPI, body: Document) -> Document:
    """Add a forge. Before 3.12 its secret is only stored by a change of it.

    Raises:
        ToolFailure: It was added, and its secret was not stored.
    """
    made = await api.post("forges", body=body)
    number = number_of(made, "id")
    if number is None or not api.is_before(3, 12):
        return made
    try:
        return await api.patch("forges", number, body={**made, **body})
    except UpstreamFailure as failure:
        if failure.outcome == "done":
            raise
        raise ToolFailure(
            f"Forge {number} was created. Storing its secret failed: {failure.text} update_forge "
            "tries again."
        ) from failure


async def forge_body(api: WoodpeckerAPI, forge_id: int, changes: Document) -> Document:
    """Compose the whole forge with some changes.

    Args:
        api: The client.
        forge_id: The forge.
        changes: What changes; a secret under both names that versions know.

    Raises:
        ToolFailure: The account sees only the public part of a forge.
    """
    present = await api.get("forges", forge_id)
    if "client" not in present:
        raise ToolFailure(
            "Nothing was changed: this account sees only the public part of the forge, and "
            "sending that back would blank the rest. It takes an instance admin."
        )
    return {**present, **changes}
