"""Questions that a person answers with a button: what is sent, and which are still open.

The buttons publish to a topic of their own. An answer is known by a word that only its button
holds; what else an entry of that topic says is never looked at.
"""

from __future__ import annotations

import json
from asyncio import Lock
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mcp_serverkit.errors import DoneUnreadable
from mcp_serverkit.http.json_fields import Document, number_of, text_of
from ntfy_mcp.api.client import Accepted

OPEN_SECONDS = 3600.0
"""How long the same call joins a question: nobody looks for the answer to an older one."""

OPEN_LIMIT = 20
"""More questions than one person has open; the oldest is forgotten."""

WORD_CHARS = 22
"""About 130 random bits, as many as a random UUID has."""


@dataclass(frozen=True, slots=True)
class Replies:
    """Where answers arrive.

    Attributes:
        topic: The topic that the buttons publish to.
        url: Address under which a phone reaches the instance.
        token: Login of the buttons, if they have one.
    """

    topic: str
    url: str
    token: str | None = field(default=None, repr=False)

    def button(self, label: str, word: str) -> dict[str, object]:
        """Compose the button that gives one answer."""
        answer = {"topic": self.topic, "message": label, "priority": 1, "tags": [word]}
        login = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return {
            "action": "http",
            "label": label,
            "url": f"{self.url}/",
            "method": "POST",
            "headers": {"Content-Type": "application/json", **login},
            "body": json.dumps(answer, ensure_ascii=False),
            "clear": True,
        }


class Wording(NamedTuple):
    """What makes two calls the same question."""

    topic: str
    question: str
    answers: tuple[str, ...]
    title: str | None
    priority: int | None


@dataclass(frozen=True, slots=True)
class Question:
    """A question that was published.

    Attributes:
        id: Its id.
        time: Unix time of its publication, by the instance's clock.
        labels: The answers by the words of their buttons.
        asked: Monotonic seconds of its publication.
    """

    id: str
    time: int
    labels: Mapping[str, str]
    asked: float

    def answer(self, entry: Document) -> str | None:
        """Return the label whose word an entry carries, and no other."""
        tags = entry.get("tags")
        words = {tag for tag in tags if isinstance(tag, str)} if isinstance(tags, list) else set()
        found = [label for word, label in self.labels.items() if word in words]
        return found[0] if len(found) == 1 else None


class OpenQuestions:
    """The questions that nobody has answered yet.

    Attributes:
        publishing: Held while a question is looked up or published, so that two equal calls
            make one notification.
    """

    def __init__(self) -> None:
        self.publishing = Lock()
        self._open: dict[Wording, Question] = {}

    def find(self, wording: Wording, now: float) -> Question | None:
        """Return the open question of these words."""
        self._open = {
            key: known for key, known in self._open.items() if now - known.asked < OPEN_SECONDS
        }
        return self._open.get(wording)

    def add(self, wording: Wording, question: Question) -> None:
        """Remember a question."""
        self._open[wording] = question
        if len(self._open) > OPEN_LIMIT:
            del self._open[next(iter(self._open))]

    def close(self, wording: Wording, question: Question) -> None:
        """Forget a question that was answered; the same words then ask anew."""
        if self._open.get(wording) is question:
            del self._open[wording]


def new_words(answers: Sequence[str]) -> dict[str, str]:
    """Make a word for each answer; return the answers by their words."""
    import secrets  # here, so that a server without questions does not load it
    import string

    alphabet = string.ascii_letters + string.digits
    return {
        "re-" + "".join(secrets.choice(alphabet) for _ in range(WORD_CHARS)): answer
        for answer in answers
    }


def published(accepted: Accepted, labels: Mapping[str, str], asked: float) -> Question:
    """Read what became of a publication.

    Raises:
        DoneUnreadable: Neither can be waited for, nor is there anything to point at.
    """
    name, time = text_of(accepted.document, "id"), number_of(accepted.document, "time")
    if name is None or time is None:
        raise DoneUnreadable("ntfy's answer holds no id or no time.")
    return Question(name, time, labels, asked)
