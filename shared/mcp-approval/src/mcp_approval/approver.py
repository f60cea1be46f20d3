"""One per server process: the key, the switch and the stores behind all approvals."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mcp_approval.approval import CallApproval
from mcp_approval.asking_client import AskingClient
from mcp_approval.in_flight import InFlight, Timeouts
from mcp_approval.keys import TargetKeys, log_digest, target_key, target_keys
from mcp_approval.limits import Limits
from mcp_approval.output import write_stderr
from mcp_approval.question import checked
from mcp_approval.seal import Seal
from mcp_approval.tokens import TokenStore
from mcp_approval.verdict import Ask

WAIT_SECONDS = 900.0
"""How long a pushed question waits for its answer."""

YIELD_SECONDS = 60.0
"""Long enough to read a question; whoever has gone does not keep others out for longer."""

_PROCESS_KEY_BYTES = 32
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
        random_bytes: Source of key, nonces and tokens.
        log: Receives one line per decision.
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
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    log: Callable[[str], None] = write_stderr

    def __post_init__(self) -> None:
        if self.instance:
            checked(self.instance, _INSTANCE_PATTERN)
        self._process_key = self.random_bytes(_PROCESS_KEY_BYTES)
        self.seal = Seal(self._process_key, clock=self.clock, random_bytes=self.random_bytes)
        self.tokens = TokenStore(clock=self.clock, random_bytes=self.random_bytes)
        self.in_flight = InFlight()
        self.timeouts = Timeouts(self.clock)

    @contextmanager
    def call(self, client: AskingClient, tool: str, token: object = None) -> Iterator[CallApproval]:
        """Accompany one tool call: what it asks about stays claimed until the call ends.

        Args:
            client: The client behind the call.
            tool: Name of the tool.
            token: The `confirm_token` argument, in whatever shape it came.
        """
        approval = CallApproval(self, client, tool, token)
        try:
            yield approval
        finally:
            approval.release()

    def key(self, ask: Ask) -> bytes:
        """Compute the target key of a question in this process."""
        return target_key(self._process_key, self.server, ask.target)

    def keys(self, ask: Ask) -> TargetKeys:
        """Compute all that a question is filed under in this process."""
        return target_keys(self._process_key, self.server, ask.target)

    def record(self, decision: str, tool: str, key: bytes, **extra: str) -> None:
        """Write one structured line about a decision; never a value from the call."""
        fields = {
            "decision": decision,
            "tool": tool,
            "target": log_digest(self._process_key, key),
            **extra,
        }
        line = " ".join(f"{name}={_plain(value)}" for name, value in fields.items())
        self.log(f"{self.server}: approval {line}")


def _plain(value: str) -> str:
    return value if re.fullmatch(r"[A-Za-z0-9_.-]+", value) else json.dumps(value)
