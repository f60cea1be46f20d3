"""Links whose text names another address than the one they open."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple
from urllib.parse import unquote

from smtp_mcp.mailbox import parse
from smtp_mcp.message.domains import known_suffix
from smtp_mcp.message.html_text import Link

_WEB = re.compile(r"(?:https?:[/\\]*|\bwww\.)([^\s<>\"']+)", re.IGNORECASE)
_MAIL = re.compile(r"[^\s<>@,;:()\"']+@[^\s<>@,;:()\"']+")
_HOST = re.compile(r"[^\W_](?:[\w-]*\.)+[^\W\d_][\w-]*[/\\]?")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_DROPPED = re.compile(r"[\t\r\n]")
_PLAIN = re.compile(r"[a-z0-9._:\[\]-]{1,253}")


class Judged(NamedTuple):
    """A link and what is known of it.

    Attributes:
        text: What is visible of it.
        target: Where it leads.
        differs: Whether its text names another address.
        host: Its host as an A-label, where the target does not show it plainly.
    """

    text: str
    target: str
    differs: bool
    host: str


def judged(links: tuple[Link, ...]) -> list[Judged]:
    """Look at all links; those whose text names another address come first."""
    seen = [_judge(link) for link in links]
    return sorted(seen, key=lambda link: not link.differs)


def _judge(link: Link) -> Judged:
    scheme, rest = _apart(link.target)
    web = scheme in {"http", "https"}
    authority = re.split(r"[/\\?#]", rest.lstrip("/\\"), maxsplit=1)[0] if web else ""
    host = _host(authority)
    unclear = web and ("@" in authority or "%" in authority or not authority.isascii())
    return Judged(
        link.text, link.target, _differs(link.text, scheme, rest, host), host if unclear else ""
    )


def _differs(text: str, scheme: str, rest: str, host: str) -> bool:
    hosts = {_host(re.split(r"[/\\?#]", found[1], maxsplit=1)[0]) for found in _WEB.finditer(text)}
    whole = text.strip().rstrip(".")
    if _HOST.fullmatch(whole) and known_suffix(_host(whole.rstrip("/\\"))):
        hosts.add(_host(whole.rstrip("/\\")))
    if any(_same(named) != _same(host) for named in hosts):
        return True
    if hosts:
        return False
    addresses = {_address(found[0].rstrip(".!?")) for found in _MAIL.finditer(text)}
    opened = _address(unquote(rest.partition("?")[0])) if scheme == "mailto" else ""
    return any(address != opened for address in addresses)


def _apart(target: str) -> tuple[str, str]:
    found = _SCHEME.match(_DROPPED.sub("", target).strip())
    if found is None:
        return "", target
    return found[1].lower(), _DROPPED.sub("", target).strip()[found.end() :]


def _host(authority: str) -> str:
    """Read a host as browsers do: decoded, behind any user part, as an A-label."""
    name = re.sub(r":[0-9]*$", "", unquote(authority).rpartition("@")[2])
    name = unicodedata.normalize("NFKC", name).lower().rstrip(".")
    if not name.isascii():
        import idna

        try:
            name = idna.encode(name, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            return "?"
    return name if _PLAIN.fullmatch(name) else "?"


def _same(host: str) -> str:
    return host.removeprefix("www.")


def _address(text: str) -> str:
    try:
        return parse(text).folded
    except ValueError:
        return text.casefold()
