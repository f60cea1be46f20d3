"""A hint that a text may be addressing an assistant. It blocks nothing."""

from __future__ import annotations

import re

_SIGNS = re.compile(
    r"(?:ignore|disregard|forget)\s+(?:all\s+|any\s+|the\s+|your\s+|previous\s+|prior\s+){1,4}"
    r"(?:instruction|prompt|message|rule)"
    r"|(?:assistant|language model|\bllm\b|\bclaude\b|\bchatgpt\b|\bcopilot\b)\s*[,:]"
    r"|(?:please\s+)?(?:approve|restart|trigger|delete)\s+(?:the\s+)?pipeline\b"
    r"|\b(?:approve_pipeline|update_repository|confirm_token)\b",
    re.IGNORECASE,
)


def addresses_an_assistant(text: str) -> bool:
    """Tell whether a text reads like instructions to a model."""
    return _SIGNS.search(text) is not None
