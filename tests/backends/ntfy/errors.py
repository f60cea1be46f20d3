"""The error answers of the stand-in: numeric code, HTTP status, text and link."""

from __future__ import annotations

import json

_PUBLISH = "https://ntfy.sh/docs/publish/"

_KNOWN: dict[int, tuple[str, str]] = {
    40000: ("bad request", ""),
    40001: ("e-mail is switched off here", "https://ntfy.sh/docs/config/#e-mail-notifications"),
    40002: ("a delayed message must be cached", ""),
    40004: ("delay not understood", f"{_PUBLISH}#scheduled-delivery"),
    40005: ("delay below the minimum", f"{_PUBLISH}#scheduled-delivery"),
    40006: ("delay above the maximum", f"{_PUBLISH}#scheduled-delivery"),
    40007: ("priority not understood", f"{_PUBLISH}#message-priority"),
    40008: ("since not understood", "https://ntfy.sh/docs/subscribe/api/#fetch-cached-messages"),
    40009: ("topic is not valid", ""),
    40010: ("topic is reserved", ""),
    40011: ("message is not UTF-8", ""),
    40013: ("attachment URL is not valid", f"{_PUBLISH}#attachments"),
    40014: ("attachments are switched off", "https://ntfy.sh/docs/config/#attachments"),
    40015: ("attachment would expire before delivery", f"{_PUBLISH}#scheduled-delivery"),
    40016: ("not a websocket request", "https://ntfy.sh/docs/subscribe/api/#websockets"),
    40018: ("actions are not valid", f"{_PUBLISH}#action-buttons"),
    40021: ("icon URL is not valid", f"{_PUBLISH}#icons"),
    40024: ("body is not the expected JSON", ""),
    40025: ("permission not understood", ""),
    40030: ("no such tier", ""),
    40031: ("no such user", ""),
    40032: ("phone calls are switched off", "https://ntfy.sh/docs/config/#phone-calls"),
    40049: ("sequence id is not valid", f"{_PUBLISH}#updating-deleting-notifications"),
    40050: ("e-mail address is not valid", f"{_PUBLISH}#e-mail-notifications"),
    40101: ("unauthorized", f"{_PUBLISH}#authentication"),
    40301: ("forbidden", f"{_PUBLISH}#authentication"),
    40401: ("page not found", ""),
    40901: ("user exists already", ""),
    41301: ("attachment too large", f"{_PUBLISH}#limitations"),
    41303: ("JSON body too large", ""),
    42901: ("too many requests", f"{_PUBLISH}#limitations"),
    42903: ("too many open subscriptions", f"{_PUBLISH}#limitations"),
    42904: ("too many topics on this server", f"{_PUBLISH}#limitations"),
    42905: ("daily bandwidth used up", f"{_PUBLISH}#limitations"),
    42908: ("daily messages used up", f"{_PUBLISH}#limitations"),
    42909: ("too many failed logins", f"{_PUBLISH}#limitations"),
    42911: ("too many new topics", f"{_PUBLISH}#limitations"),
    50001: ("internal server error", ""),
    50701: ("no subscriber for this push topic", ""),
}


class NtfyError(Exception):
    """A request that ends in one of ntfy's error answers."""

    def __init__(self, code: int, detail: str = "") -> None:
        text, self.link = _KNOWN.get(code, ("error", ""))
        self.code = code
        self.status = code // 100
        self.text = f"{text}; {detail}" if detail else text
        super().__init__(f"{code}: {self.text}")

    def body(self) -> bytes:
        """The JSON document that goes over the wire."""
        document: dict[str, object] = {"code": self.code, "http": self.status, "error": self.text}
        if self.link:
            document["link"] = self.link
        return json.dumps(document).encode() + b"\n"


class NotModelledError(Exception):
    """A route or option that ntfy has and this stand-in does not."""
