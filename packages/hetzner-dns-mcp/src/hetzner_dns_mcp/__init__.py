"""MCP server for Hetzner DNS: zones, record sets and records, after a person has seen what will answer."""

__version__ = "0.1.0"
