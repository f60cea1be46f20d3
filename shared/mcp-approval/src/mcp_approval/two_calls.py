"""The two-call token, for a client that can show no dialog."""

from __future__ import annotations

from mcp_approval import messages
from mcp_approval.asking_call import AskingCall
from mcp_approval.asking_client import Prompt
from mcp_approval.exceptions import TokenNeeded, TokenRefused
from mcp_approval.keys import TargetKeys
from mcp_approval.verdict import Approval, Ask, BeforeAsking, Verdict


async def by_token(
    call: AskingCall, ask: Ask, prompt: Prompt, keys: TargetKeys, before_asking: BeforeAsking
) -> Approval:
    """Hand a token out, or take it.

    Raises:
        TokenNeeded: This is the first of the two calls.
        TokenRefused: The token is no good.
    """
    approver = call.approver
    if call.token is None:
        (await before_asking()).release()
        await call.show("token_issued", keys, prompt.message)
        raise TokenNeeded(
            messages.token_prompt(
                prompt.message,
                call.tool,
                approver.tokens.issue(keys.full),
                nothing=approver.nothing,
                unbound=ask.question.unbound,
                note=messages.token_note(approver.server, dialog=approver.dialog),
            )
        )
    token = call.token if isinstance(call.token, str) else ""
    if approver.tokens.matches(keys.full, token):
        reservation = await call.reserve(keys, before_asking)
        # The wait may have let it expire or another call spend it.
        if approver.tokens.redeem(keys.full, token):
            reservation.commit()
            await call.act(keys, "token_accepted", proof="repeated call only")
            return Approval(ask, "token", Verdict())
        reservation.release()
    await call.tell("token_refused", keys)
    text = messages.REFUSED.format(nothing=approver.nothing, tool=call.tool)
    raise TokenRefused(text)
