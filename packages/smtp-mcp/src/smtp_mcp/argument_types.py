"""The argument types that several tools share."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from mcp_serverkit.tools.constraints import Length, Pattern, Range, Sketched, Validator
from smtp_mcp.mailbox import parse

# More than any client shows in a list.
SUBJECT_CHARS = 255
# A long book chapter; above it the text belongs in an attachment.
BODY_CHARS = 500_000
# Beyond about 100 KB large providers cut an HTML mail; cleaning may add to it.
HTML_CHARS = 64_000
# Two pages; what is longer belongs in the body.
DESCRIPTION_CHARS = 8_000

_ENCODED_WORD = re.compile(r"=\?[^?\s]{1,64}\?[bBqQ]\?")
_VISIBLE = re.compile(r"[\x21-\x3b\x3d\x3f-\x7e]{1,900}")
"""What may stand in the brackets of a message id; real mail holds more than the standard says."""

_UID = Pattern(r"[\x21-\x7e]{1,255}", "1 to 255 visible ASCII characters")

_CID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def check_address(value: object) -> object:
    """Accept a bare address and bring its domain into ASCII."""
    return str(parse(value)) if isinstance(value, str) else value


def check_line(value: object) -> object:
    """Accept one visible line that no decoder turns into another one."""
    if not isinstance(value, str):
        return value
    for character in value:
        if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}:
            raise ValueError(f"holds U+{ord(character):04X}; it must be one line of text")
        if character in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":
            raise ValueError(f"holds U+{ord(character):04X}, which reorders what is read")
    if _ENCODED_WORD.search(value):
        raise ValueError("holds an encoded word, which readers would decode; write plain text")
    return value


def check_message_id(value: object) -> object:
    """Accept a message id in its brackets; without them only one with an @.

    An internal id of another tool has neither.
    """
    if isinstance(value, str):
        bracketed = value.startswith("<") and value.endswith(">") and len(value) > 2
        bare = value[1:-1] if bracketed else value
        if not _VISIBLE.fullmatch(bare) or (not bracketed and "@" not in bare):
            raise ValueError(
                "must be a Message-ID: 1 to 900 visible ASCII characters in one pair of brackets, "
                "or without brackets if there is an @; an id of another program does not thread"
            )
    return value


def check_images(value: object) -> object:
    """Accept content ids that stand in markup without quoting."""
    if isinstance(value, dict):
        if len(value) > 10:
            raise ValueError(f"may have at most 10 images, has {len(value)}")
        if not all(isinstance(cid, str) and _CID.fullmatch(cid) for cid in value):
            raise ValueError("a content id is 1 to 64 letters, digits, ., _ and -")
    return value


def entries(low: int, high: int) -> Validator:
    """Bound a list without a word in the listing, which is read in every conversation."""

    def check(value: object) -> object:
        if isinstance(value, list) and not low <= len(value) <= high:
            raise ValueError(f"must have {low} to {high} entries, has {len(value)}")
        return value

    return Validator(check)


Address = Annotated[str, Validator(check_address)]
To = Annotated[list[Address], "Addresses", entries(1, 50)]
Copies = Annotated[list[Address], "Addresses", entries(0, 50)]
Line = Annotated[str, Validator(check_line)]
Subject = Annotated[Line, "One line", Length(0, SUBJECT_CHARS)]
Body = Annotated[str, "Text", Length(0, BODY_CHARS)]
Quote = Annotated[str, "Original text", Length(0, BODY_CHARS)]
HTML = Annotated[str, "HTML version, cleaned", Length(1, HTML_CHARS)]
BodyFormat: TypeAlias = Annotated[Literal["text", "markdown"], "Format of body"]
MessageId = Annotated[str, "Message-ID", Validator(check_message_id)]
ParentId = Annotated[str, Validator(check_message_id)]
MessageIds = Annotated[list[ParentId], "Oldest first", entries(0, 50)]
FileName = Annotated[str, Length(1, 255)]
Files = Annotated[list[FileName], "File names", entries(0, 10)]
Images = Annotated[dict[str, str], "File by cid", Validator(check_images)]
OriginalFrom = Annotated[Line, "Its author", Length(1, 320)]
OriginalDate = Annotated[Line, "Its date", Length(1, 100)]


class EventFields(TypedDict):
    """An event that a message invites to."""

    start: str
    end: str
    timezone: NotRequired[str]
    summary: NotRequired[Annotated[Line, Length(0, SUBJECT_CHARS)]]
    location: NotRequired[Annotated[Line, Length(0, SUBJECT_CHARS)]]
    description: NotRequired[Annotated[str, Length(0, DESCRIPTION_CHARS)]]
    uid: NotRequired[Annotated[str, _UID]]
    sequence: NotRequired[Annotated[int, Range(0, 1_000)]]
    cancel: NotRequired[bool]


EventFields.__pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[attr-defined]

Invited = Annotated[
    EventFields,
    "Invitation: start, end (2026-12-01T09:00), timezone; also summary, location, description, "
    "uid, sequence, cancel",
    Sketched(),
]
