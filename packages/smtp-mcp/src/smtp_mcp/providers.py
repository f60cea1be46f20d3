"""Presets of well-known providers: host, port and TLS mode of their submission service."""

from __future__ import annotations

import re
from typing import NamedTuple


class Preset(NamedTuple):
    """Where a provider takes mail."""

    host: str
    port: int
    tls: str
    auth: str = "auto"


PRESETS: dict[str, Preset] = {
    "gmail": Preset("smtp.gmail.com", 587, "starttls"),
    "outlook": Preset("smtp.office365.com", 587, "starttls"),
    "icloud": Preset("smtp.mail.me.com", 587, "starttls"),
    "yahoo": Preset("smtp.mail.yahoo.com", 465, "implicit"),
    "fastmail": Preset("smtp.fastmail.com", 465, "implicit"),
    "zoho": Preset("smtp.zoho.com", 465, "implicit"),
    "gmx": Preset("mail.gmx.net", 587, "starttls"),
    "mailbox.org": Preset("smtp.mailbox.org", 465, "implicit"),
    "proton-bridge": Preset("127.0.0.1", 1025, "starttls"),
    "mailpit": Preset("127.0.0.1", 1025, "none", "none"),
}

NAMES = f"{', '.join(PRESETS)}, ses-REGION"

_SES = r"ses-([a-z]{2}(?:-[a-z]+)+-[0-9])"


def preset(value: str, _warnings: list[str]) -> Preset:
    """Find a preset by name."""
    name = value.lower()
    if (region := re.fullmatch(_SES, name)) is not None:
        return Preset(f"email-smtp.{region[1]}.amazonaws.com", 587, "starttls")
    try:
        return PRESETS[name]
    except KeyError:
        raise ValueError(f"must be one of {NAMES}") from None
