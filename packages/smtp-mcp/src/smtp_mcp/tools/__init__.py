"""The tools; importing this package registers them in listing order."""

from smtp_mcp.order import ORDER
from smtp_mcp.registry import TOOLS
from smtp_mcp.tools import instance, previewing, sending

TOOLS.ordered(ORDER)

__all__ = ["TOOLS", "instance", "previewing", "sending"]
