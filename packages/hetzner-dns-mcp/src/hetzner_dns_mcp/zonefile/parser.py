"""Parsing of zone files with dnspython, record by record.

Its own zone object would drop what it does not like without a word (a second CNAME, a
name outside the zone) and would hold so many objects that collecting garbage stops
everybody else. Only text is kept here.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.tokenizer
import dns.ttl

from hetzner_dns_mcp.records.identity import rdata_key
from hetzner_dns_mcp.records.types import TYPES
from hetzner_dns_mcp.zonefile.content import (
    APEX_SOA,
    Objection,
    Records,
    SetKey,
    UnreadableZoneError,
    ZoneContent,
)
from hetzner_dns_mcp.zonefile.entries import Entry, entries
from hetzner_dns_mcp.zonefile.written import Written, object_to

if TYPE_CHECKING:
    from dns.rdata import Rdata

LOWEST_TTL = 60
HIGHEST_TTL = 2_147_483_647
"""Bounds of the API for the TTL of a set."""

# One line of reason from the parser, which may quote the file.
REASON_CHARS = 200


def parse_zonefile(
    text: str,
    zone: str,
    stop: threading.Event | None = None,
    *,
    zone_ttl: int | None = None,
) -> ZoneContent:
    """Read a zone file.

    Args:
        text: The zone file.
        zone: Name of the zone, in normal form.
        stop: Ends the reading early when it is set.
        zone_ttl: The zone's present TTL: what a record without one has where the file
            names no default.

    Raises:
        UnreadableZoneError: It cannot be read here; the text may quote the file.
    """
    reader = _Reader(zone, zone_ttl)
    for entry in entries(text, stop):
        try:
            reader.take(entry)
        except (dns.exception.DNSException, ValueError, KeyError, IndexError, OverflowError) as e:
            reason = str(e).rstrip(".")[:REASON_CHARS] or type(e).__name__
            raise UnreadableZoneError(reason, entry.line) from None
    return reader.content()


class _Fed(dns.tokenizer.Tokenizer):
    """Hands words that were split already to dnspython's readers of record data."""

    def __init__(self) -> None:
        super().__init__("")
        self._words: Sequence[dns.tokenizer.Token] = ()
        self._next = 0

    def feed(self, words: Sequence[dns.tokenizer.Token]) -> _Fed:
        """Begin with other words."""
        self._words, self._next, self.ungotten_token = words, 0, None
        return self

    def get(self, want_leading: bool = False, want_comment: bool = False) -> dns.tokenizer.Token:
        """Return the next word, or the end of the line."""
        del want_leading, want_comment
        if self.ungotten_token is not None:
            token, self.ungotten_token = self.ungotten_token, None
            return token
        if self._next == len(self._words):
            return dns.tokenizer.Token(dns.tokenizer.EOL, "\n")
        self._next += 1
        return self._words[self._next - 1]


