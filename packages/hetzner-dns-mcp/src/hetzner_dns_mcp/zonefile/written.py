"""What the spelling of one record in a zone file gives away.

Once a name is completed, nobody can tell any more that its final dot was forgotten, so
these checks look at the words of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hetzner_dns_mcp.records.identity import rdata_key
from hetzner_dns_mcp.records.type_rules import TARGETS, Value, check_kind, is_address
from hetzner_dns_mcp.zonefile.content import Objection, SetKey

if TYPE_CHECKING:
    from dns.rdata import Rdata

    from hetzner_dns_mcp.zonefile.entries import Entry


@dataclass(frozen=True, slots=True)
class Written:
    """A record as it stands in the file.

    Attributes:
        owner: The word for its name; empty where the name before holds.
        words: The words of its data.
        entry: The whole entry.
        at_apex: Whether names without a final dot are completed by the zone itself.
    """

    owner: str
    words: Sequence[str]
    entry: Entry
    at_apex: bool


def object_to(key: SetKey, rdata: Rdata, written: Written, zone: str) -> list[Objection]:
    """Find what is wrong with one record, or most likely a mistake."""
    record = rdata_key(rdata, key.type)
    found = [*_owner_faults(key, written, zone), *_target_faults(key, record, written, zone)]
    if key.type == "TXT" and _comment_ate_text(written):
        words = "the text ends at a semicolon outside quotes"
        found.append(Objection("txt-comment-lost", "error", key, record, words))
    if written.words and written.words[0] == r"\#":
        words = r"the generic form \#; write it in the type's own form"
        found.append(Objection("invalid-value", "error", key, record, words))
        return found
    kind = check_kind(key.type, Value(key.name, written.words, rdata))
    for level, texts in (("error", kind.errors), ("warning", kind.warnings)):
        for text in texts:
            word = "invalid-value" if level == "error" else text.partition(":")[0]
            words = text if level == "error" else text.partition(": ")[2]
            found.append(
                Objection(
                    word,
                    "error" if level == "error" else "warning",
                    key,
                    record,
                    words,
                )
            )
    return found


def _owner_faults(key: SetKey, written: Written, zone: str) -> Iterator[Objection]:
    if not written.owner.isascii():
        words = "a name outside ASCII; the API wants its xn-- form"
        yield Objection("owner-not-ascii", "error", key, "", words)
    bare = written.owner.lower()
    if not bare.endswith(".") and f".{bare}".endswith(f".{zone}") and written.at_apex:
        words = f"the name ends without a dot, so it is {_host(bare)}.{zone}."
        yield Objection("doubled-owner", "error", key, "", words)


def _target_faults(key: SetKey, record: str, written: Written, zone: str) -> Iterator[Objection]:
    for index in TARGETS.get(key.type, ()):
        word = written.words[index].lower() if index < len(written.words) else "."
        if word.endswith(".") or "." not in word or is_address(word) or "/" in word or ":" in word:
            continue
        read_as = (
            f"{_host(word)}.{zone}."
            if written.at_apex
            else f"{_host(word)} completed by the $ORIGIN"
        )
        if f".{word}".endswith(f".{zone}") and written.at_apex:
            words = f"a target ends without a dot and would be read as {read_as}"
            yield Objection("doubled-target", "error", key, record, words)
        else:
            words = f"a target has no final dot and is read as {read_as}"
            yield Objection("relative-target", "warning", key, record, words)


def _comment_ate_text(written: Written) -> bool:
    """Tell whether an unquoted policy such as v=DMARC1; p=none lost its end."""
    first = written.entry.words[len(written.entry.words) - len(written.words)]
    return bool(
        written.entry.comment and first.is_identifier() and first.value.lower().startswith("v=")
    )


def _host(word: str) -> str:
    return word if re.fullmatch(r"[a-z0-9._*-]{1,253}", word) else "another name"
