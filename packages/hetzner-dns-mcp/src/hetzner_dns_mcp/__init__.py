"""MCP server for Hetzner DNS, and a client of its API that works without MCP."""

__version__ = "0.1.0"
