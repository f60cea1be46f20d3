"""Lists of tags: policies of DMARC (RFC 7489, 6.3 and 6.4), keys of DKIM (RFC 6376, 3.6.1)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping

_POLICY = r"(?i:none|quarantine|reject)"
_URI = r"[A-Za-z][A-Za-z0-9+.-]*:[^\s,!]+(?:![0-9]+[kmgtKMGT]?)?"
_DMARC: Mapping[str, str] = {
    "v": r"DMARC1",
    **dict.fromkeys(("p", "sp", "np"), _POLICY),
    "pct": r"[0-9]{1,2}|100",
    **dict.fromkeys(("adkim", "aspf"), r"(?i:[rs])"),
    "fo": r"(?i:[01ds](?:\s*:\s*[01ds])*)",
    "ri": r"[0-9]+",
    "rf": r"[A-Za-z0-9-]+(?:\s*:\s*[A-Za-z0-9-]+)*",
    **dict.fromkeys(("rua", "ruf"), rf"{_URI}(?:\s*,\s*{_URI})*"),
    "t": r"[A-Za-z]+",
    "psd": r"[A-Za-z]+",
}
"""The tags that receivers know, and what may stand behind each."""

_RSA = bytes.fromhex("06092a864886f70d010101")
"""What names a key for RSA (RFC 3279, 2.3.1)."""

ED25519_BYTES = 32
"""RFC 8032, 5.1.5."""


def lint_dmarc(name: str, text: str) -> Iterator[str]:
    """Look over a text that is a DMARC policy, begins like one, or stands where one belongs."""
    begins = re.match(r"\s*v\s*=\s*dmarc", text, re.IGNORECASE) is not None
    report = "_report._dmarc" in name
    belongs = name == "_dmarc" or name.startswith("_dmarc.")
    if not begins and not belongs:
        return
    if not belongs and not report:
        yield "dmarc-at-apex: a DMARC policy is read at the name _dmarc only"
    tags, fault = _tags(text, fold=True)
    first = next(iter(tags), "")
    if text[:1].isspace() or first != "v":
        fault = "v=DMARC1 comes first, with nothing before it"
    elif "p" not in tags and not report:
        fault = fault or "p is missing"
    if fault:
        yield f"dmarc-bad-tag: {fault}"
    for tag, value in tags.items():
        if tag not in _DMARC:
            yield "dmarc-unknown-tag: receivers pass over a tag that is unknown"
        elif re.fullmatch(_DMARC[tag], value) is None:
            yield f"dmarc-bad-tag: {tag} has a value that is none of its own"


def lint_dkim(name: str, text: str) -> Iterator[str]:
    """Look over the text at the name of a DKIM key."""
    labels = name.split(".")
    if "_domainkey" not in labels[1:] or labels[0] == "_adsp":
        return
    tags, fault = _tags(text, fold=False)
    if "v" in tags and (next(iter(tags)) != "v" or tags["v"] != "DKIM1"):
        fault = "v comes first and is DKIM1"
    elif "p" not in tags:
        fault = fault or "p, the key, is missing"
    kind = tags.get("k", "rsa")
    for tag, known in (("k", "rsa ed25519"), ("h", "sha1 sha256"), ("t", "y s")):
        words = {word.strip() for word in tags.get(tag, known.partition(" ")[0]).split(":")}
        if not words & set(known.split()):
            yield f"dkim-bad-tag: {tag} has a value that is none of its own"
    if fault:
        yield f"dkim-bad-tag: {fault}"
    key = re.sub(r"\s", "", tags.get("p", ""))
    if key and (broken := _key_fault(kind, key)):
        yield f"dkim-broken-key: {broken}"


def _tags(text: str, *, fold: bool) -> tuple[dict[str, str], str]:
    """Read a list of tags; returns what is wrong with the list as well."""
    tags: dict[str, str] = {}
    fault = ""
    parts = text.split(";")
    if not parts[-1].strip():
        parts.pop()
    for part in parts:
        tag, equals, value = part.partition("=")
        tag = tag.strip().lower() if fold else tag.strip()
        if not equals or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", tag):
            fault = "a part between semicolons is no tag=value"
        elif tag in tags:
            fault = "a tag stands twice"
        else:
            tags[tag] = value.strip()
    return tags, fault


def _key_fault(kind: str, key: str) -> str:
    try:
        data = base64.b64decode(key, validate=True)
    except (binascii.Error, ValueError):
        return "p is not base64"
    if kind == "ed25519" and len(data) != ED25519_BYTES:
        return f"an ed25519 key has {ED25519_BYTES} bytes"
    if kind == "rsa" and not _is_rsa(data):
        return "p is no public key for RSA; it may be cut"
    return ""


def _is_rsa(data: bytes) -> bool:
    """Tell whether bytes are a key for RSA: bare, or with its algorithm in front."""
    parts = _der(data)
    if [tag for tag, _ in parts] != [0x30]:
        return False
    inner = _der(parts[0][1])
    tags = [tag for tag, _ in inner]
    if tags == [0x30, 0x03] and inner[0][1].startswith(_RSA):
        return _is_rsa(inner[1][1][1:])
    return tags == [0x02, 0x02] and all(any(number) for _, number in inner)


def _der(data: bytes) -> list[tuple[int, bytes]]:
    """Split bytes into what DER holds side by side; nothing where it does not fit."""
    found = []
    while data:
        if len(data) < 2:
            return []
        tag, length, start = data[0], data[1], 2
        if length > 0x80:
            start += length - 0x80
            length = int.from_bytes(data[2:start])
        if start + length > len(data):
            return []
        found.append((tag, data[start : start + length]))
        data = data[start + length :]
    return found
