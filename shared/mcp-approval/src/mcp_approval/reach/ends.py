"""How a call ends that waits for a person outside the client and does not go on."""

from __future__ import annotations

from typing import NamedTuple

from mcp_approval import messages
from mcp_approval.exceptions import Awaiting, CallEnded, DeclinedOutside, Superseded, Unanswered
from mcp_approval.reach import words
from mcp_approval.reach.standing import AFTER_ANSWER_SECONDS, Question
from mcp_approval.verdict import Verdict


class Ends(NamedTuple):
    """Words for the ends of calls.

    Attributes:
        who: Who is asked.
        nothing: The server's sentence for "it did not happen".
        after_no: What a no costs, as a sentence; empty when nothing.
    """

    who: str
    nothing: str
    after_no: str

    def awaiting(self, tool: str, question: Question, raised: bool) -> Awaiting:
        """The question stays open, and the same call learns its answer."""
        how, asked, until = question.channel.how, question.asked_wall, question.until
        told = {
            "way": question.channel.word,
            "asked": words.iso_time(asked),
            "until": words.iso_time(until),
        }
        text = words.awaiting(self.who, how, asked, until, tool, self.nothing)
        return Awaiting(text, told, Verdict(raised=raised))

    def refuse_no(self, question: Question, raised: bool) -> None:
        """End the call if the answer is a no."""
        if question.standing == "no":
            text = words.declined(self.who, question.channel.how, self.nothing, self.after_no)
            raise DeclinedOutside(text, Verdict(raised=raised, answered=True))

    def declined_before(self, question: Question) -> DeclinedOutside:
        """A no that an earlier call brought answers this one as well."""
        again = question.answered_wall + AFTER_ANSWER_SECONDS
        how, answered = question.channel.how, question.answered_wall
        text = words.declined_before(self.who, how, answered, again, self.nothing)
        return DeclinedOutside(text, Verdict(answered=True))

    def over(self, question: Question, raised: bool) -> CallEnded:
        """The question ended under a call that waited for its answer."""
        verdict = Verdict(raised=raised)
        if question.standing == "expired":
            how, asked = question.channel.how, question.asked_wall
            return Unanswered(words.not_answered(self.who, how, asked, self.nothing), verdict)
        return Superseded(messages.TAKEN_OVER.format(nothing=self.nothing), verdict)
