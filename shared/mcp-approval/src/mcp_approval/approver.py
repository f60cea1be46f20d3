"""One per server process: the key, the switch and the stores behind all approvals."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

from mcp_approval.accounting import Accounting, Recorder
from mcp_approval.approval import CallApproval
from mcp_approval.asking_call import Outside
from mcp_approval.asking_client import AskingClient
from mcp_approval.environment.outside import Outside as Named
from mcp_approval.exceptions import CallEnded
from mcp_approval.in_flight import InFlight, Timeouts
from mcp_approval.keys import TargetKeys, log_digest, target_key, target_keys
from mcp_approval.limits import Limits
from mcp_approval.output import write_stderr
from mcp_approval.question import checked
from mcp_approval.seal import Seal
from mcp_approval.tokens import TokenStore
from mcp_approval.typing import Told
from mcp_approval.verdict import Ask, Outcome

WAIT_SECONDS = 900.0
"""How long a pushed question waits for its answer."""

YIELD_SECONDS = 60.0
"""Long enough to read a question; whoever has gone does not keep others out for longer."""

# The size of an HMAC-SHA-256 key.
_PROCESS_KEY_BYTES = 32
# Tells the processes apart that share a record or a topic.
_PROCESS_NAME_BYTES = 4
_INSTANCE_PATTERN = r"[A-Za-z0-9 ._@:\[\]+-]{1,300}"


@dataclass
class Approver:
    """Asks for one server process; holds its key, its pending states and its tokens.

    Attributes:
        server: Name used in texts and log lines.
        dialog: Whether dialogs are on; off means the two-call token for everybody.
        nothing: The server's sentence for "it did not happen".
        after_no: What an answer that is no yes costs, as a sentence; empty when nothing.
        instance: Where the call acts, as the operator configured it; ends the
            description of the tick box, so two instances can be told apart.
        limits: How much a dialog may hold.
        wait_seconds: How long a pushed question waits.
        yield_seconds: How long the oldest pushed question is left alone before it gives
            way to one too many.
        clock: Monotonic seconds.
        wall: Unix time.
        random_bytes: Source of key, nonces and tokens.
        log: Receives one line per decision.
        settings: The parsed variables on approvals; empty means that only the client asks.
        recorder: The record, if it is not the one that the settings name.
    """

    server: str
    dialog: bool = True
    nothing: str = "Nothing was changed."
    after_no: str = ""
    instance: str = ""
    limits: Limits = field(default_factory=Limits)
    wait_seconds: float = WAIT_SECONDS
    yield_seconds: float = YIELD_SECONDS
    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    log: Callable[[str], None] = write_stderr
    settings: Mapping[str, object] = field(default_factory=dict, repr=False)
    recorder: Recorder | None = None

    def __post_init__(self) -> None:
        if self.instance:
            checked(self.instance, _INSTANCE_PATTERN)
        self._process_key = self.random_bytes(_PROCESS_KEY_BYTES)
        self.seal = Seal(self._process_key, clock=self.clock, random_bytes=self.random_bytes)
        self.tokens = TokenStore(clock=self.clock, random_bytes=self.random_bytes)
        self.in_flight = InFlight()
        self.timeouts = Timeouts(self.clock)
        self._accounting = Accounting(
            self.server, self.nothing, self._say, self.digest, self.random_bytes, self._recorder
        )
        self._reach: Outside | None = None
        self._process = ""

    @property
    def asks_outside(self) -> bool:
        """Whether a person can be asked outside the client."""
        return bool(self.settings.get("approval_reach"))

    @property
    def how_outside(self) -> str:
        """How, in words; empty where it is not possible."""
        return Named.of(self.settings).how if self.asks_outside else ""

    @property
    def instead(self) -> bool:
        """Whether that is done instead of the client's dialog."""
        return self.settings.get("approval_reach_when") == "instead"

    @property
    def beside(self) -> bool:
        """Whether that is done beside the client's dialog."""
        return self.asks_outside and self.settings.get("approval_reach_when") == "always"

    @property
    def process(self) -> str:
        """Names this process among others that share a record or a topic."""
        self._process = self._process or self.random_bytes(_PROCESS_NAME_BYTES).hex()
        return self._process

    @asynccontextmanager
    async def call(
        self, client: AskingClient, tool: str, token: object = None
    ) -> AsyncIterator[CallApproval]:
        """Accompany one tool call, and keep account of how it ended after a yes.

        Args:
            client: The client behind the call.
            tool: Name of the tool.
            token: The `confirm_token` argument, in whatever shape it came.
        """
        approval = CallApproval(self, client, tool, token)
        outcome: Outcome = "unknown"
        try:
            yield approval
            outcome = "done"
        except CallEnded:
            outcome = "failed"
            raise
        except Exception as error:
            outcome = cast("Outcome", getattr(error, "approval_outcome", "unknown"))
            raise
        finally:
            await approval.finish(outcome)

    async def reach(self) -> Outside:
        """What asks outside the client; loaded when it is first needed."""
        if self._reach is None:
            from mcp_approval.reach.loading import open_reach

            self._reach = reach = open_reach(self)
            self.in_flight.outside = lambda: reach.open
        return self._reach

    async def aclose(self) -> None:
        """Withdraw what is open outside the client."""
        if self._reach is not None:
            await self._reach.aclose()

    def key(self, ask: Ask) -> bytes:
        """Compute the target key of a question in this process."""
        return target_key(self._process_key, self.server, ask.target)

    def keys(self, ask: Ask) -> TargetKeys:
        """Compute all that a question is filed under in this process."""
        return target_keys(self._process_key, self.server, ask.target)

    def channel_key(self, word: str) -> bytes:
        """Derive the key of a channel, so that none holds this process's own."""
        import hashlib
        import hmac

        content = b"mcp-approval/channel\x00" + word.encode()
        return hmac.new(self._process_key, content, hashlib.sha256).digest()

    def digest(self, key: bytes) -> str:
        """Shorten a target key to what log and record carry."""
        return log_digest(self._process_key, key)

    async def tell(self, decision: str, tool: str, key: bytes, **extra: Told) -> None:
        """Keep account of a decision; what cannot be recorded now is owed."""
        await self._accounting.tell(decision, tool, key, extra)

    async def show(self, decision: str, tool: str, key: bytes, message: str, **extra: Told) -> None:
        """Keep account of a text before it is shown."""
        await self._accounting.show(decision, tool, key, message, extra)

    async def allow(self, decision: str, tool: str, key: bytes, **extra: Told) -> None:
        """Keep account of a yes before anything is done."""
        await self._accounting.allow(decision, tool, key, extra)

    async def note(self, event: str, tool: str, key: bytes, **extra: Told) -> None:
        """Put into the record, where there is one, what the log has no line for."""
        await self._accounting.note(event, tool, key, extra)

    @property
    def head(self) -> str:
        """The newest head of the record; empty without one."""
        return self.recorder.head if self.recorder is not None else ""

    def _say(self, line: str) -> None:
        self.log(line)

    def _recorder(self) -> Recorder | None:
        path = self.settings.get("approval_record")
        if self.recorder is None and isinstance(path, str):
            from mcp_approval.record.recorder import open_recorder

            self.recorder = open_recorder(self, path)
        return self.recorder
