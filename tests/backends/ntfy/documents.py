"""Status documents and the account of the sender."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .admin import json_limit, require_admin
from .core import ADDRESS
from .errors import NtfyError
from .exchange import Reply
from .gojson import dump, read_fields

if TYPE_CHECKING:
    from .accounts import Token, User
    from .core import Core
    from .exchange import Exchange
    from .settings import JsonObject

_PAGE = b"<!doctype html>\n<title>ntfy web</title>\n"
_MEBIBYTE = 1024 * 1024
_TOKEN_SECONDS = 72 * 3600


def web_page(core: Core, exchange: Exchange) -> Reply:
    """The web app, which answers for every path that could be a topic."""
    if not core.settings.web_app:
        raise NtfyError(40401)
    return Reply(_PAGE, content_type="text/html; charset=utf-8")


def topic_page(core: Core, exchange: Exchange) -> Reply:
    """The web app under the name of a topic; push clients get a document instead."""
    if core.settings.web_app and exchange.flag("x-unifiedpush", "unifiedpush", "up", default=False):
        return Reply(dump({"unifiedpush": {"version": 1}}))
    return web_page(core, exchange)


def static_file(core: Core, exchange: Exchange) -> Reply:
    """Paths of static files; none of them exists here."""
    if not core.settings.web_app:
        raise NtfyError(40401)
    return Reply(b"404 page not found\n", 404, "text/plain; charset=utf-8")


def empty(core: Core, exchange: Exchange) -> Reply:
    """`HEAD /`."""
    web_page(core, exchange)
    return Reply(b"", content_type="")


def options(core: Core, exchange: Exchange) -> Reply:
    """The answer that lets browsers of other origins in."""
    exchange.visitor.count_request()
    headers = {
        "Access-Control-Allow-Methods": "GET, PUT, POST, PATCH, DELETE",
        "Access-Control-Allow-Headers": "*",
    }
    return Reply(b"", content_type="", headers=headers)


def health(core: Core, exchange: Exchange) -> Reply:
    """`/v1/health`."""
    return Reply(dump({"healthy": True}))


def stats(core: Core, exchange: Exchange) -> Reply:
    """`/v1/stats`."""
    return Reply(dump({"messages": core.total_messages, "messages_rate": 0}))


def version(core: Core, exchange: Exchange) -> Reply:
    """`/v1/version`, for admins."""
    require_admin(core, exchange)
    document = {"version": core.settings.version, "commit": "0" * 7, "date": "2026-01-01T00:00:00Z"}
    return Reply(dump(document))


def config(core: Core, exchange: Exchange) -> Reply:
    """`/v1/config`."""
    return Reply(dump(_config(core)), headers={"Cache-Control": "no-cache"})


def config_script(core: Core, exchange: Exchange) -> Reply:
    """`/config.js`, the same for the web app."""
    if not core.settings.web_app:
        raise NtfyError(40401)
    body = f"var config = {json.dumps(_config(core), indent=2)};\n".encode()
    return Reply(body, content_type="text/javascript", headers={"Cache-Control": "no-cache"})


def account(core: Core, exchange: Exchange) -> Reply:
    """`/v1/account`: the sender's own account, anonymous ones included."""
    user = exchange.user
    document: JsonObject = {"username": "*", "role": "anonymous"}
    if user is not None:
        document = {"username": user.name, "role": user.role, "sync_topic": user.sync_topic}
        document |= user.extras
        if user.provisioned:
            document["provisioned"] = True
        if user.tokens:
            document["tokens"] = [_token(token) for token in user.tokens.values()]
        tier = core.accounts.tiers.get(user.tier)
        if tier is not None:
            document["tier"] = {"code": tier.code, "name": tier.name}
    return Reply(dump(document | _limits_and_stats(core, exchange, user)))


def create_token(core: Core, exchange: Exchange) -> Reply:
    """`POST /v1/account/token`: an access token for the sender."""
    if not core.settings.users:
        raise NtfyError(40401)
    if exchange.user is None:
        raise NtfyError(40101)
    limit = json_limit(core)
    fields = read_fields(exchange.request.body, limit=limit, allow_empty=True)
    now = int(core.now())
    label, expires = fields.text("label"), fields.optional_integer("expires")
    token = core.accounts.add_token(
        exchange.user, label, now + _TOKEN_SECONDS if expires is None else expires, now
    )
    return Reply(dump(_token(token)))


def download(core: Core, exchange: Exchange) -> Reply:
    """`GET /file/{id}`: an uploaded attachment."""
    exchange.visitor.count_request()
    body = core.files.get(exchange.path.removeprefix("/file/").partition(".")[0])
    if body is None:
        raise NtfyError(40401)
    return Reply(body, content_type="application/octet-stream")


def _token(token: Token) -> JsonObject:
    document: JsonObject = {"token": token.value, "last_access": token.last_access}
    if token.label:
        document["label"] = token.label
    document["last_origin"] = ADDRESS
    if token.expires:
        document["expires"] = token.expires
    return document


def _config(core: Core) -> JsonObject:
    settings = core.settings
    document: JsonObject = {
        "base_url": "",
        "app_root": "/" if settings.web_app else "",
        "enable_login": False,
        "enable_signup": False,
        "enable_payments": False,
        "enable_calls": False,
        "enable_emails": False,
        "enable_reservations": False,
        "enable_web_push": False,
        "billing_contact": "",
        "web_push_public_key": "",
        "disallowed_topics": list(settings.reserved_topics),
    }
    if settings.at_least(2, 15):
        document["require_login"] = False
    if settings.at_least(2, 16):
        document["config_hash"] = "0" * 64
    if settings.at_least(2, 25):
        document["enable_reset_password"] = False
    return document


def _limits_and_stats(core: Core, exchange: Exchange, user: User | None) -> JsonObject:
    visitor = exchange.visitor
    tiered = user is not None and user.tier in core.accounts.tiers
    emails, reservations = (20, 3) if tiered else (24, 0)
    total = 100 * _MEBIBYTE
    limits: JsonObject = {
        "basis": "tier" if tiered else "ip",
        "messages": visitor.messages_per_day,
        "messages_expiry_duration": core.message_expiry_seconds(user),
        "emails": emails,
        "calls": 0,
        "reservations": reservations,
        "attachment_total_size": total,
        "attachment_file_size": core.settings.attachment_size_limit,
        "attachment_expiry_duration": 6 * 3600 if tiered else core.settings.attachment_seconds,
        "attachment_bandwidth": 1024 * _MEBIBYTE if tiered else 500 * _MEBIBYTE,
    }
    counted: JsonObject = {
        "messages": visitor.messages,
        "messages_remaining": max(0, visitor.messages_per_day - visitor.messages),
        "emails": 0,
        "emails_remaining": emails,
        "calls": 0,
        "calls_remaining": 0,
        "reservations": 0,
        "reservations_remaining": reservations,
        "attachment_total_size": 0,
        "attachment_total_size_remaining": total,
    }
    return {"limits": limits, "stats": counted}
