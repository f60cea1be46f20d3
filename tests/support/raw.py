"""A client that says exactly what it is told, over streams in this process."""

from __future__ import annotations

from mcp_serverkit.runtime.catalogue_writer import CLIENT, ENVELOPE, HELLO, Document, exchange

__all__ = ["CLIENT", "ENVELOPE", "HELLO", "Document", "exchange"]
