"""What each record type demands of a value beyond what dnspython refuses.

dnspython reads more than a DNS operator means: it takes an address as a host name,
`; x` as a comment, and ends at a line break without a word. Those are caught here.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from dns.name import Name
    from dns.rdata import Rdata

TARGETS: Mapping[str, tuple[int, ...]] = {
    "CNAME": (0,),
    "NS": (0,),
    "PTR": (0,),
    "MX": (1,),
    "SRV": (3,),
    "SVCB": (1,),
    "HTTPS": (1,),
    "SOA": (0, 1),
    "RP": (0, 1),
}
"""Which words of a value are host names."""

_ISSUER = re.compile(r"(?:[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+)?")
_CAA_TAGS = frozenset({"issue", "issuewild", "issuemail", "issuevmc", "iodef", "contactemail"})


@dataclass
class Findings:
    """What the checks of one value, or of a set of values, brought up."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Value:
    """One value under examination: its words, and how dnspython read it."""

    name: str
    words: Sequence[str]
    rdata: Rdata

    def number(self, attribute: str) -> int:
        """Read a number that dnspython parsed."""
        return int(getattr(self.rdata, attribute))

    def targets(self, record_type: str) -> list[str]:
        """Return the host names in the value, as written."""
        return [self.words[index] for index in TARGETS.get(record_type, ())]


def check_kind(record_type: str, value: Value) -> Findings:
    """Apply what the type demands."""
    found = Findings()
    for target in value.targets(record_type):
        _check_target(target, found)
    check = _CHECKS.get(record_type)
    if check is not None:
        check(value, found)
    return found


def check_set(record_type: str, name: str, words: Sequence[Sequence[str]]) -> Findings:
    """Apply what the values of one set demand of each other and of the name."""
    found = Findings()
    if record_type == "CNAME":
        if len(words) > 1:
            found.errors.append("a name has at most one CNAME")
        if name == "@":
            found.errors.append("the zone itself cannot be a CNAME: SOA and NS stand there")
    if record_type == "DS" and name == "@":
        found.errors.append("the DS of the zone itself belongs in the parent zone")
    if record_type == "SOA" and (name != "@" or len(words) > 1):
        found.errors.append("there is exactly one SOA, at the name @")
    if len(words) > 1 and record_type == "MX" and any(w[-1:] == ["."] for w in map(list, words)):
        found.errors.append('the null MX "0 ." must stand alone: it says that no mail is taken')
    if len(words) > 1 and record_type in {"SVCB", "HTTPS"} and any(w[0] == "0" for w in words):
        found.errors.append("a record with priority 0 must stand alone")
    return found


def is_address(word: str) -> bool:
    """Tell whether a word is an IP address."""
    try:
        ipaddress.ip_address(word.removesuffix("."))
    except ValueError:
        return False
    return True


def target_names(rdata: Rdata, record_type: str) -> list[Name]:
    """Return the host names of a parsed value."""
    attributes = {
        "MX": ("exchange",),
        "SOA": ("mname", "rname"),
        "RP": ("mbox", "txt"),
    }.get(record_type, ("target",) if record_type in TARGETS else ())
    return [cast("Name", getattr(rdata, attribute)) for attribute in attributes]


def _check_target(target: str, found: Findings) -> None:
    if is_address(target):
        found.errors.append(f'"{target}" is an address; a host name belongs there')
    elif re.search(r"[/:@]", target) and target != "@":
        found.errors.append("the target is no host name: it holds / or : or @")


def _check_address(value: Value, found: Findings) -> None:
    address = ipaddress.ip_address(value.words[0])
    if address.is_loopback or address.is_link_local or address.is_private or address.is_reserved:
        found.warnings.append("private-address: not reachable from the internet")


def _check_caa(value: Value, found: Findings) -> None:
    if value.number("flags") not in {0, 128}:
        found.warnings.append("caa-flags: 0 and 128 are the flags in use")
    if value.words[1].lower() not in _CAA_TAGS:
        found.warnings.append("caa-tag: the tag is none that authorities know")
    value_text = value.rdata.to_text().split(" ", 2)[2].strip('"')
    issuer = value_text.partition(";")[0].strip()
    if value.words[1].lower() in {"issue", "issuewild"} and not _ISSUER.fullmatch(issuer):
        found.warnings.append("caa-issuer: the issuer is no domain name")


def _check_srv(value: Value, found: Findings) -> None:
    if not re.match(r"(?:\*\.)?_[^.]+\._[^.]+", value.name):
        found.warnings.append("srv-name: the name of an SRV is _service._protocol")


def _check_tlsa(value: Value, found: Findings) -> None:
    for attribute, most in (("usage", 3), ("selector", 1), ("mtype", 2)):
        if value.number(attribute) > most and value.number(attribute) != 255:
            words = {"mtype": "matching type"}.get(attribute, attribute)
            found.errors.append(f"{words} is 0 to {most}")
    if not re.match(r"(?:\*\.)?_[^.]+\._[^.]+", value.name):
        found.warnings.append("tlsa-name: the name of a TLSA is _port._protocol")


def _check_ds(value: Value, found: Findings) -> None:
    if value.number("digest_type") == 1:
        found.warnings.append("ds-sha1: digest type 1 is no longer to be used; take 2")


_CHECKS: Mapping[str, Callable[[Value, Findings], None]] = {
    "A": _check_address,
    "AAAA": _check_address,
    "CAA": _check_caa,
    "SRV": _check_srv,
    "TLSA": _check_tlsa,
    "DS": _check_ds,
}
