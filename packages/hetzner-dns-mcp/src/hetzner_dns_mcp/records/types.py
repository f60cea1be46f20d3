"""The record types of the API, and those that decide who answers."""

from __future__ import annotations

TYPES = (
    *("A", "AAAA", "CAA", "CNAME", "DS", "HINFO", "HTTPS", "MX"),
    *("NS", "PTR", "RP", "SOA", "SRV", "SVCB", "TLSA", "TXT"),
)
"""The record types of the API."""

DECIDING_TYPES = ("CAA", "CNAME", "DS", "HTTPS", "MX", "NS", "SRV", "SVCB", "TLSA")
"""HTTPS is a variety of SVCB (RFC 9460) and redirects like it."""
