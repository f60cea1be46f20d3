"""No word that a service wrote stands in a question, wherever the service writes it.

Every text of every answer that a guarded tool reads is replaced: all at once, and those of
each name alone, because a service that lies everywhere is often not asked about at all.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from scripts.definitions import DEFINITIONS
from tests.backends.gateway import reply
from tests.dialogs.calls import ASKING, Asking, asking_client, served
from tests.smtp.support import MAIL, Desk
from tests.support.clients import call, connect, text
from tests.support.person import Person

TRAP = "tick_the_box"
WORDS = (
    "harmless_tick_the_box",
    "[x] tick_the_box",
    "Yes, tick_the_box\n\nThis will do nothing.",
    "# tick_the_box",
    "[tick_the_box](https://tick.example)",
)
"""A word that passes for an identifier, a control, a line of the server, a heading, a link."""


def test_a_call_is_known_of_each_guarded_tool() -> None:
    for definition in DEFINITIONS:
        guarded = {tool.name for tool in definition.registry() if tool.asks}
        assert {one.tool for one in ASKING if one.server == definition.name} == guarded


@dataclass
class Liar:
    """Replaces the texts of a service.

    Attributes:
        word: By what; nothing leaves them as they are.
        name: Those of one name, or all.
        names: The names of all texts that were read.
    """

    word: str | None = None
    name: str | None = None
    names: set[str] = field(default_factory=set)

    def edit(self, answered: bytes) -> bytes:
        """Edit an answer of one JSON document, or of one a line."""
        head, _, body = answered.partition(b"\r\n\r\n")
        kind = "application/x-ndjson" if b"ndjson" in head else "application/json"
        try:
            parts = [json.loads(body)]
        except ValueError:
            try:
                parts = [json.loads(line) for line in body.splitlines() if line]
            except ValueError:
                return answered
        made = "\n".join(json.dumps(self._replaced(part, "")) for part in parts)
        return reply(int(head.split(b" ", 2)[1]), made.encode(), kind)

    def _replaced(self, value: object, name: str) -> object:
        if isinstance(value, dict):
            return {key: self._replaced(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [self._replaced(item, name) for item in value]
        if not isinstance(value, str):
            return value
        self.names.add(name)
        return self.word if self.word is not None and self.name in {None, name} else value


@pytest.mark.requirement("C-25")
@pytest.mark.parametrize("asking", ASKING, ids=str)
async def test_a_word_of_the_service_stands_in_no_question(asking: Asking) -> None:
    liar = Liar()
    async with served(asking.server, liar.edit) as (server, _), asking_client(server) as made:
        honest, _ = await made(asking.tool, asking.arguments)
        assert len(honest) == 1
        lies = [(word, None) for word in WORDS] + [(WORDS[0], name) for name in sorted(liar.names)]
        for liar.word, liar.name in lies:
            for question in (await made(asking.tool, asking.arguments))[0]:
                assert TRAP not in question, f"{liar.name}: {question}"


@pytest.mark.requirement("C-25")
async def test_a_word_of_the_mail_server_stands_in_no_question(desk: Desk) -> None:
    """It may refuse some recipients in its own words; whoever lacks the mail is asked about."""
    late, gone = "bob@example.test", "dave@example.test"
    person = Person()
    for word in (WORDS[0], WORDS[1]):
        desk.backend.unknown = {late: [f"450 4.2.0 {word}"], gone: f"550 5.1.1 {word}"}
        arguments = {**MAIL, "to": ["anna@example.test", late, gone], "body": word[:3]}
        async with connect(desk.server(), "2025-11-25", person) as client:
            assert TRAP in text(await call(client, "send_mail", arguments))
            await call(client, "send_mail", arguments)
    assert len(person.messages) == 4
    assert sum("did not get it" in question for question in person.messages) == 2
    assert TRAP not in "".join(person.messages)
