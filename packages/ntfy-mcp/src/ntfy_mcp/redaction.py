"""Secrets of third parties in buttons and addresses, which no reader of a message needs.

People put tokens into the headers, addresses and bodies of buttons. What a caller sees of them
is what the button does, not what it does it with; nothing here touches what is sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from urllib.parse import unquote, urlsplit

from mcp_serverkit.http.json_fields import Document

REDACTED = "(redacted)"

_PUBLISHING = ("title", "message", "priority", "tags", "click", "icon", "delay", "markdown")
_SHOWN_HEADERS = frozenset(
    ["accept", "accept-language", "content-type", "user-agent"]
    + [prefix + name for name in (*_PUBLISHING, "filename") for prefix in ("", "x-")]
)
_ADDRESS_HEADERS = frozenset(["click", "x-click", "icon", "x-icon"])

_SECRET_NAME = re.compile("auth|token|key|secret|pass|pwd|sig|cred|session|jwt|code")
_USER_INFO = re.compile(r"^((?:[A-Za-z][A-Za-z0-9+.-]*:)?[/\\]{2})[^/\\?#]*@")
_PARAMETER = re.compile(r"([?&;#])([^=?&;#]*)=([^&;#]+)")
_FIELD = re.compile(r"((?:^|[&;\s])([^=&;\s]+)=)([^&\r\n]+)")
_SEGMENT = re.compile(r"[^/]+")

_WORDS = re.compile(
    r"tk_[A-Za-z0-9]{20,}"
    r"|eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"
    r"|(?:gh[pos]_|github_pat_|glpat-|xox[A-Za-z]-|sk-)[A-Za-z0-9_-]{16,}"
    r"|(?<![A-Za-z0-9])re-[A-Za-z0-9]{22}(?![A-Za-z0-9])"
)
_SCHEME = re.compile(r"\b((?:Bearer|Basic)(?:\s|%20|\+)+)(?!\(redacted\))([^\s&\"']{8,})", re.I)
_BOT = re.compile(r"\bbot[0-9]+(?::|%3A)[A-Za-z0-9_-]{20,}", re.I)
_HOOK = re.compile(r"(/(?:webhooks?|services)/)([^\s?#\"'<>]+)", re.I)


class Redactor:
    """Takes credentials out of one view, and counts them.

    Attributes:
        count: How many values were taken out.
    """

    def __init__(self) -> None:
        self.count = 0

    def address(self, text: str) -> str | None:
        """Show an address without user info and secret parameters; None if it is unreadable."""
        try:
            urlsplit(text)
        except ValueError:
            self.count += 1
            return None
        text = self._replace(_USER_INFO, text, lambda found: f"{found[1]}{REDACTED}@")
        text = self._replace(
            _PARAMETER,
            text,
            lambda found: f"{found[1]}{found[2]}={REDACTED}" if is_secret(found[2]) else found[0],
        )
        return self.words(text)

    def action(self, action: Document) -> Document:
        """Show a button: what it does, without what it does it with."""
        return {key: self._part(key, value) for key, value in action.items()}

    def words(self, text: str) -> str:
        """Take out what has the shape of a credential."""
        text = self._replace(_WORDS, text, lambda _: REDACTED)
        text = self._replace(_BOT, text, lambda _: REDACTED)
        text = self._replace(_SCHEME, text, lambda found: f"{found[1]}{REDACTED}")
        return self._replace(_HOOK, text, lambda found: found[1] + _SEGMENT.sub(REDACTED, found[2]))

    def _part(self, key: str, value: object) -> object:
        if key in {"id", "action", "label", "clear", "method"}:
            return value
        if key == "url" and isinstance(value, str):
            return self.address(value)
        if key == "headers":
            return self._headers(value)
        if key == "body" and isinstance(value, str):
            return self._body(value)
        if key == "extras" and isinstance(value, Mapping):
            return {name: self._member(str(name), item) for name, item in value.items()}
        return self._deep(value)

    def _headers(self, value: object) -> object:
        if not isinstance(value, Mapping):
            return self._hidden()
        return {name: self._header(str(name).lower(), item) for name, item in value.items()}

    def _header(self, name: str, value: object) -> object:
        if name not in _SHOWN_HEADERS or not isinstance(value, str):
            return self._hidden()
        return self.address(value) if name in _ADDRESS_HEADERS else self.words(value)

    def _body(self, text: str) -> object:
        before = self.count
        try:
            document = json.loads(text, object_pairs_hook=self._members)
        except ValueError:
            hide = self._replace(
                _FIELD, text, lambda found: found[1] + REDACTED if is_secret(found[2]) else found[0]
            )
            return self.words(hide)
        except RecursionError:
            return self._hidden()
        changed = self.count > before
        return self.words(json.dumps(document, ensure_ascii=False) if changed else text)

    def _members(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        return {name: self._scalars(value) if is_secret(name) else value for name, value in pairs}

    def _member(self, name: str, value: object) -> object:
        return self._scalars(value) if is_secret(name) else self._deep(value)

    def _scalars(self, value: object) -> object:
        if isinstance(value, list):
            return [self._scalars(item) for item in value]
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return value
        return self._hidden()

    def _deep(self, value: object) -> object:
        if isinstance(value, str):
            return self.words(value)
        if isinstance(value, Mapping):
            return {name: self._deep(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._deep(item) for item in value]
        return value

    def _hidden(self) -> str:
        self.count += 1
        return REDACTED

    def _replace(
        self, pattern: re.Pattern[str], text: str, change: Callable[[re.Match[str]], str]
    ) -> str:
        def counted(found: re.Match[str]) -> str:
            changed = change(found)
            self.count += changed != found[0]
            return changed

        return pattern.sub(counted, text)


def is_secret(name: str) -> bool:
    """Tell whether a parameter or member of this name usually holds a credential."""
    plain = re.sub(r"[-_.]", "", unquote(name).lower())
    return _SECRET_NAME.search(plain) is not None


def holds_redaction(value: object) -> bool:
    """Tell whether a caller sends back what was taken out here."""
    if isinstance(value, str):
        return REDACTED in unquote(value).lower()
    if isinstance(value, Mapping):
        return any(holds_redaction(item) for item in value.values())
    return isinstance(value, list | tuple) and any(map(holds_redaction, value))
