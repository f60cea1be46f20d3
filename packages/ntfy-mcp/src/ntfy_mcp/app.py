"""The objects behind the tools: settings, client, allowlist."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import SecretStr

from mcp_serverkit.config.settings import Values
from mcp_serverkit.config.typed_settings import ServerSettings, secret
from mcp_serverkit.errors import Refused
from mcp_serverkit.facts import read_fact
from ntfy_mcp import __version__
from ntfy_mcp.access import User, read_users
from ntfy_mcp.allowlist import TopicAllowlist
from ntfy_mcp.api.client import Accepted, NtfyClient, connect
from ntfy_mcp.api.credentials import Credentials
from ntfy_mcp.api.error_hints import SET_BY_CONFIGURATION
from ntfy_mcp.listing import OwnIds
from ntfy_mcp.questions import OpenQuestions, Replies
from ntfy_mcp.settings import MESSAGE_LIMIT
from ntfy_mcp.waits import Waits


class NtfySettings(ServerSettings):
    """Settings of this server."""

    url: str | None
    token: SecretStr | None
    username: str | None
    password: SecretStr | None
    topics: tuple[str, ...]
    message_limit: int
    reply_topic: str | None
    reply_token: SecretStr | None
    reply_url: str | None

    @property
    def replies(self) -> Replies | None:
        """Where the answers of people arrive; nothing while no tool asks for them."""
        if not self.extras or self.reply_topic is None:
            return None
        url = self.reply_url or self.url or ""
        return Replies(self.reply_topic, url, secret(self.reply_token))


@dataclass(frozen=True, slots=True)
class Ntfy:
    """What a tool of this server works with.

    Attributes:
        settings: The settings.
        client: The API client.
        allowlist: The topics that may be touched.
        questions: The topic of approvals on this very instance, if there is one.
        replies: Where the answers of people arrive, if that is set.
        open_questions: The questions that nobody has answered yet.
        own: What this process published.
        waits: How many calls wait at the moment.
        clock: Monotonic seconds.
    """

    settings: NtfySettings
    client: NtfyClient
    allowlist: TopicAllowlist
    questions: str = ""
    replies: Replies | None = None
    open_questions: OpenQuestions = field(default_factory=OpenQuestions)
    own: OwnIds = field(default_factory=OwnIds)
    waits: Waits = field(default_factory=Waits)
    clock: Callable[[], float] = time.monotonic

    async def aclose(self) -> None:
        """Close the client."""
        await self.client.aclose()

    async def check(self) -> list[str]:
        """Read the own account, and ask what may be read."""
        from ntfy_mcp.checking import check

        replies = self.replies
        token = replies.token if replies else None
        return await check(
            self.client,
            str(self.settings.url),
            self.allowlist.topics,
            self.questions,
            replies.topic if replies else "",
            _client(self.settings, Credentials(token)) if token else None,
        )

    async def publish(self, message: Mapping[str, object], file: bytes | None = None) -> Accepted:
        """Publish one message, and remember that it is an own one."""
        try:
            accepted = await self.client.publish(message, file)
        except Refused as refusal:
            if refusal.error_code == 41303 and self.settings.message_limit != MESSAGE_LIMIT:
                refusal.hint += " NTFY_MESSAGE_LIMIT is set: the instance's own limit may be lower."
            raise
        self.own.add(accepted.document)
        return accepted

    async def delete_user(self, username: str, *, seen: bool) -> None:
        """Remove an account; `seen` tells whether it was in the list a moment ago."""
        try:
            await self.client.delete_user(username)
        except Refused as refusal:
            if seen and refusal.status == 500:
                refusal.hint = f"{SET_BY_CONFIGURATION} {refusal.hint}"
            raise

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


def kept_for_approvals(values: Values) -> tuple[str, ...]:
    """The two topics by which a person approves calls, whoever is asked by them."""
    named = (values["approval_ntfy_ask_topic"], values["approval_ntfy_answer_topic"])
    return tuple(str(name) for name in named if name)


def _client(settings: NtfySettings, credentials: Credentials) -> NtfyClient:
    return connect(settings, settings.url, credentials, f"ntfy-mcp/{__version__}")


def build(values: Values, _offered: Sequence[str]) -> Ntfy:
    """Build the app from parsed settings."""
    settings = NtfySettings.from_values(values)
    credentials = Credentials(secret(settings.token), settings.username, secret(settings.password))
    replies = settings.replies
    kept, answers = kept_for_approvals(values), replies.topic if replies else ""
    allowlist = TopicAllowlist(settings.topics, kept, answers)
    here = values["approval_ntfy_url"] == settings.url
    questions = values["approval_ntfy_ask_topic"] if here else None
    client = _client(settings, credentials)
    return Ntfy(settings, client, allowlist, str(questions or ""), replies)
