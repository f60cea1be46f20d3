"""The tools; importing this package registers all of its modules, in listing order."""

from woodpecker_ci_mcp.order import ORDER
from woodpecker_ci_mcp.registry import TOOLS

TOOLS.load(__name__, __path__, ORDER)

__all__ = ["TOOLS"]
