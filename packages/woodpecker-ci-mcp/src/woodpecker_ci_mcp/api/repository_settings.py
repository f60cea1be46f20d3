"""The settings of a repository as they go over the wire, which differs by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_serverkit.errors import BadArgument, ToolFailure
from mcp_serverkit.http.json_fields import Document, without_none

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import WoodpeckerAPI


@dataclass(slots=True)
class RepositoryPatch:
    """A change of settings.

    Attributes:
        body: What is sent to 3.x, trust as an object of flags.
        single_flag: Whether the repository knows one flag of trust, as 2.x does.
    """

    body: Document
    single_flag: bool = field(default=False)

    async def present(self, api: WoodpeckerAPI, repo_id: int) -> Document | None:
        """Read the repository, if the change must be compared with it or its line is unknown.

        Returns:
            The repository where approval or visibility change; else nothing.
        """
        compares = "require_approval" in self.body or "visibility" in self.body
        if not compares and not ("trusted" in self.body and api.is_before(3, 0) is not False):
            return None
        document = await api.get("repos", repo_id)
        self.single_flag = isinstance(document.get("trusted"), bool)
        return document if compares else None

    def on_the_wire(self, api: WoodpeckerAPI) -> Document:
        """Compose the body for the server's line.

        Raises:
            ToolFailure: The server knows one flag, and three different ones were given.
        """
        trusted = self.body.get("trusted")
        if not isinstance(trusted, dict) or not (self.single_flag or api.is_before(3, 0)):
            return self.body
        values = set(trusted.values())
        if len(trusted) < 3 or len(values) != 1:
            raise ToolFailure(
                "Woodpecker 2.x knows one trust for network, volumes and security together: give "
                "all three trusted_ arguments with the same value. Nothing was changed."
            )
        return {**self.body, "trusted": values.pop()}


def repository_patch(
    settings: Mapping[str, object], trusted: Mapping[str, bool | None]
) -> RepositoryPatch:
    """Collect the settings that are given.

    Raises:
        BadArgument: There are none.
    """
    body = without_none(settings, trusted=without_none(trusted) or None)
    if not body:
        raise BadArgument("repo_id", "nothing to update: give at least one setting")
    return RepositoryPatch(body)
