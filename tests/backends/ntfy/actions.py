"""Action buttons, as JSON or in ntfy's short notation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .accounts import random_text
from .errors import NtfyError
from .gojson import Fields, as_fields, decode

if TYPE_CHECKING:
    from .settings import JsonObject, Settings

_LARGEST_COUNT = 3
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_SECTION = re.compile(
    r"""\s*(?:(?P<key>[-.\w]+)\s*=\s*)?
        (?:"(?P<double>(?:\\"|[^"])*)"\s*|'(?P<single>(?:\\'|[^'])*)'\s*|(?P<plain>[^,;"'][^,;]*)?)
        (?P<end>[,;]|$)""",
    re.VERBOSE | re.ASCII,
)
_TEXT_KEYS = ("action", "label", "url", "method", "body", "intent", "value")


@dataclass(slots=True)
class Action:
    """One button before it is checked."""

    texts: dict[str, str] = field(default_factory=dict)
    clear: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    extras: dict[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """One of the plain fields, empty when absent."""
        return self.texts.get(name, "")

    def as_json(self) -> JsonObject:
        """The button as it appears in a message, with the id ntfy gives it."""
        document: JsonObject = {
            "id": random_text(10),
            "action": self.text("action"),
            "label": self.text("label"),
            "clear": self.clear,
        }
        optional: JsonObject = {
            name: self.text(name) for name in ("url", "method", "body", "intent", "value")
        }
        optional |= {"headers": self.headers, "extras": self.extras}
        return document | {name: value for name, value in optional.items() if value}


def read_actions(items: list[Fields], settings: Settings) -> list[Action]:
    """The buttons of a JSON publish; wrong types raise 40024, values are checked later."""
    names = _TEXT_KEYS if settings.at_least(2, 17) else _TEXT_KEYS[:-1]
    return [
        Action(
            {name: item.text(name) for name in names},
            item.flag("clear"),
            item.text_map("headers"),
            item.text_map("extras"),
        )
        for item in items
    ]


def parse_actions(text: str, settings: Settings) -> list[Action]:
    """The buttons of a header or query value; anything wrong raises 40018."""
    text = text.strip()
    if not text.startswith("["):
        return _parse_short(text, settings)
    try:
        value = decode(text.encode(), whole=True)
        if not isinstance(value, list):
            raise NtfyError(40018)
        return read_actions([as_fields(item) for item in value], settings)
    except NtfyError:
        raise NtfyError(40018, "not the expected JSON") from None


def checked(actions: list[Action], settings: Settings) -> list[JsonObject]:
    """The buttons as stored; raises 40018 when ntfy would."""
    kinds = ["view", "broadcast", "http"] + (["copy"] if settings.at_least(2, 17) else [])
    if len(actions) > _LARGEST_COUNT:
        raise NtfyError(40018, f"at most {_LARGEST_COUNT} actions")
    for action in actions:
        kind = action.texts["action"] = action.text("action").lower()
        action.texts["method"] = action.text("method").upper()
        if kind not in kinds:
            raise NtfyError(40018, "unknown action")
        if not action.text("label"):
            raise NtfyError(40018, "label is missing")
        if kind in {"view", "http"} and not action.text("url"):
            raise NtfyError(40018, "url is missing")
        if kind == "copy" and not action.text("value"):
            raise NtfyError(40018, "value is missing")
        if kind == "http" and action.text("method") in {"GET", "HEAD"} and action.text("body"):
            raise NtfyError(40018, "body does not go with this method")
    return [action.as_json() for action in actions]


def _parse_short(text: str, settings: Settings) -> list[Action]:
    actions: list[Action] = []
    position = section = 0
    action = Action()
    while position < len(text):
        found = _SECTION.match(text, position)
        if found is None:
            raise NtfyError(40018, f"unexpected character near position {position}")
        _set_section(action, section, found, settings)
        section += 1
        if found["end"] != "," or found.end() >= len(text):
            actions.append(action)
            action, section = Action(), 0
        position = found.end()
    return actions


def _set_section(action: Action, section: int, found: re.Match[str], settings: Settings) -> None:
    if found["double"] is not None:
        value = found["double"].replace('\\"', '"')
    elif found["single"] is not None:
        value = found["single"].replace("\\'", "'")
    else:
        value = (found["plain"] or "").strip()
    key = found["key"] or _implied_key(section, action.text("action"), settings)
    lower = key.lower()
    if key.startswith("headers."):
        action.headers[key.removeprefix("headers.")] = value
    elif key.startswith("extras."):
        action.extras[key.removeprefix("extras.")] = value
    elif lower == "clear":
        if value.lower() not in _BOOLEANS:
            raise NtfyError(40018, "clear is not a boolean")
        action.clear = _BOOLEANS[value.lower()]
    elif lower in _TEXT_KEYS and (lower != "value" or settings.at_least(2, 17)):
        action.texts[lower] = value
    else:
        raise NtfyError(40018, "unknown term")


def _implied_key(section: int, kind: str, settings: Settings) -> str:
    if section == 0:
        return "action"
    if section == 1:
        return "label"
    if section == 2 and kind in {"view", "http"}:
        return "url"
    if section == 2 and kind == "copy" and settings.at_least(2, 17):
        return "value"
    return ""
