"""The registry that the tool modules fill."""

from mcp_serverkit.tools.registry import Registry

TOOLS = Registry(
    source="hetzner-cloud-api",
    elsewhere={
        ("update_rrset", "records"): "set_records",
        ("update_rrset", "ttl"): "change_rrset_ttl",
        ("set_records", "ttl"): "change_rrset_ttl",
        ("update_zone", "ttl"): "change_zone_ttl",
    },
)
