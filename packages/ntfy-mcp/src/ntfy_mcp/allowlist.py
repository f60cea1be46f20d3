"""Which topics this server may touch."""

from __future__ import annotations

import re

from mcp_serverkit.errors import BadArgument
from ntfy_mcp.settings import TOPIC


class TopicAllowlist:
    """The topics that this server may touch: all, or those that the operator listed.

    Args:
        topics: Those that the operator listed; none means all.
        kept: Topics by which a person approves calls. Whoever may read or write there could
            answer in that person's place, so no tool touches them.
        replies: The topic where people's answers arrive; tools read it and do not write to it,
            or a model could answer itself.
    """

    def __init__(
        self, topics: tuple[str, ...], kept: tuple[str, ...] = (), replies: str = ""
    ) -> None:
        self.topics = topics
        self._replies = replies.lower()
        self._kept = tuple(name.lower() for name in kept)

    def require_allowed(self, topic: str, argument: str = "topic") -> str:
        """Return a topic that may be touched.

        Raises:
            BadArgument: It may not; the allowed names stay secret.
        """
        if topic.lower() in self._kept:
            raise BadArgument(argument, "is kept for approvals")
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

    def resolve_target(self, topic: str | None, argument: str = "topic") -> str:
        """Return the topic that is meant to be written to."""
        resolved = self.resolve(topic, argument)
        if resolved.lower() == self._replies:
            raise BadArgument(
                argument, "answers of people arrive there; this server does not write to it"
            )
        return resolved

    def resolve_targets(self, topics: list[str] | None) -> list[str]:
        """Return the topics that are meant to be written to, each once."""
        return [self.resolve_target(topic, "topics") for topic in self.resolve_all(topics)]

    def require_allowed_pattern(self, pattern: str) -> str:
        """Return a pattern of an access rule; an allowlist admits no wildcard.

        Raises:
            BadArgument: It is not among the allowed topics, or would reach one that is kept
                for approvals: a grant would let somebody answer, a denial silence a person.
        """
        covers = ".*".join(map(re.escape, pattern.lower().split("*")))
        if any(re.fullmatch(covers, name) for name in self._kept):
            raise BadArgument("topic", "covers a topic that is kept for approvals")
        if self.topics and "*" in pattern:
            raise BadArgument("topic", "NTFY_TOPICS is set, so a rule may not hold a wildcard")
        return self.require_allowed(pattern) if self.topics else pattern
