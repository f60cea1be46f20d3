"""The objects behind the tools: settings, client, allowlist."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic import SecretStr

from mcp_serverkit.config.settings import Values
from mcp_serverkit.config.typed_settings import ServerSettings, secret
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import text_of
from ntfy_mcp import __version__
from ntfy_mcp.access import User, read_users
from ntfy_mcp.allowlist import TopicAllowlist
from ntfy_mcp.api.client import Credentials, NtfyClient, connect
from ntfy_mcp.listing import OwnIds


class NtfySettings(ServerSettings):
    """Settings of this server."""

    url: str | None
    token: SecretStr | None
    username: str | None
    password: SecretStr | None
    topics: tuple[str, ...]
    message_limit: int


@dataclass(frozen=True, slots=True)
class Ntfy:
    """What a tool of this server works with.

    Attributes:
        settings: The settings.
        client: The API client.
        allowlist: The topics that may be touched.
        own: What this process published.
        clock: Monotonic seconds.
    """

    settings: NtfySettings
    client: NtfyClient
    allowlist: TopicAllowlist
    own: OwnIds = field(default_factory=OwnIds)
    clock: Callable[[], float] = time.monotonic

    async def aclose(self) -> None:
        """Close the client."""
        await self.client.aclose()

    async def check(self) -> list[str]:
        """Read the own account."""
        account = await self.client.account()
        role = text_of(account, "role") or "unknown"
        return [f"reached {self.settings.url}", f"logged in with role: {role}"]

    async def accounts_before_asking(self) -> list[User] | None:
        """Read all accounts for a question about one of them.

        Returns:
            The accounts, or nothing when they could not be read for a passing reason.

        Raises:
            ToolFailure: The login lacks the role, so the call is bound to fail.
        """
        return await read_fact(self._accounts())

    async def _accounts(self) -> list[User]:
        return read_users(await self.client.users())


def build(values: Values, _offered: Sequence[str]) -> Ntfy:
    """Build the app from parsed settings."""
    settings = NtfySettings.from_values(values)
    credentials = Credentials(secret(settings.token), settings.username, secret(settings.password))
    client = connect(settings, settings.url, credentials, f"ntfy-mcp/{__version__}")
    return Ntfy(settings, client, TopicAllowlist(settings.topics))
