"""Somebody at a client who answers questions and remembers them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import mcp_types as types

from tests.support.clients import accept


class Person:
    """Answers all questions alike, but for the first ones where those are given.

    Args:
        action: What the client reports.
        confirm: What stands under `confirm` of an accepted form.
        replies: What is answered first, in order.
        meanwhile: Happens while the person reads.

    Attributes:
        questions: The forms that were shown, in order.
    """

    def __init__(
        self,
        action: Literal["accept", "decline", "cancel"] = "accept",
        confirm: object = True,
        *,
        replies: Iterable[types.ElicitResult] = (),
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        usual = accept(confirm) if action == "accept" else types.ElicitResult(action=action)
        self._usual = usual
        self._replies = iter(replies)
        self._meanwhile = meanwhile
        self.questions: list[types.ElicitRequestFormParams] = []

    async def __call__(self, context: object, params: object) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        self.questions.append(params)
        self._meanwhile()
        return next(self._replies, self._usual)

    @property
    def messages(self) -> list[str]:
        """What was asked, in order."""
        return [question.message for question in self.questions]

    @property
    def last(self) -> str:
        """What was asked last."""
        assert self.questions, "nobody was asked"
        return self.messages[-1]
