"""The tools in listing order, and the presets among them."""

ORDER = (
    "list_zones",
    "get_zone",
    "create_zone",
    "update_zone",
    "delete_zone",
    "export_zonefile",
    "import_zonefile",
    "change_zone_ttl",
    "change_zone_protection",
    "change_primary_nameservers",
    "list_rrsets",
    "get_rrset",
    "create_rrset",
    "update_rrset",
    "delete_rrset",
    "set_records",
    "add_records",
    "remove_records",
    "change_rrset_ttl",
    "change_rrset_protection",
    "list_zone_actions",
    "get_zone_action",
    "apply_record_changes",
    "check_zone",
    "check_dns",
)

EXTRAS = ("apply_record_changes", "check_zone", "check_dns")
"""Off unless the operator switches them on."""

ESSENTIAL = (
    "list_zones",
    "get_zone",
    "list_rrsets",
    "get_rrset",
    "create_rrset",
    "set_records",
    "delete_rrset",
    "export_zonefile",
    "check_zone",
)
