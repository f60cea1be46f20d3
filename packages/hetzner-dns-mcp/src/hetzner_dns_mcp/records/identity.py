"""When two values are the same record: as text, or as record data.

Spelling does not count: `2001:DB8::1` is `2001:db8::1`. TXT is compared by its content,
whatever strings it is split into. The serial of an SOA is Hetzner's and is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from hetzner_dns_mcp.records.txt import parse_txt

if TYPE_CHECKING:
    from dns.name import Name
    from dns.rdata import Rdata

_CASE_MATTERS = frozenset({"HINFO", "CAA"})
"""They hold text; everywhere else case is spelling. TXT has a way of its own."""


def rdata_key(rdata: Rdata, record_type: str) -> str:
    """Condense parsed record data to what makes it this record and no other."""
    if record_type == "TXT":
        return txt_key(b"".join(cast("tuple[bytes, ...]", getattr(rdata, "strings", ()))))
    text = rdata.to_text()
    if record_type == "SOA":
        words = text.lower().split()
        return " ".join([*words[:2], "serial", *words[3:]])
    return text if record_type in _CASE_MATTERS else text.lower()


def value_key(value: str, record_type: str, zone: str | None) -> str:
    """Condense a value as it is written; what cannot be read stands for itself.

    Args:
        value: The value.
        record_type: Its type.
        zone: Name of the zone, which completes a target without a final dot.
    """
    if record_type == "TXT":
        return _written_txt_key(value)
    try:
        return rdata_key(read_value(value, record_type, zone), record_type)
    except ValueError:
        return value


def txt_key(content: bytes) -> str:
    """Write the content of a TXT as a key."""
    return content.decode("latin-1")


def read_value(value: str, record_type: str, zone: str | None = None) -> Rdata:
    """Read a value as dnspython does.

    Raises:
        ValueError: It cannot be read; the text may quote it.
    """
    import dns.exception
    import dns.rdata

    try:
        return dns.rdata.from_text("IN", record_type, value, origin=_origin(zone), relativize=False)
    except (dns.exception.DNSException, ValueError, KeyError, IndexError, OverflowError) as error:
        reason = str(error).rstrip(".")[:160] or type(error).__name__
        raise ValueError(f"no value of this type ({reason})") from None


def _written_txt_key(value: str) -> str:
    try:
        return txt_key(parse_txt(value) if value.startswith('"') else value.encode())
    except ValueError:
        return value


def _origin(zone: str | None) -> Name | None:
    import dns.name

    return None if zone is None else dns.name.from_text(f"{zone}.")
