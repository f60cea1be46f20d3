"""Logging in: one mechanism, one attempt.

aiosmtplib's own `login` tries every mechanism with a wrong password, which locks accounts.
"""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

import aiosmtplib

from smtp_mcp.api import smtp_errors
from smtp_mcp.api.reply import Reply

_PASSWORD_ORDER = ("plain", "login", "cram-md5")
_CLEAR_ORDER = ("cram-md5", "plain", "login")
_TOKEN_ORDER = ("xoauth2", "oauthbearer")


class TokenSource(Protocol):
    """Where access tokens come from."""

    async def token(self) -> str:
        """Return a token that should be good."""

    def refused(self) -> bool:
        """Note that the last token was refused; tell whether another may be had at once."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """How to log in.

    Attributes:
        auth: `auto`, one mechanism, or `none`.
        user: Login name.
        password: Password.
        tokens: Source of access tokens.
    """

    auth: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    tokens: TokenSource | None = field(default=None, repr=False)

    def mechanism(self, offered: list[str], *, encrypted: bool) -> str:
        """Pick one mechanism.

        Raises:
            NotDelivered: There is none in common.
        """
        if self.auth != "auto":
            order: tuple[str, ...] = (self.auth,)
        elif self.tokens is not None:
            order = _TOKEN_ORDER
        else:
            order = _PASSWORD_ORDER if encrypted else _CLEAR_ORDER
        for mechanism in order:
            if mechanism in offered:
                return mechanism
        raise smtp_errors.no_mechanism(self.auth, offered)


async def log_in(client: aiosmtplib.SMTP, credentials: Credentials, *, encrypted: bool) -> str:
    """Log in, if the settings say so.

    Returns:
        The mechanism, or `none`.

    Raises:
        NotDelivered: Refused.
    """
    if credentials.auth == "none":
        return "none"
    mechanism = credentials.mechanism(client.server_auth_methods, encrypted=encrypted)
    reply = await _attempt(client, credentials, mechanism)
    tokens = credentials.tokens
    # The one second attempt there is: a token from the cache may have expired.
    if reply.code == 535 and tokens is not None and tokens.refused() and client.is_connected:
        reply = await _attempt(client, credentials, mechanism)
    if not reply.ok:
        raise smtp_errors.auth_failed(reply, mechanism)
    return mechanism


async def _attempt(client: aiosmtplib.SMTP, credentials: Credentials, mechanism: str) -> Reply:
    user = credentials.user or ""
    try:
        if credentials.tokens is not None:
            token = await credentials.tokens.token()
            if mechanism == "oauthbearer":
                return await _oauthbearer(client, user, token)
            code, words = await client.auth_xoauth2(user, token)
        else:
            code, words = await _with_password(client, mechanism)(user, credentials.password or "")
    except aiosmtplib.SMTPAuthenticationError as refusal:
        return Reply(refusal.code, refusal.message)
    return Reply(code, words)


_PasswordLogin = Callable[[str, str], Awaitable[aiosmtplib.SMTPResponse]]


def _with_password(client: aiosmtplib.SMTP, mechanism: str) -> _PasswordLogin:
    return {
        "plain": client.auth_plain,
        "login": client.auth_login,
        "cram-md5": client.auth_crammd5,
    }[mechanism]


async def _oauthbearer(client: aiosmtplib.SMTP, user: str, token: str) -> Reply:
    """Log in as RFC 7628 says; a challenge is an error and wants one byte as answer."""
    escaped = user.replace("=", "=3D").replace(",", "=2C")
    initial = f"n,a={escaped},\x01auth=Bearer {token}\x01\x01".encode()
    code, words = await client.execute_command(b"AUTH", b"OAUTHBEARER", base64.b64encode(initial))
    if code == 334:
        code, words = await client.execute_command(b"AQ==")
    return Reply(code, words)
