"""The login mechanisms of the stand-in."""

from __future__ import annotations

import base64
import binascii
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .session import Session

_CHALLENGE = b"<1896.697170952@mx.test>"
_ERROR = base64.b64encode(b'{"status":"401","schemes":"bearer"}').decode()


async def check(session: Session, mechanism: str, initial: str) -> bool:
    """Carry a login through, challenges included; tell whether it is good."""
    backend = session.backend
    user, password = backend.login or ("", "")
    match mechanism:
        case "PLAIN":
            return _decoded(initial) == f"\0{user}\0{password}".encode()
        case "LOGIN":
            answer = await _challenge(session, base64.b64encode(b"Password:").decode())
            return (_decoded(initial), _decoded(answer)) == (user.encode(), password.encode())
        case "CRAM-MD5":
            answer = await _challenge(session, base64.b64encode(_CHALLENGE).decode())
            digest = hmac.new(password.encode(), _CHALLENGE, "md5").hexdigest()
            return _decoded(answer) == f"{user} {digest}".encode()
        case "XOAUTH2":
            good = f"user={user}\x01auth=Bearer {backend.token}\x01\x01".encode()
        case _:
            good = f"n,a={user},\x01auth=Bearer {backend.token}\x01\x01".encode()
    if _decoded(initial) == good:
        return True
    await _challenge(session, _ERROR)
    return False


async def _challenge(session: Session, words: str) -> str:
    await session.reply(f"334 {words}")
    line = (await session.reader.readline()).decode().rstrip("\r\n")
    session.backend.commands.append(line)
    return line


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""
