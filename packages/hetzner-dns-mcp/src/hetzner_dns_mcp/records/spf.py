"""Sender policies, read by the grammar of RFC 7208 (4.6.1, 7.1 and 12).

Only the text is judged: no name is looked up. Terms are told by their number, the first
after the version being 1.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

LOOKUPS = 10
"""DNS look-ups that a policy may cost (RFC 7208, 4.6.4)."""

_MACRO = r"(?:%\{[slodiphcrtv][0-9]*r?[.\-+,/_=]*\}|%%|%_|%-)"
_STRING = rf"(?:{_MACRO}|[!-$&-~])*"
_LABEL = r"(?=[0-9]*[a-z-])[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_DOMAIN = re.compile(rf"{_STRING}(?:\.{_LABEL}\.?|{_MACRO})", re.IGNORECASE)
_TERM = re.compile(
    r"(?P<qualifier>[+?~-])?(?P<name>[a-z][a-z0-9]*)(?P<rest>[:/].*)?"
    r"|(?P<modifier>[a-z][a-z0-9_.-]*)=(?P<value>.*)",
    re.IGNORECASE,
)
_PREFIXES = re.compile(
    r"(?::(?P<domain>.+?))?(?:/(?P<four>0|[1-9]\d?))?(?://(?P<six>0|[1-9]\d{0,2}))?"
)
_MECHANISMS = frozenset({"all", "include", "a", "mx", "ptr", "ip4", "ip6", "exists"})
_COSTLY = frozenset({"include", "a", "mx", "ptr", "exists", "redirect"})
_COMPLETE = re.compile(
    r"[+?~-]?(?:include|exists|ip4|ip6|a|mx|ptr):\S+|[+?~-](?:all|a|mx|ptr)|(?:redirect|exp)=\S+",
    re.IGNORECASE,
)
"""What is so clearly a term that a string which begins with it was meant to begin one."""


class _Term(NamedTuple):
    """A term: its name in lower case, what it is about, and what is wrong with it."""

    name: str
    qualifier: str = ""
    target: str = ""
    fault: str = ""
    modifier: bool = False


def is_policy(text: str) -> bool:
    """Tell whether receivers take a text for a policy."""
    return text[:6].lower() == "v=spf1" and text[6:7] in {"", " "}


def lint_spf(text: str, strings: Sequence[str], owner: str | None) -> Iterator[str]:
    """Look over one text that is a policy, or that begins like one.

    Args:
        text: The whole text.
        strings: The strings that it is joined from.
        owner: Full name of the record without its final dot, where that is known.
    """
    if not re.match(r"\s*v\s*=\s*spf", text, re.IGNORECASE):
        return
    for before, after in pairwise(strings):
        if before[-1:] not in {"", " "} and _COMPLETE.fullmatch(after.split(" ")[0]):
            yield "spf-joined: two strings join without the blank meant between their terms"
    if not is_policy(text):
        yield "spf-not-a-policy: it begins like one and is none: v=spf1, then a blank"
        return
    terms = [_term(word) for word in text[6:].split(" ") if word]
    for number, term in enumerate(terms, 1):
        if term.fault:
            yield f"spf-syntax: term {number} {term.fault}, which makes the policy void"
    yield from _order(terms)
    if any(term.name == "ptr" for term in terms if not term.modifier):
        yield "spf-ptr: ptr is slow and unreliable, and is not to be used"
    if owner is not None and any(
        term.name in {"include", "redirect"} and _is_itself(term.target, owner) for term in terms
    ):
        yield "spf-includes-itself: the policy refers to its own name, which makes it void"
    if sum(term.name in _COSTLY for term in terms) > LOOKUPS:
        yield f"spf-too-many-lookups: more than {LOOKUPS} make the policy void"


def _order(terms: Sequence[_Term]) -> Iterator[str]:
    ends = [index for index, term in enumerate(terms) if term.name == "all" and not term.modifier]
    redirects = any(term.name == "redirect" and term.modifier for term in terms)
    counts = Counter(term.name for term in terms if term.modifier)
    if counts["redirect"] > 1 or counts["exp"] > 1:
        yield "spf-syntax: redirect or exp stands twice, which makes the policy void"
    if not ends and not redirects:
        yield "spf-no-all: the policy says nothing about other senders"
    if any(terms[index].qualifier in {"", "+"} for index in ends[:1]):
        yield "spf-plus-all: everybody may send as this domain"
    if ends and any(not term.modifier for term in terms[ends[0] + 1 :]):
        yield "spf-after-all: what stands after all is never looked at"
    if ends and redirects:
        yield "spf-redirect-with-all: redirect is never followed beside all"


def _term(word: str) -> _Term:
    found = _TERM.fullmatch(word)
    if found is None:
        return _Term("", fault="is neither a mechanism nor a modifier")
    if found["modifier"] is not None:
        return _modifier(found["modifier"].lower(), found["value"])
    name, rest = found["name"].lower(), found["rest"] or ""
    term = _Term(name, found["qualifier"] or "")
    if name not in _MECHANISMS:
        return term._replace(fault="is no known mechanism")
    if name == "all":
        return term._replace(fault="takes nothing after all" if rest else "")
    if name in {"ip4", "ip6"}:
        return term._replace(fault=_network_fault(name, rest))
    parts = _PREFIXES.fullmatch(rest)
    target = (parts["domain"] or "") if parts is not None else ""
    term = term._replace(target=target)
    if parts is None or int(parts["four"] or 0) > 32 or int(parts["six"] or 0) > 128:
        return term._replace(fault="has a bad prefix length, or nothing after its colon")
    if name in {"include", "exists"} and not target:
        return term._replace(fault="needs a domain right after its colon")
    if name not in {"a", "mx"} and (parts["four"] or parts["six"]):
        return term._replace(fault="takes no prefix length")
    return term._replace(fault=_domain_fault(target) if target else "")


def _modifier(name: str, value: str) -> _Term:
    term = _Term(name, target=value, modifier=True)
    if name in {"redirect", "exp"}:
        return term._replace(fault=_domain_fault(value))
    if name in _MECHANISMS:
        return term._replace(fault="has = where a colon belongs")
    bad = re.fullmatch(_STRING, value, re.IGNORECASE) is None
    return term._replace(fault="holds a bad macro" if bad else "")


def _domain_fault(domain: str) -> str:
    return "" if _DOMAIN.fullmatch(domain) else "has a bad domain or macro"


def _network_fault(name: str, rest: str) -> str:
    address, slash, prefix = rest.removeprefix(":").partition("/")
    kind = ipaddress.IPv4Address if name == "ip4" else ipaddress.IPv6Address
    try:
        kind(address)
    except ValueError:
        return "has a bad address"
    most = 32 if name == "ip4" else 128
    if slash and not (re.fullmatch(r"0|[1-9]\d{0,2}", prefix) and int(prefix) <= most):
        return "has a bad prefix length"
    return ""


def _is_itself(target: str, owner: str) -> bool:
    return target.lower().removesuffix(".") in {owner.lower(), "%{d}"}
