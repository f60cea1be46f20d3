"""The registry that the tool modules fill."""

from mcp_serverkit.tools import Registry

TOOLS = Registry(source="woodpecker")
