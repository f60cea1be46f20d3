"""What goes wrong in a tool call, in words for the caller.

    ToolFailure             the text is shown as it is
    ├── BadArgument         an argument, by name
    ├── NotConfigured       a variable, by name
    ├── CheckFailed     a check by the operator, with what else it found
    ├── Failed              the tool's own object says what failed
    └── UpstreamFailure     the service behind the server
        ├── Refused         it answered with an error status
        ├── Unreachable     no answer came
        ├── Unexpected      an answer that is not the announced one
        └── DoneUnreadable  it did what was asked, and its answer cannot be used

API clients raise these too; nothing here knows MCP. Anything that is no `ToolFailure`
is a defect: the caller gets one general sentence, the log the place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_serverkit.outcome import Outcome


class ToolFailure(Exception):  # noqa: N818 (names say what happened, see the tree above)
    """Ends a call with an error result."""

    def __init__(self, text: str, *, code: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.code = code

    @property
    def approval_outcome(self) -> str:
        """What became of an approved call that ended so: before the act, unless it says more."""
        return "unknown" if self.code == "outcome_unknown" else "failed"


class BadArgument(ToolFailure):
    """An argument is missing, unknown or out of its rules."""

    def __init__(self, argument: str, problem: str) -> None:
        super().__init__(f"{argument}: {problem}")
        self.argument = argument


class NotConfigured(ToolFailure):
    """The operator has not set what this call needs."""


class CheckFailed(ToolFailure):
    """A check found something to be mended.

    Attributes:
        lines: What else it found.
    """

    def __init__(self, text: str, lines: Sequence[str]) -> None:
        super().__init__(text)
        self.lines = lines


class Failed(ToolFailure):
    """Nothing of it happened for certain, and the usual object tells why, in parts."""

    def __init__(self, text: str, result: Mapping[str, object], *, code: str = "") -> None:
        super().__init__(text, code=code)
        self.result = result


class UpstreamFailure(ToolFailure):
    """The service behind the server did not do it, or may not have.

    Attributes:
        hint: What to do next.
        outcome: What became of what was asked; nothing where a reading failed.
    """

    def __init__(
        self, text: str, *, code: str = "", hint: str = "", outcome: Outcome | None = None
    ) -> None:
        super().__init__(text, code=code)
        self.hint = hint
        self.outcome: Outcome | None = outcome

    @property
    def approval_outcome(self) -> str:
        """What became of an approved call that ended so."""
        return self.outcome if self.outcome in {"done", "unknown"} else super().approval_outcome


class Refused(UpstreamFailure):
    """An answer with an error status.

    Attributes:
        status: HTTP status.
        error_code: The service's own code, if it sent one.
        body: The service's words, uncleaned; shown only fenced.
    """

    def __init__(
        self,
        text: str,
        *,
        status: int,
        error_code: int | str | None = None,
        body: str = "",
        hint: str = "",
        outcome: Outcome | None = None,
    ) -> None:
        super().__init__(text, hint=hint, outcome=outcome)
        self.status = status
        self.error_code = error_code
        self.body = body


class Unreachable(UpstreamFailure):
    """No answer: name, network, certificate, proxy or time."""


class Unexpected(UpstreamFailure):
    """An answer that this server cannot use: too large, a redirect, a page, no JSON."""


class DoneUnreadable(UpstreamFailure):
    """The service did it, and its answer cannot be used. The call is a success.

    Attributes:
        text: Why the answer cannot be used.
        result: What could be read all the same.
    """

    def __init__(
        self, text: str, *, hint: str = "", result: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(text, hint=hint, outcome="done")
        self.result = result or {}
