"""Mail addresses: a bare local@domain, nothing that a parser could read twice.

No display names, quotes, comments, domain literals or routes: each of those has led
mail around an allowlist somewhere. A domain is carried in its ASCII form (A-labels,
IDNA 2008); the standard library's codec is IDNA 2003 and maps characters away.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from mcp_serverkit.config.parsers import comma_list

# RFC 5321, 4.5.3.1.3: a path has 256 octets, two of them the brackets.
ADDRESS_CHARS = 254
# RFC 5321, 4.5.3.1.1.
LOCAL_OCTETS = 64
# RFC 1035, 2.3.4: 255 octets on the wire are 253 characters in text.
DOMAIN_CHARS = 253

_ATOM = r"[A-Za-z0-9#$&'*+/=?^_`{|}~\-]"
_LOCAL = rf"{_ATOM}+(?:\.{_ATOM}+)*"
_WIDE_LOCAL = r"[^\x00-\x20\x7f-\xa0()<>\[\]:;@\\,\"!%]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

RULE = (
    "must be a bare address such as anna@example.org: no name, quotes, comments, lists or white "
    "space"
)


SENDER_RULE = "must be an address, or Name <address>, such as Anna Ember <anna@example.org>"


class Mailbox(NamedTuple):
    """An address in two parts; the domain in ASCII."""

    local: str
    domain: str

    def __str__(self) -> str:
        return f"{self.local}@{self.domain}"

    @property
    def folded(self) -> str:
        """The form in which two spellings of one address are equal."""
        return f"{self.local}@{self.domain}".lower()

    @property
    def needs_smtputf8(self) -> bool:
        """Whether only a server with SMTPUTF8 can take it."""
        return not self.local.isascii()


def parse(address: str) -> Mailbox:
    """Take an address apart.

    Raises:
        ValueError: It is no bare address; the text completes "ADDRESS ...".
    """
    local, at, domain = address.rpartition("@")
    if not at or len(address) > 320:
        raise ValueError(RULE)
    local = _checked_local(local)
    mailbox = Mailbox(local, ascii_domain(domain))
    if len(str(mailbox)) > ADDRESS_CHARS:
        raise ValueError(f"is longer than {ADDRESS_CHARS} characters")
    return mailbox


def ascii_domain(domain: str) -> str:
    """Bring a domain into ASCII form, its spelling kept where it is ASCII already.

    Raises:
        ValueError: It is no domain name.
    """
    labels = [_ascii_label(label) for label in domain.split(".")]
    result = ".".join(labels)
    if len(result) > DOMAIN_CHARS or labels[-1].isdigit():
        raise ValueError(RULE)
    return result


def unicode_domain(domain: str) -> str | None:
    """Return how an internationalised domain reads, or nothing when it is plain ASCII."""
    if "xn--" not in domain.lower():
        return None
    import idna

    try:
        return idna.decode(domain)
    except idna.IDNAError:
        return None


def _checked_local(local: str) -> str:
    if local.isascii():
        if not re.fullmatch(_LOCAL, local):
            raise ValueError(RULE)
    else:
        dotted = local.startswith(".") or local.endswith(".") or ".." in local
        drawn = all(unicodedata.category(c)[0] in "LMN" for c in local if not c.isascii())
        if dotted or not drawn or not re.fullmatch(_WIDE_LOCAL, local):
            raise ValueError(RULE)
        local = unicodedata.normalize("NFC", local)
    if len(local.encode("utf-8")) > LOCAL_OCTETS:
        raise ValueError(f"has more than {LOCAL_OCTETS} bytes before the @")
    return local


def _ascii_label(label: str) -> str:
    if label.isascii() and not label.lower().startswith("xn--"):
        if not re.fullmatch(_LABEL, label):
            raise ValueError(RULE)
        return label
    import idna

    try:
        folded = unicodedata.normalize("NFC", label).lower()
        encoded = idna.alabel(folded).decode("ascii")
        idna.ulabel(encoded)
    except (idna.IDNAError, UnicodeError):
        raise ValueError("has a domain that is no internationalised name (IDNA 2008)") from None
    return encoded


class Sender(NamedTuple):
    """A mailbox with the name that is shown beside it."""

    name: str
    mailbox: Mailbox

    @property
    def shown(self) -> str:
        """How people read it."""
        return f"{self.name} <{self.mailbox}>" if self.name else str(self.mailbox)


def parse_sender(value: str, _warnings: list[str]) -> Sender:
    """Read `address` or `Display Name <address>`; the value is never repeated."""
    name, bracket, rest = value.rpartition("<")
    if bracket and not rest.endswith(">"):
        raise ValueError(SENDER_RULE)
    name = name.strip()
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = name[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in value):
        raise ValueError("holds a line break or another invisible character")
    if "=?" in name:
        raise ValueError("holds an encoded word; write the name as plain text")
    try:
        mailbox = parse(rest[:-1].strip() if bracket else value)
    except ValueError:
        raise ValueError(SENDER_RULE) from None
    if "." not in mailbox.domain or mailbox.needs_smtputf8:
        raise ValueError(SENDER_RULE)
    return Sender(name, mailbox)


def parse_allowlist(value: str, warnings: list[str]) -> tuple[str, ...]:
    """Read the allowlist: addresses, `@domain` entries, or `*` alone, in comparable form."""
    entries = comma_list(value, warnings)
    if "*" in entries and len(entries) > 1:
        raise ValueError("* means everybody and stands alone")
    return tuple(dict.fromkeys(_allowed(n, entry) for n, entry in enumerate(entries, 1)))


def _allowed(position: int, entry: str) -> str:
    if entry == "*":
        return entry
    try:
        if entry.startswith("@"):
            return f"@{ascii_domain(entry[1:])}".lower()
        return parse(entry).folded
    except ValueError:
        raise ValueError(
            f"entry {position} is neither an address, an @domain nor a single *"
        ) from None
