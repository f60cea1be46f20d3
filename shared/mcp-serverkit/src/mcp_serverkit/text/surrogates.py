"""Halves of surrogate pairs, which JSON can spell and no encoder takes."""

from __future__ import annotations

import re

_SURROGATE = "[\ud800-\udfff]"
"""Not compiled at the start: few texts need it."""


def replace_surrogates(text: str) -> str:
    """Make any text encodable, and change nothing else."""
    return text if text.isascii() else re.sub(_SURROGATE, "\ufffd", text)
