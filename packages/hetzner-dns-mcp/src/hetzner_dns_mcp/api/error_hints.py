"""What to do about an error of the API, by its code; by status only where no code came."""

from __future__ import annotations

_HETZNER_SIDE = "The fault is on Hetzner's side; one later try is fine."
_UNAUTHORIZED = (
    "Check HETZNER_API_TOKEN: wrong, revoked, or of another project; tokens of the old DNS console "
    "work no more."
)
_READ_ONLY = (
    "The token lacks write permission: create one with read & write, or set HETZNER_READ_ONLY=true."
)
_MISSING = (
    "No such zone, record set or action in this token's project: look with list_zones or "
    "list_rrsets. The zone itself is the name @. A record set that is missing is made with "
    "create_rrset or add_records, a zone with create_zone."
)
_NO_LOOP = "Do not repeat in a loop."

_BY_CODE = {
    "unauthorized": _UNAUTHORIZED,
    "token_readonly": _READ_ONLY,
    "forbidden": _READ_ONLY,
    "maintenance": _HETZNER_SIDE,
    "unavailable": _HETZNER_SIDE,
    "server_error": _HETZNER_SIDE,
    "service_error": _HETZNER_SIDE,
    "bad_gateway": _HETZNER_SIDE,
    "timeout": _HETZNER_SIDE,
    "resource_unavailable": _HETZNER_SIDE,
    "resource_limit_exceeded": "A limit of the account is reached; the limits named above apply.",
    "not_found": _MISSING,
    "uniqueness_error": (
        "It exists already: replace its records with set_records, or add to them with add_records."
    ),
    "conflict": "It was changed meanwhile and this was not applied; look, then repeat it once.",
    "incorrect_zone_mode": (
        "The zone's mode does not allow this: records, zone file and TTL belong to primary zones, "
        "primary nameservers to secondary ones. get_zone shows the mode."
    ),
    "locked": (
        "Another action is running on the zone: list_zone_actions shows it. Wait for it. "
        f"{_NO_LOOP}"
    ),
    "protected": (
        "It is protected: change_zone_protection or change_rrset_protection removes that. A zone "
        "that holds a protected record set can neither be deleted nor imported into."
    ),
    "rate_limit_exceeded": f"Wait until the limit resets. {_NO_LOOP}",
    "deprecated_api_endpoint": "The API has dropped this function; this server needs an update.",
    "method_not_allowed": "Check HETZNER_API_BASE_URL: the address takes no such request.",
}

_BY_STATUS = {
    401: _UNAUTHORIZED,
    403: _READ_ONLY,
    404: _MISSING,
    429: _BY_CODE["rate_limit_exceeded"],
    500: _HETZNER_SIDE,
    502: _HETZNER_SIDE,
    503: _HETZNER_SIDE,
    504: _HETZNER_SIDE,
}

PROTECTED_ZONE = (
    "The zone is protected against deletion, so nobody was asked and nothing was sent. "
    "change_zone_protection with delete=false removes the protection."
)
EXISTING_RRSET = (
    "The record set exists already, so nobody was asked and nothing was sent. set_records replaces "
    "its records, add_records adds to them."
)
SECONDARY_ZONE = (
    "The zone is a secondary one: its records come from its primary name servers, so nobody was "
    "asked and nothing was sent. change_primary_nameservers changes those."
)
PROTECTED_RRSET = (
    "The record set is protected against changes, so nobody was asked and nothing was sent. "
    "change_rrset_protection with change=false removes the protection."
)


_BY_PHRASE = {
    "duplicate value": "A duplicate value is in the set already.",
    "txt string exceeds 255": "A TXT string over 255 bytes must be split into several of them.",
    "must be quoted": "A TXT value consists of strings in double quotes.",
    "soa": "Hetzner keeps the SOA of a zone; set_records at @ changes it.",
    "nameserver": "The name servers that Hetzner assigned must stay; get_zone lists them.",
    "cannot coexist": "A CNAME stands alone at its name; list_rrsets shows what else is there.",
    "ttl must match": "Leave ttl out, or change it with change_rrset_ttl first.",
    "must match the ttl": "Leave ttl out, or change it with change_rrset_ttl first.",
    "does not exist": "get_rrset shows the values as they are stored.",
}
"""What the API's words for invalid input mean here; its code is the same for all."""


def hint(code: str | None, status: int, words: str = "") -> str:
    """Return the next step after an error answer.

    Args:
        code: The API's code.
        status: HTTP status.
        words: Its message and those of its fields.
    """
    if code == "invalid_input":
        said = words.lower()
        return next((text for phrase, text in _BY_PHRASE.items() if phrase in said), "")
    return _BY_CODE.get(code or "") or _BY_STATUS.get(status, "")
