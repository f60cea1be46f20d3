"""The labelled lines of a dialog: the caller's values, one a line."""

from __future__ import annotations

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
    prepared: Prepared, body: Mapping[str, JSONValue], around: Sequence[str]
) -> tuple[Detail, ...]:
    """Show everything that a write of records will write, and what is odd about it."""
    details: list[Detail] = []
    for number, record in enumerate(prepared.records, 1):
        details += detail(f"record {number}", record["value"])
        index = number - 1
        if index in prepared.given:
            details += detail(f"record {number} as you gave it", prepared.given[index])
        if index in prepared.read_as:
            details.append(Detail(f"record {number} is read as", prepared.read_as[index]))
        if record.get("comment"):
            details.append(Detail(f"comment {number}", record["comment"]))
    if "ttl" in body:
        details.append(Detail("TTL", str(body["ttl"])))
    labels = body.get("labels")
    if isinstance(labels, Mapping):
        details += [Detail("label", f"{key}={value}") for key, value in labels.items()]
    shown = [text for text in prepared.warnings if not text.startswith(_SHOWN_ALREADY)]
    details += [Detail("warning", text) for text in (*shown, *around)]
    return tuple(details)


_SHOWN_ALREADY = ("normalised:", "relative-target:")
"""Warnings that a line of their own says better in a dialog."""


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
