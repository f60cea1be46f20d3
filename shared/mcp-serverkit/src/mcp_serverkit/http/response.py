"""An HTTP answer, read up to the bound that applied."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from mcp_serverkit.errors import DoneUnreadable, Unexpected, UpstreamFailure
from mcp_serverkit.http.json_fields import Document
from mcp_serverkit.outcome import Outcome

_FIRST_BYTES = 1_000
"""Where the first visible character of an answer is looked for."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer, its body read up to the bound that applied.

    Attributes:
        status: HTTP status.
        headers: Header fields, names in lower case.
        body: The body.
        outcome: What became of the request, if it may have changed something.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    outcome: Outcome | None = None

    @property
    def ok(self) -> bool:
        """Whether the status says success."""
        return 200 <= self.status < 300

    @property
    def content_type(self) -> str:
        """Media type without parameters, lower case."""
        return media_type(self.headers)

    @property
    def text(self) -> str:
        """The body as text; undecodable bytes become U+FFFD."""
        return self.body.decode("utf-8", "replace")

    @property
    def is_blank(self) -> bool:
        """Whether there is no body to speak of; its beginning is looked at first."""
        return not self.body[:64].strip() and not self.body.strip()

    @property
    def is_page(self) -> bool:
        """Whether it is a page for people, by its type or its first visible character."""
        kind = self.content_type
        return "html" in kind or "xml" in kind or self.body[:_FIRST_BYTES].lstrip()[:1] == b"<"

    def json(self) -> object:
        """Parse the body.

        Raises:
            ValueError: It is no JSON.
        """
        try:
            return json.loads(self.body.decode("utf-8"), parse_constant=_refuse_constant)
        except RecursionError:
            raise ValueError("nested too deeply") from None

    def error_field(self, name: str) -> object:
        """Read a field of the object that an error answer holds; nothing where there is none."""
        try:
            parsed = self.json()
        except ValueError:
            return None
        return parsed.get(name) if isinstance(parsed, dict) else None

    def with_outcome(self, outcome: Outcome | None) -> Self:
        """Say what became of the request."""
        return replace(self, outcome=outcome)


def expect_json(response: Response, service: str, variable: str, where: str) -> object:
    """Parse the body of a success.

    Args:
        response: The answer.
        service: The service's name in texts.
        variable: The variable that holds its address, for the hint.
        where: Method and path of the request.

    Raises:
        Unexpected: It is a page, or no JSON.
        DoneUnreadable: The same, after a write that was done.
    """
    if not response.is_page:
        try:
            return response.json()
        except ValueError:
            pass
    kind = response.content_type or "no content type"
    what = "a web page" if response.is_page else "no JSON"
    raise _unusable(response, variable, f"{service} answered {where} with {what} ({kind}).")


def expect_object(response: Response, service: str, variable: str, where: str) -> Document:
    """Parse the body of a success that must be a JSON object; see `expect_json`."""
    parsed = expect_json(response, service, variable, where)
    if not isinstance(parsed, dict):
        raise _unusable(
            response, variable, f"{service} answered {where} with JSON that is no object."
        )
    return parsed


def media_type(headers: Mapping[str, str]) -> str:
    """Return the media type of header fields, without parameters, in lower case."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _unusable(response: Response, variable: str, text: str) -> UpstreamFailure:
    if response.outcome == "done":
        return DoneUnreadable(text)
    return Unexpected(
        text,
        hint=f"Check {variable}, and whether a proxy or login page stands in between.",
        outcome=response.outcome,
    )


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
