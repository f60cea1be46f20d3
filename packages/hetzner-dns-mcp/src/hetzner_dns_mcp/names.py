"""Names as the API knows them: relative to the zone, lower case, A-labels.

Everything that decides, shows, binds or sends a name uses the form made here, so no
spelling of the apex or a wildcard slips past the gate.
"""

from __future__ import annotations

import re

APEX = "@"

ZONE = r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*"
"""A zone name in normal form, or the digits of a zone's id."""

NAME = r"@|(?:\*|[a-z0-9_-]{1,63})(?:\.[a-z0-9_-]{1,63})*"
"""The name of a record set in normal form."""

_DOTS = {ord(dot): "." for dot in "\u3002\uff0e\uff61"}
# RFC 1035, 2.3.4: octets of a name, counted generously; the API has the last word.
_ZONE_CHARS = 255
# RFC 1035, 2.3.4: 255 octets on the wire are 253 characters in text.
_NAME_CHARS = 253


def is_zone_id(zone: str) -> bool:
    """Tell whether a zone is given by its number."""
    return zone.isascii() and zone.isdigit()


def ascii_label(label: str) -> str:
    """Return the A-label of one label, lower case.

    IDNA 2008 with the UTS 46 mapping goes first. What it refuses, such as an emoji, is
    encoded as IDNA 2003: such zones exist.

    Raises:
        ValueError: Neither takes it.
    """
    if label.isascii():
        return label.lower()
    import encodings.idna

    import idna

    try:
        return idna.encode(label, uts46=True).decode("ascii").lower()
    except idna.IDNAError:
        pass
    try:
        return encodings.idna.ToASCII(label).decode("ascii").lower()
    except UnicodeError:
        raise ValueError("holds a label that has no xn-- form") from None


def ascii_name(text: str) -> str:
    """Convert each label of a name; a trailing dot stays."""
    return ".".join(ascii_label(label) for label in text.translate(_DOTS).split("."))


def zone_name(text: str) -> str:
    """Bring a zone's name or id to its normal form.

    Raises:
        ValueError: It is neither.
    """
    name = ascii_name(text).removesuffix(".")
    if len(name) > _ZONE_CHARS or not re.fullmatch(ZONE, name):
        raise ValueError("must be a zone's id or its name, such as example.com")
    return name


def record_name(text: str) -> str:
    """Bring the name of a record set to lower case and A-labels, still as long as given.

    Raises:
        ValueError: It cannot be such a name.
    """
    name = ascii_name(text)
    if len(name) > _NAME_CHARS + 1 or not re.fullmatch(NAME, name.removesuffix(".")):
        raise ValueError(
            "must be a name relative to the zone, such as www: labels of up to 63 letters, "
            "digits, - and _; @ alone for the zone itself; * only as the whole first label"
        )
    return name


def relative(name: str, zone: str) -> str:
    """Cut the zone off a name from `record_name`.

    Args:
        name: The name.
        zone: Name of the zone, in normal form.

    Raises:
        ValueError: It is fully qualified and lies outside the zone.
    """
    bare = name.removesuffix(".")
    if bare == zone:
        return APEX
    if bare.endswith(f".{zone}"):
        return bare[: -len(zone) - 1]
    if bare != name:
        raise ValueError(
            f"ends in a dot and does not lie in {zone}; give it relative to the zone, without a dot"
        )
    return name


def absolute(name: str, zone: str) -> str:
    """Return the full name, with its final dot."""
    return f"{zone}." if name == APEX else f"{name}.{zone}."
