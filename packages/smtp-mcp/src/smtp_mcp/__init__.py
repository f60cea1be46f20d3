"""MCP server for one mail account: write, reply and forward mail, after a person has agreed."""

__version__ = "0.1.0"
