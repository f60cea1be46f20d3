"""The objects behind the tools: settings, client, allowlist."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import SecretStr

from mcp_serverkit.config.settings import Values
from mcp_serverkit.config.typed_settings import ServerSettings, secret
from mcp_serverkit.errors import BadArgument, Refused, ToolFailure
from mcp_serverkit.http.client import HTTP
from mcp_serverkit.http.connection import Connection
from mcp_serverkit.http.json_fields import text_of
from ntfy_mcp import __version__
from ntfy_mcp.access import User, read_users
from ntfy_mcp.api.client import Credentials, NtfyClient
from ntfy_mcp.settings import TOPIC


class NtfySettings(ServerSettings):
    """Settings of this server."""

    url: str | None
    token: SecretStr | None
    username: str | None
    password: SecretStr | None
    topics: tuple[str, ...]
    message_limit: int


class TopicAllowlist:
    """The topics that this server may touch: all, or those that the operator listed."""

    def __init__(self, topics: tuple[str, ...]) -> None:
        self.topics = topics

    def require_allowed(self, topic: str, argument: str = "topic") -> str:
        """Return a topic that may be touched.

        Raises:
            BadArgument: It may not; the allowed names stay secret.
        """
        if not re.fullmatch(TOPIC, topic):
            raise BadArgument(argument, "is no topic name")
        if self.topics and topic not in self.topics:
            raise BadArgument(
                argument, f'"{topic}" is not among the {len(self.topics)} topics of NTFY_TOPICS'
            )
        return topic

    def resolve(self, topic: str | None, argument: str = "topic") -> str:
        """Return the topic that is meant: the given one, or the first allowed one."""
        if topic is not None:
            return self.require_allowed(topic, argument)
        if not self.topics:
            raise BadArgument(argument, "name one: NTFY_TOPICS sets no default topic")
        return self.topics[0]

    def resolve_all(self, topics: list[str] | None) -> list[str]:
        """Return the topics that are meant, each once."""
        if topics is None:
            return [self.resolve(None, "topics")]
        return [self.require_allowed(topic, "topics") for topic in dict.fromkeys(topics)]

    def require_allowed_pattern(self, pattern: str) -> str:
        """Return a pattern of an access rule; an allowlist admits no wildcard."""
        if self.topics and "*" in pattern:
            raise BadArgument("topic", "NTFY_TOPICS is set, so a rule may not hold a wildcard")
        return self.require_allowed(pattern) if self.topics else pattern


@dataclass(frozen=True, slots=True)
class Ntfy:
    """What a tool of this server works with.

    Attributes:
        settings: The settings.
        client: The API client.
        allowlist: The topics that may be touched.
        now: Unix time.
        clock: Monotonic seconds.
    """

    settings: NtfySettings
    client: NtfyClient
    allowlist: TopicAllowlist
    now: Callable[[], float] = time.time
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
        try:
            return read_users(await self.client.users())
        except Refused as refusal:
            if refusal.status in {401, 403, 404}:
                raise
            return None
        except ToolFailure:
            return None


def build(values: Values, _offered: Sequence[str]) -> Ntfy:
    """Build the app from parsed settings."""
    settings = NtfySettings.from_values(values)
    connection = Connection(
        base_url=settings.url or "http://unset.invalid",
        service="ntfy",
        variable="NTFY_URL",
        timeout=settings.timeout,
        user_agent=f"ntfy-mcp/{__version__}",
        insecure_tls=settings.insecure_tls,
        ca_file=settings.ca_file,
        ca_variable="NTFY_CA_FILE",
    )
    credentials = Credentials(secret(settings.token), settings.username, secret(settings.password))
    # ntfy sends no Retry-After, and repeating into its 429 leads to an address ban. A comma
    # separates topics in its paths and is part of no name.
    client = NtfyClient(HTTP(connection, repeat_429=False, path_safe=","), credentials)
    return Ntfy(settings, client, TopicAllowlist(settings.topics))
