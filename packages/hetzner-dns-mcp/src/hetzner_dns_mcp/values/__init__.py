"""Local checks of record values, before anybody is asked and anything is sent.

The API stays the judge: an error here is something provably wrong, a warning everything
that is merely unusual.
"""

from hetzner_dns_mcp.values.prepare import Mode, Prepared, prepare, same_record

__all__ = ["Mode", "Prepared", "prepare", "same_record"]
