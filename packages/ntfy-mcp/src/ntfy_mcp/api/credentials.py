"""The login at an instance."""

from __future__ import annotations

import base64
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """A login: a token, or a name with a password, or nothing."""

    token: str | None = None
    username: str | None = None
    password: str | None = None

    @property
    def given(self) -> bool:
        """Whether there is a login at all."""
        return bool(self.token or self.username)

    def header(self) -> dict[str, str]:
        """Compose the `Authorization` header."""
        if self.token:
            return {"authorization": f"Bearer {self.token}"}
        if self.username:
            pair = f"{self.username}:{self.password or ''}".encode()
            return {"authorization": f"Basic {base64.b64encode(pair).decode('ascii')}"}
        return {}
