"""Which domains belong together, by the public suffix list that comes with its package."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from smtp_mcp.mailbox import Mailbox

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

FOR_EVERYBODY = frozenset(
    {
        "aol.com",
        "fastmail.com",
        "gmail.com",
        "gmx.at",
        "gmx.ch",
        "gmx.com",
        "gmx.de",
        "gmx.net",
        "googlemail.com",
        "hotmail.com",
        "icloud.com",
        "live.com",
        "mail.ru",
        "mailbox.org",
        "me.com",
        "outlook.com",
        "posteo.de",
        "proton.me",
        "protonmail.com",
        "qq.com",
        "t-online.de",
        "web.de",
        "yahoo.com",
        "yandex.ru",
        "zoho.com",
    }
)
"""Providers where anybody has an address: their domain does not say who belongs together."""


@cache
def _suffixes() -> PublicSuffixList:
    """Load the list at the first question."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


def registrable(domain: str) -> str:
    """Return the part of a domain that somebody registered; else the whole of it."""
    lower = domain.lower().rstrip(".")
    return _suffixes().privatesuffix(lower) or lower


def known_suffix(host: str) -> bool:
    """Tell whether a name ends in a suffix that the list knows, and is more than it."""
    suffix = _suffixes().publicsuffix(host.lower(), accept_unknown=False)
    return suffix is not None and suffix != host.lower()


def outsiders(sender: Mailbox, recipients: Sequence[Mailbox]) -> frozenset[str]:
    """Name the domains of recipients, as they are spelled, that are not the sender's."""
    home = registrable(sender.domain)
    if home in FOR_EVERYBODY:
        return frozenset()
    domains = {mailbox.domain for mailbox in recipients}
    return frozenset(domain for domain in domains if registrable(domain) != home)
