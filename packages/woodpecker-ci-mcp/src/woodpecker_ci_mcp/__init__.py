"""MCP server for Woodpecker CI: pipelines, logs, repositories and administration."""

__version__ = "0.1.0"
