"""The tools; importing this package registers them in listing order."""

from ntfy_mcp.order import ORDER
from ntfy_mcp.registry import TOOLS
from ntfy_mcp.tools import accounts, instance, publishing, reading, revising, waiting

TOOLS.ordered(ORDER)

__all__ = ["TOOLS", "accounts", "instance", "publishing", "reading", "revising", "waiting"]