class _Reader:
    """Takes entry after entry and keeps what they say."""

    def __init__(self, zone: str, zone_ttl: int | None) -> None:
        self._zone = zone
        self._zone_ttl = zone_ttl
        self._apex = dns.name.from_text(f"{zone}.")
        self._origin = self._apex
        self._owner = self._apex
        self._first_default: int | None = None
        self._default: int | None = None
        self._fed = _Fed()
        self._values: dict[SetKey, dict[str, str]] = {}
        self._ttls: dict[SetKey, set[int | None]] = {}
        self._comments: dict[tuple[SetKey, str], str] = {}
        self._objections: list[Objection] = []

    def take(self, entry: Entry) -> None:
        """Take one entry."""
        word = entry.words[0].value
        if not entry.indented and word.startswith("$"):
            self._direct(word.upper(), entry)
        else:
            self._record(entry)

    def content(self) -> ZoneContent:
        """Sum up what was taken."""
        usual = self._zone_ttl if self._first_default is None else self._first_default
        sets = {}
        for key, values in self._values.items():
            ttls = {usual if ttl is None else ttl for ttl in self._ttls[key]}
            if len(ttls) > 1:
                self._object("ttl-mismatch", key, "one record set with more than one TTL")
            ttl = min((ttl for ttl in ttls if ttl is not None), default=None)
            sets[key] = Records(None if ttl == usual else ttl, values)
        return ZoneContent(sets, self._first_default, self._comments, tuple(self._objections))

    def _direct(self, word: str, entry: Entry) -> None:
        if len(entry.words) != 2:
            raise ValueError(f"{word} takes one word")
        value = entry.words[1].value
        if word == "$TTL":
            self._default = dns.ttl.from_text(value)
            if self._first_default is None:
                self._first_default = self._default
                self._bound(self._default, None)
        elif word == "$ORIGIN":
            origin = dns.name.from_text(value, self._origin)
            self._judge_origin(value, origin)
            self._origin = origin
        else:
            raise ValueError(f"the directive {word[:20]} is not known here")

    def _judge_origin(self, value: str, origin: dns.name.Name) -> None:
        if not value.endswith("."):
            self._object("origin", None, "$ORIGIN ends without a dot")
        elif not origin.is_subdomain(self._apex):
            self._object("origin", None, f"$ORIGIN lies outside the zone {self._zone}")
        elif origin != self._apex:
            words = "an $ORIGIN below the zone: names after it belong there"
            self._object("origin-below", None, words, "warning")

    def _record(self, entry: Entry) -> None:
        words = list(entry.words)
        owner_word = ""
        if not entry.indented:
            owner_word = words.pop(0).value
            self._owner = dns.name.from_text(owner_word, self._origin)
        ttl, class_ok, type_word = self._head(words)
        if not class_ok:
            self._object("class", None, f"line {entry.line}: a class other than IN")
            return
        key = SetKey(self._relative(self._owner), type_word)
        if not self._owner.is_subdomain(self._apex):
            self._object("outside", None, f"line {entry.line}: a name outside the zone")
            return
        rdata = dns.rdata.from_text(
            dns.rdataclass.IN, type_word, self._fed.feed(words), self._origin, False
        )
        self._keep(key, ttl, rdata, entry)
        written = Written(
            owner_word, [token.value for token in words], entry, self._origin == self._apex
        )
        self._objections += object_to(key, rdata, written, self._zone)

    def _head(self, words: list[dns.tokenizer.Token]) -> tuple[int | None, bool, str]:
        """Take TTL, class and type off the front, in the orders that are usual."""
        ttl, class_ok = self._default, True
        seen = {"ttl": False, "class": False}
        while words:
            word = words[0].value
            if not seen["ttl"] and (number := _ttl(word)) is not None:
                ttl, seen["ttl"] = number, True
            elif not seen["class"] and word.upper() in {"IN", "CH", "HS", "CS", "CHAOS", "HESIOD"}:
                class_ok, seen["class"] = word.upper() == "IN", True
            else:
                break
            words.pop(0)
        if not words:
            raise ValueError("a record without a type")
        return ttl, class_ok, _type(words.pop(0).value) if class_ok else ""

    def _keep(self, key: SetKey, ttl: int | None, rdata: Rdata, entry: Entry) -> None:
        record = rdata_key(rdata, key.type)
        values = self._values.setdefault(key, {})
        if key == APEX_SOA and values:
            self._object("soa", None, "more than one SOA")
        values.setdefault(record, rdata.to_text())
        if ttl not in self._ttls.setdefault(key, set()):
            self._ttls[key].add(ttl)
            if ttl is not None and ttl != self._default:
                self._bound(ttl, key)
        if comment := entry.comment.strip():
            self._comments[key, record] = comment
        if key.type not in TYPES:
            self._object("type", key, "Hetzner has no records of this type")

    def _bound(self, ttl: int, key: SetKey | None) -> None:
        if not LOWEST_TTL <= ttl <= HIGHEST_TTL:
            words = f"TTL {ttl}; the API takes {LOWEST_TTL} to {HIGHEST_TTL}"
            self._object("ttl", key, words)

    def _relative(self, name: dns.name.Name) -> str:
        written = name.to_text().lower()
        apex = f"{self._zone}."
        return "@" if written == apex else written.removesuffix(f".{apex}")

    def _object(
        self, word: str, key: SetKey | None, words: str, level: str = "error", record: str = ""
    ) -> None:
        found = Objection(word, "error" if level == "error" else "warning", key, record, words)
        if found not in self._objections[-50:]:
            self._objections.append(found)


def _ttl(word: str) -> int | None:
    if not word[:1].isdigit():
        return None
    try:
        return dns.ttl.from_text(word)
    except dns.ttl.BadTTL:
        return None


def _type(word: str) -> str:
    try:
        return dns.rdatatype.to_text(dns.rdatatype.from_text(word))
    except (dns.exception.DNSException, ValueError):
        raise ValueError(f"unknown record type {word[:20]!r}") from None
