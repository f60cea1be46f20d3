"""Questions about secrets and registries. Their values are neither shown nor readable."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_approval.keys import Target
from mcp_approval.question import Question
from mcp_approval.typing import JSONValue
from mcp_approval.verdict import Ask
from mcp_serverkit.http.json_fields import Document
from woodpecker_ci_mcp.dialogs.wording import bound, fields, named
from woodpecker_ci_mcp.names import ADDRESS, SECRET
from woodpecker_ci_mcp.scopes import Scope


def create_secret(place: Scope, name: str, body: Document) -> Ask:
    """Ask whether a new secret may be open to pull requests; only in strict mode."""
    what, details = named("secret", name, SECRET)
    return Ask(
        Question(
            what=f"create {what} of {place.words}, open to pull requests",
            consequence="Code of a pull request runs with it, code of strangers included where "
            "approval does not hold it back.",
            details=(*details, *fields(_without(body, "name"))),
        ),
        Target.ordered("create_secret", *_parts(place), ("secret", name), body=bound(body)),
    )


def update_secret(place: Scope, name: str, body: Document, reasons: Sequence[str]) -> Ask:
    """Ask whether a secret may be replaced or opened further."""
    what, details = named("secret", name, SECRET)
    consequence = " ".join(_WIDENS[reason] for reason in reasons)
    return Ask(
        Question(
            what=f"change {what} of {place.words}",
            consequence=consequence or "At present none of it widens anything.",
            details=(*details, *fields(body)),
        ),
        Target.ordered(
            "update_secret",
            *_parts(place),
            ("secret", name),
            *(("widen", reason.removeprefix("widen:")) for reason in reasons),
            body=bound(body),
        ),
    )


def delete_secret(place: Scope, name: str) -> Ask:
    """Ask whether a secret may be removed."""
    what, details = named("secret", name, SECRET)
    return Ask(
        Question(
            what=f"delete {what} of {place.words}",
            consequence="Its value cannot be read back. Pipelines that name it fail, or run "
            "without it.",
            details=details,
        ),
        Target.ordered("delete_secret", *_parts(place), ("secret", name)),
    )


def update_registry(place: Scope, address: str, body: Document) -> Ask:
    """Ask whether the password for a registry may be replaced."""
    what, details = named("registry", address, ADDRESS)
    return Ask(
        Question(
            what=f"replace the password for {what} of {place.words}",
            consequence="The old one cannot be read back. Pulls use the new one from the next "
            "pipeline on.",
            details=(*details, *fields(_without(body, "address"))),
        ),
        Target.ordered("update_registry", *_parts(place), ("address", address), body=bound(body)),
    )


def delete_registry(place: Scope, address: str) -> Ask:
    """Ask whether the credentials for a registry may be removed."""
    what, details = named("registry", address, ADDRESS)
    return Ask(
        Question(
            what=f"delete the credentials for {what} of {place.words}",
            consequence="The password cannot be read back. Pulls of private images from there "
            "fail.",
            details=details,
        ),
        Target.ordered("delete_registry", *_parts(place), ("address", address)),
    )


_WIDENS = {
    "widen:value": "Its present value is replaced and cannot be read back; every pipeline gets "
    "the new one.",
    "widen:events": "It opens to a pull request event that it is closed to now, so code of pull "
    "requests runs with it.",
    "widen:images": "Its restriction to certain images is lifted, so every step that names it "
    "gets it.",
}


def _parts(place: Scope) -> tuple[tuple[str, JSONValue], ...]:
    return ("scope", place.scope), ("repo", place.repo_id), ("org", place.org_id)


def _without(body: Document, name: str) -> Document:
    return {key: value for key, value in body.items() if key != name}
