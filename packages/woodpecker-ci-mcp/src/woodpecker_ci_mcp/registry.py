"""The registry that the tool modules fill."""

from mcp_serverkit.tools.registry import Registry

TOOLS = Registry(source="woodpecker")
