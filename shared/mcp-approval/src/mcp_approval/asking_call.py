"""One guarded call, the approver of its process, and what asks outside the client.

Each is seen here as the others need it, so that none has to know how the others work.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from mcp_approval.asking_client import Answer, AskingClient, Prompt, Way
from mcp_approval.in_flight import InFlight, Timeouts
from mcp_approval.keys import TargetKeys
from mcp_approval.limits import Limits
from mcp_approval.seal import Seal
from mcp_approval.tokens import TokenStore
from mcp_approval.typing import Told
from mcp_approval.verdict import (
    Approval,
    Ask,
    AskSource,
    BeforeAsking,
    Outcome,
    Reservation,
    Verdict,
)

REASK_LIMIT = 2
"""How often one call may ask again because the facts changed under the question."""


class Beside(NamedTuple):
    """The client's dialog, where a question is shown there and outside the client.

    Attributes:
        way: How the client is asked; `none` where only the channel asks.
        answer: What this call carries, under a good seal.
        waits: Whether this call follows up an earlier one without a yes or a no.
        reason: Why the question comes again, where it does.
    """

    way: Way = "none"
    answer: Answer | None = None
    waits: bool = False
    reason: str = ""


ALONE = Beside()
"""Nobody but the channel asks."""


class ApproverState(Protocol):
    """Settings and stores that all calls share."""

    @property
    def server(self) -> str:
        """Name used in texts and log lines."""

    @property
    def dialog(self) -> bool:
        """Whether dialogs are on."""

    @property
    def nothing(self) -> str:
        """The sentence for "it did not happen"."""

    @property
    def after_no(self) -> str:
        """What an answer that is no yes costs."""

    @property
    def instance(self) -> str:
        """Where the call acts."""

    @property
    def limits(self) -> Limits:
        """How much a dialog may hold."""

    @property
    def wait_seconds(self) -> float:
        """How long a pushed question waits."""

    @property
    def seal(self) -> Seal:
        """States that wait for an answer."""

    @property
    def tokens(self) -> TokenStore:
        """Tokens that wait for their second call."""

    @property
    def in_flight(self) -> InFlight:
        """What is being asked about or carried out."""

    @property
    def timeouts(self) -> Timeouts:
        """Questions that nobody answered in time."""

    @property
    def yield_seconds(self) -> float:
        """How long the oldest open question is left alone."""

    @property
    def clock(self) -> Callable[[], float]:
        """Monotonic seconds."""

    def keys(self, ask: Ask) -> TargetKeys:
        """Compute what a question is filed under."""

    @property
    def asks_outside(self) -> bool:
        """Whether a person can be asked outside the client."""

    @property
    def how_outside(self) -> str:
        """How, in words; empty where it is not possible."""

    @property
    def instead(self) -> bool:
        """Whether that is done instead of the client's dialog."""

    @property
    def beside(self) -> bool:
        """Whether that is done beside the client's dialog."""

    async def reach(self) -> Outside:
        """What asks outside the client."""

    async def tell(self, decision: str, tool: str, key: bytes, **extra: Told) -> None:
        """Keep account of a decision; what cannot be recorded now is owed."""

    async def show(self, decision: str, tool: str, key: bytes, message: str, **extra: Told) -> None:
        """Keep account of a text before it is shown.

        Raises:
            NotRecorded: It must not be shown.
        """

    async def allow(self, decision: str, tool: str, key: bytes, **extra: Told) -> None:
        """Keep account of a yes before anything is done.

        Raises:
            NotRecorded: Nothing may be done.
        """

    async def note(self, event: str, tool: str, key: bytes, **extra: Told) -> None:
        """Put into the record, where there is one, what the log has no line for."""


class AskingCall(Protocol):
    """What asking needs of the call that wants to go on."""

    @property
    def approver(self) -> ApproverState:
        """The approver of its process."""

    @property
    def client(self) -> AskingClient:
        """The client behind it."""

    @property
    def tool(self) -> str:
        """Name of its tool."""

    @property
    def token(self) -> object:
        """Its `confirm_token`, in whatever shape it came."""

    def prompt(self, ask: Ask, reason: str = "", *, outside: bool = False) -> Prompt:
        """Compose the question, after a line on why it is asked again.

        Args:
            ask: What is asked.
            reason: That line.
            outside: Whether it is shown elsewhere than in the client's window.
        """

    async def reserve(self, keys: TargetKeys, before_asking: BeforeAsking) -> Reservation:
        """Wait for the limiter, and look again whether another call acts meanwhile."""

    async def refuse_if_acting(self, keys: TargetKeys) -> None:
        """Keep off a target that another call has its yes for."""

    async def settle(
        self, answer: Answer, keys: TargetKeys, verdict: Verdict, waited: float | None = None
    ) -> None:
        """Return for a yes, and end the call for anything else."""

    async def act(self, keys: TargetKeys, by: str, **extra: Told) -> None:
        """From now on this call carries the target out."""

    async def tell(self, decision: str, keys: TargetKeys, **extra: Told) -> None:
        """Keep account of a decision."""

    async def show(self, decision: str, keys: TargetKeys, message: str, **extra: Told) -> None:
        """Keep account of a text that is about to be shown."""

    async def leave_unused(self, keys: TargetKeys) -> None:
        """Give up a yes that is not good for what would be done now."""


class Outside(Protocol):
    """Asks a person outside the client."""

    @property
    def open(self) -> int:
        """How many questions wait for an answer there."""

    async def require(
        self,
        call: AskingCall,
        ask: AskSource,
        current: Ask,
        before_asking: BeforeAsking,
        beside: Beside = ALONE,
    ) -> tuple[Approval, Callable[[Outcome], None]]:
        """Return when a person has allowed exactly this.

        Returns:
            The approval, and what is to be told of the call's end.
        """

    async def aclose(self) -> None:
        """Withdraw what is open."""


async def read(ask: AskSource) -> Ask:
    """Read the facts, anew where that is possible."""
    if isinstance(ask, Ask):
        return ask
    source: Callable[[], Awaitable[Ask]] = ask
    return await source()
