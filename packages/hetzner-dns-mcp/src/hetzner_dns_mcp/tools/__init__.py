"""The tools; importing this package registers them in listing order."""

from hetzner_dns_mcp.order import ORDER
from hetzner_dns_mcp.registry import TOOLS
from hetzner_dns_mcp.tools import actions, changes, protection, records, rrsets, zonefiles, zones

TOOLS.ordered(ORDER)

__all__ = ["TOOLS", "actions", "changes", "protection", "records", "rrsets", "zonefiles", "zones"]
