"""The labelled lines of a dialog: the caller's values, one a line."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence

from hetzner_dns_mcp.records.normalize import Prepared
from hetzner_dns_mcp.zonefile.reading import ZoneContent
from mcp_approval.question import Detail
from mcp_approval.typing import JSONValue

SUMMARY_LINES = 40
"""Deciding records of a zone file that the import dialog lists."""

EXCERPT_LINES = 20

_LACKING = "apex-ns-incomplete: {count} of Hetzner's name servers are not in the file"

SUMMARY_CHARS = 300
"""How much of one value a summary shows; what decides is the count of records and the digest."""


def written_values(
    prepared: Prepared, body: Mapping[str, JSONValue], around: Sequence[str]
) -> tuple[Detail, ...]:
    """Show everything that a write of records will write, and what is odd about it."""
    details = []
    for number, record in enumerate(prepared.records, 1):
        details.append(Detail(f"record {number}", record["value"]))
        index = number - 1
        if index in prepared.given:
            details.append(Detail(f"record {number} as you gave it", prepared.given[index]))
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


def summary(content: ZoneContent, assigned: Sequence[str] = ()) -> list[Detail]:
    """Show what a zone file holds, and which of its records decide who answers."""
    types = ", ".join(f"{count} {kind}" for kind, count in sorted(content.types().items()))
    deciding = content.deciding(assigned)
    lacking = content.lacking(assigned)
    details = [
        Detail("records", f"{content.records} in {len(content.sets)} record sets"),
        Detail("by type", _short(types) or "none"),
        *(Detail("warning", warning) for warning in content.warnings),
        *([Detail("warning", _LACKING.format(count=lacking))] if lacking else []),
        *(
            Detail(key.type, _short(f"{key.name}: {value}"))
            for key, value in deciding[:SUMMARY_LINES]
        ),
    ]
    rest = len(deciding) - SUMMARY_LINES
    if rest > 0:
        details.append(Detail("and more", f"{rest} more records that decide who answers"))
    return details


def excerpt(text: str, reason: str) -> list[Detail]:
    """Show the beginning of a zone file that could not be read here, and why."""
    lines = text.splitlines()
    details = [
        Detail("could not be summarised here", _short(reason)),
        *(
            Detail(f"line {number}", _short(line))
            for number, line in enumerate(lines[:EXCERPT_LINES], 1)
        ),
    ]
    if len(lines) > EXCERPT_LINES:
        details.append(Detail("and more", f"{len(lines) - EXCERPT_LINES} more lines"))
    return details


def _is_public(address: str) -> bool:
    return ipaddress.ip_address(address).is_global


def _short(text: str) -> str:
    if len(text) <= SUMMARY_CHARS:
        return text
    return f"{text[:SUMMARY_CHARS]}… (cut, {len(text)} characters in all)"
