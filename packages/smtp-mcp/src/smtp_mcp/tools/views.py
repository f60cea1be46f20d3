"""What results tell of an HTML part."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired

from typing_extensions import TypedDict

if TYPE_CHECKING:
    from smtp_mcp.api.sent_folder import Copy
    from smtp_mcp.message.drafts import Draft

# A page of concealed text says what it is about.
TEXT_CHARS = 2_000
# As many as the question lists.
LISTED = 40


class ConcealedText(TypedDict):
    """Text that a reader does not see, or hardly; what is not `sent` was taken out."""

    text: str
    how: str
    sent: bool


class LinkView(TypedDict):
    """A link; it `differs` when its text names another address than it opens."""

    text: str
    target: str
    differs: bool


class CopyView(TypedDict):
    """What became of the copy in the Sent folder."""

    saved: bool
    folder: NotRequired[str]
    reason: NotRequired[str]


def copy_view(copy: Copy) -> CopyView:
    """Tell what became of a copy."""
    if copy.folder is not None:
        return {"saved": True, "folder": copy.folder}
    return {"saved": False, "reason": copy.reason}


def concealed_text(draft: Draft) -> list[ConcealedText]:
    """List what the HTML part conceals."""
    concealed = draft.html.concealed if draft.html else ()
    return [
        {"text": one.text[:TEXT_CHARS], "how": one.how, "sent": one.sent}
        for one in concealed[:LISTED]
    ]


def links(draft: Draft) -> list[LinkView]:
    """List the links, those first that differ."""
    from smtp_mcp.message.links import judged

    found = judged(draft.html.links) if draft.html else []
    return [
        {"text": link.text, "target": link.target, "differs": link.differs}
        for link in found[:LISTED]
    ]
