"""Signs that a text tries to give orders to a model: a signal for people, never a filter.

One table for all servers; each asks for the signs that mean something in its texts. Every
pattern is linear: no nested repetition, every gap bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_GAP = r"[^.!?\n]{0,60}"

SIGNS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for name, pattern in {
        "instruction-override": r"\b(?:ignore|disregard|forget|override)\b"
        rf"{_GAP}\b(?:instruction|prompt|rule|guideline|polic)",
        "role-injection": r"\b(?:you are now|from now on you|act as|pretend to be|new persona)\b"
        r"|^ ?(?:system|assistant|developer) ?:",
        "fake-delimiter": r"(?<!-)-{3,40} ?(?:begin|end|start) (?:of )?"
        r"(?:system|prompt|instruction|user)"
        r"|\[/?(?:inst|system)\]|<\|[a-z_]{1,30}\|>",
        "tool-coercion": rf"\b(?:call|use|invoke|run|execute)\b{_GAP}\b(?:tool|function|send_mail|"
        r"forward_mail|reply_mail|mcp)\b",
        "exfiltration": rf"\b(?:send|forward|mail|upload|post|bcc)\b{_GAP}\b(?:passwords?|secrets?|"
        r"tokens?|credentials?|api keys?|private keys?|inbox|contacts|"
        r"all (?:files|mails|messages))\b",
        "credential-request": rf"\b(?:reply|respond|answer|confirm|provide|share|tell)\b{_GAP}"
        r"\b(?:password|passcode|one-time code|otp|pin|2fa|api key|recovery code)\b",
        "url-command": rf"\b(?:open|visit|fetch|curl|wget|browse to|download)\b{_GAP}https?://",
        "urgency-pressure": r"\b(?:urgent(?:ly)?|immediately|right now|at once|asap)\b"
        rf"{_GAP}\b(?:send|transfer|pay|wire|approve|forward|confirm)\b",
        "delete-command": rf"\b(?:delete|erase|wipe|remove)\b{_GAP}\b(?:all|every|mailbox|files?|"
        r"messages?|logs?|evidence)\b|\brm -rf\b",
        "hidden-note": rf"\b(?:note|message|instruction)s? (?:to|for) (?:the )?(?:ai|llm|assistant|"
        rf"model|agent|bot)\b|\bdo not (?:tell|show|mention){_GAP}\b(?:user|person|owner|human)\b",
        "prompt-boundary": r"</?(?:system|prompt|instructions?|user|assistant|untrusted)\b"
        r"[^<>]{0,80}>"
        r"|(?<!#)#{2,6} ?(?:system|instruction|prompt)",
        "policy-claim": r"\b(?:pre-?approved|already approved|authori[sz]ed by|approved by|"
        r"no confirmation (?:is )?(?:needed|required)|compliance requires|policy requires)\b",
        "prior-override": r"(?:ignore|disregard|forget)\s+(?:all\s+|any\s+|the\s+|your\s+|"
        r"previous\s+|prior\s+){1,4}(?:instruction|prompt|message|rule)",
        "assistant-address": r"(?:assistant|language model|\bllm\b|\bclaude\b|\bchatgpt\b|"
        r"\bcopilot\b)\s*[,:]",
        "pipeline-order": r"(?:approve|restart|trigger|delete)\s+(?:the\s+)?pipeline\b"
        r"|\b(?:approve_pipeline|update_repository|confirm_token)\b",
    }.items()
}
"""Pattern of each sign, for text whose blanks were folded."""

_PIECE = 16_000
"""Characters of one search: it holds the interpreter, so a piece is short."""

_OVERLAP = 400
"""Characters that pieces share: more than the longest sign spans."""


def signs_in(text: str, names: Iterable[str]) -> list[str]:
    """Name the signs that a text shows.

    Args:
        text: The text; runs of blanks count as one.
        names: The signs to look for, names of `SIGNS`.

    Returns:
        Those that were found, in the order of `names`.
    """
    wanted = list(names)
    flat = re.sub(r"[^\S\n]+", " ", text)
    found: set[str] = set()
    for start in range(0, len(flat), _PIECE):
        piece = flat[start : start + _PIECE + _OVERLAP]
        found |= {name for name in wanted if name not in found and SIGNS[name].search(piece)}
    return [name for name in wanted if name in found]
