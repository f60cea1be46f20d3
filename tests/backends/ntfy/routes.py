"""Which request goes where, in the order in which ntfy looks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import admin, documents, publish, subscribe
from .errors import NotModelledError, NtfyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .core import Core
    from .exchange import Exchange, Reply, Stream
    from .settings import Settings

_NAME = r"[-_A-Za-z0-9]{1,64}"
_NAMES = rf"{_NAME}(,{_NAME})*"


@dataclass(frozen=True, slots=True)
class _Route:
    methods: frozenset[str]
    path: re.Pattern[str]
    answer: Callable[[Core, Exchange], Reply | Stream]
    since: tuple[int, int] = (2, 13)
    needs_attachments: bool = False

    def takes(self, exchange: Exchange, settings: Settings) -> bool:
        return (
            exchange.request.method in self.methods
            and self.path.fullmatch(exchange.path) is not None
            and settings.at_least(*self.since)
            and (settings.attachments or not self.needs_attachments)
        )


def _route(
    methods: str,
    path: str,
    answer: Callable[[Core, Exchange], Reply | Stream],
    since: tuple[int, int] = (2, 13),
    *,
    needs_attachments: bool = False,
) -> _Route:
    pattern = re.compile(path, re.ASCII | re.DOTALL)
    return _Route(frozenset(methods.split()), pattern, answer, since, needs_attachments)


def _not_modelled(core: Core, exchange: Exchange) -> Reply:
    raise NotModelledError


_ROUTES = (
    _route("GET", "/", documents.web_page),
    _route("HEAD", "/", documents.empty),
    _route("GET", "/v1/health", documents.health),
    _route("GET", "/v1/version", documents.version, (2, 17)),
    _route("GET", "/v1/config", documents.config, (2, 16)),
    _route("GET", "/config.js", documents.config_script),
    _route("GET", "/v1/users", admin.list_users),
    _route("POST", "/v1/users", admin.add_user),
    _route("PUT", "/v1/users", admin.change_user),
    _route("DELETE", "/v1/users", admin.delete_user),
    _route("PUT POST", "/v1/users/access", admin.allow_access),
    _route("DELETE", "/v1/users/access", admin.reset_access),
    _route("GET", "/v1/account", documents.account),
    _route("POST", "/v1/account/token", documents.create_token),
    _route("POST DELETE", "/v1/account", _not_modelled),
    _route("POST PUT PATCH DELETE", "/v1/account/.+", _not_modelled),
    _route("GET", "/v1/stats", documents.stats),
    _route("GET POST", "/_matrix/push/v1/notify", _not_modelled),
    _route("GET", r"/(static/.+|app\.html|sw\.js|docs(/.*)?)", documents.static_file),
    _route(
        "GET HEAD",
        rf"/file/{_NAME}(\.[A-Za-z0-9]{{1,16}})?",
        documents.download,
        needs_attachments=True,
    ),
    _route("OPTIONS", ".*", documents.options),
    _route("PUT POST", "/", publish.publish_json),
    _route("PUT POST", f"/{_NAME}", publish.publish_raw),
    _route("PUT POST", f"/{_NAME}/{_NAME}", publish.publish_raw, (2, 16)),
    _route("DELETE", f"/{_NAME}/{_NAME}", publish.delete, (2, 16)),
    _route("GET", f"/{_NAME}/{_NAME}/delete", publish.delete, (2, 25)),
    _route("PUT", f"/{_NAME}/{_NAME}/(read|clear)", publish.clear, (2, 16)),
    _route("GET", f"/{_NAME}/{_NAME}/(read|clear)", publish.clear, (2, 25)),
    _route("GET", f"/{_NAME}/(publish|send|trigger)", publish.publish_raw),
    _route("GET", f"/{_NAMES}/json", subscribe.subscribe_json),
    _route("GET", f"/{_NAMES}/sse", subscribe.subscribe_sse),
    _route("GET", f"/{_NAMES}/raw", subscribe.subscribe_raw),
    _route("GET", f"/{_NAMES}/ws", subscribe.subscribe_websocket),
    _route("GET", f"/{_NAMES}/auth", subscribe.read_access),
    _route("GET", f"/({_NAME}|[^/]+\\.[^/]+/{_NAME})", documents.topic_page),
)


def answer(core: Core, exchange: Exchange) -> Reply | Stream:
    """The honest answer to a request; raises NtfyError for ntfy's refusals."""
    core.catch_up()
    core.identify(exchange)
    for route in _ROUTES:
        if route.takes(exchange, core.settings):
            return route.answer(core, exchange)
    raise NtfyError(40401)
