"""MCP server for ntfy, and a client of ntfy's API that works without MCP."""

__version__ = "0.1.0"
