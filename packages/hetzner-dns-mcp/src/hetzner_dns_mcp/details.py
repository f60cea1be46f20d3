"""The labelled lines of a dialog: the caller's values, one a line."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Iterator, Mapping, Sequence

from hetzner_dns_mcp.records.normalize import Prepared
from mcp_approval.question import Detail
from mcp_approval.typing import JSONValue

VALUE_CHARS = 1_000
"""Characters of one line of a dialog; a longer value is shown in parts."""


def detail(label: str, value: str) -> list[Detail]:
    """Show a value; one that is longer than a line of a dialog in parts, all of it."""
    if len(value) <= VALUE_CHARS:
        return [Detail(label, value)]
    parts = list(_parts(value))
    return [
        Detail(f"{label}, part {number} of {len(parts)}", part)
        for number, part in enumerate(parts, 1)
    ]


def written_values(
    prepared: Prepared, marks: Sequence[str], body: Mapping[str, JSONValue]
) -> tuple[Detail, ...]:
    """Show everything that a write of records will write, and what becomes of each value.

    Args:
        prepared: The values.
        marks: What becomes of each; empty where that is unknown.
        body: TTL and labels, where the call gives them.
    """
    details: list[Detail] = []
    for index, record in enumerate(prepared.records):
        number = index + 1
        details += detail(f"record {number}{_marked(marks, index)}", record["value"])
        given = prepared.given.get(index)
        if given is not None and record["value"] != f'"{given}"':
            details += detail(f"record {number} as you gave it", given)
        if index in prepared.read_as:
            details.append(Detail(f"record {number} is read as", prepared.read_as[index]))
        if record.get("comment"):
            details.append(Detail(f"comment {number}", record["comment"]))
    if "ttl" in body:
        details.append(Detail("TTL", str(body["ttl"])))
    labels = body.get("labels")
    if isinstance(labels, Mapping):
        details += [Detail("label", f"{key}={value}") for key, value in labels.items()]
    return (*details, *objections(prepared.warnings))


def removed_values(prepared: Prepared, marks: Sequence[str]) -> tuple[Detail, ...]:
    """Show the values that are to go; of a very long one its beginning and its digest."""
    details: list[Detail] = []
    for index, given in sorted(prepared.given.items()):
        label = f"record {index + 1}{_marked(marks, index)}"
        if len(given) <= VALUE_CHARS:
            details.append(Detail(label, given))
            continue
        digest = hashlib.sha256(given.encode()).hexdigest()
        details += [
            Detail(
                f"{label}, first {BEGINNING_CHARS} of {len(given)} characters",
                given[:BEGINNING_CHARS],
            ),
            Detail(f"record {index + 1} SHA-256", digest),
        ]
    return tuple(details)


def warning_lines(warnings: Sequence[str]) -> tuple[Detail, ...]:
    """Tell what is unusual, except for what a line of its own says better."""
    return tuple(
        Detail("warning", text)
        for text in warnings
        if not text.startswith((*_SHOWN_ALREADY, _QUOTING))
    )


def objections(warnings: Sequence[str]) -> list[Detail]:
    """Tell what is wrong with the caller's values where that quotes them."""
    return [Detail("warning", text) for text in warnings if text.startswith(_QUOTING)]


_SHOWN_ALREADY = ("normalised:", "not-there:")

_QUOTING = "invalid-value:"
"""It may repeat the caller's text, so it stands among the caller's values."""

BEGINNING_CHARS = 500
"""How much is shown of a very long value that goes; its digest tells the rest."""


def servers(servers: Sequence[JSONValue]) -> list[Detail]:
    """Show name servers; whether a key is used, never the key."""
    details = []
    for number, server in enumerate(servers, 1):
        assert isinstance(server, Mapping)  # noqa: S101 (the arguments were checked)
        port = f" port {server['port']}" if "port" in server else ""
        signed = f"yes ({server['tsig_algorithm']})" if "tsig_key" in server else "no"
        reach = "" if _is_public(str(server["address"])) else ", not reachable from the internet"
        details.append(
            Detail(f"server {number}", f"{server['address']}{port}, tsig: {signed}{reach}")
        )
    return details


def _is_public(address: str) -> bool:
    return ipaddress.ip_address(address).is_global


def _parts(value: str) -> Iterator[str]:
    """Cut a value where no blank would end up at the edge of a line, and be lost there."""
    start = 0
    while len(value) - start > VALUE_CHARS:
        end = start + VALUE_CHARS
        while (
            end > start + VALUE_CHARS // 2
            and value[end - 1 : end + 1].strip() != value[end - 1 : end + 1]
        ):
            end -= 1
        yield value[start:end]
        start = end
    yield value[start:]


def _marked(marks: Sequence[str], index: int) -> str:
    return f" ({marks[index]})" if index < len(marks) and marks[index] else ""
