"""An HTTP answer, read up to the bound that applied."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Response:
    """An answer, its body read up to the bound that applied.

    Attributes:
        status: HTTP status.
        headers: Header fields, names in lower case.
        body: The body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def ok(self) -> bool:
        """Whether the status says success."""
        return 200 <= self.status < 300

    @property
    def content_type(self) -> str:
        """Media type without parameters, lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as text; undecodable bytes become U+FFFD."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> object:
        """Parse the body.

        Raises:
            ValueError: It is no JSON.
        """
        try:
            return json.loads(self.body.decode("utf-8"), parse_constant=_refuse_constant)
        except RecursionError:
            raise ValueError("nested too deeply") from None


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
