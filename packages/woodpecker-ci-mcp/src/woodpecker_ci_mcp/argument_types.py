"""The argument types that several tools share.

Rules are mostly hidden from the listing, which every conversation pays for; what a
caller gets wrong is answered in words.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from mcp_serverkit.tools.constraints import Length, Pattern, Range, Validator
from woodpecker_ci_mcp import names
from woodpecker_ci_mcp.redaction import REDACTED

# The largest integer that every JSON reader keeps exactly.
MAX_ID = 2**53 - 1


def check_id(value: object) -> object:
    """Accept a positive number that survives every JSON reader."""
    if isinstance(value, int) and not 1 <= value <= MAX_ID:
        raise ValueError("must be a whole number from 1 to 2^53-1")
    return value


def check_variables(value: object) -> object:
    """Accept a flat map of texts."""
    if not isinstance(value, dict):
        return value
    if len(value) > 100:
        raise ValueError(f"may have at most 100 entries, has {len(value)}")
    if not all(1 <= len(key) <= 200 for key in value):
        raise ValueError("names have 1 to 200 characters")
    if any(len(text) > 10_000 for text in value.values()):
        raise ValueError("values have at most 10000 characters")
    return value


def refuse_marker(value: object) -> object:
    """Refuse the marker that stands for a value which is not shown."""
    values = value.values() if isinstance(value, dict) else [value]
    if REDACTED in values:
        raise ValueError(f"{REDACTED} stands for a value that is not shown; give the value itself")
    return value


def _hidden(pattern: str, words: str) -> Pattern:
    return Pattern(pattern, words, listed=False)


def _length(low: int, high: int) -> Length:
    return Length(low, high, listed=False)


REAL = Validator(refuse_marker)
"""For texts of calls that write: what a read view hides must not come back as a value."""

_EMAIL = r"[^\s@\"<>]{1,250}@[^\s@\"<>]{1,249}"
_DATE = r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)"
_BRANCH = r"[^\s\\~^:?*\[\]]{1,250}"

Event: TypeAlias = Literal[
    "push",
    "pull_request",
    "pull_request_closed",
    "pull_request_metadata",
    "tag",
    "release",
    "deployment",
    "cron",
    "manual",
]
Status: TypeAlias = Literal[
    "skipped",
    "pending",
    "running",
    "success",
    "failure",
    "killed",
    "canceled",
    "error",
    "blocked",
    "declined",
    "created",
]
Visibility: TypeAlias = Literal["public", "private", "internal"]
RequireApproval: TypeAlias = Literal["none", "forks", "pull_requests", "all_events"]

Id = Annotated[int, Validator(check_id)]
RepoId = Annotated[int | None, Validator(check_id), "Repository id"]
Repo = Annotated[str | None, Validator(names.check_full_name), "or its owner/name"]
Number = Annotated[int, Validator(check_id), "Pipeline number"]
NumberOrLatest = Annotated[Id | Literal["latest"], "Pipeline number; latest: newest push"]
LatestBranch = Annotated[str | None, "Branch of latest", _length(1, 250)]
OrgId = Annotated[int | None, Validator(check_id), "Organisation id"]
Page = Annotated[int | None, Range(1, 10_000, listed=False), "Page, from 1"]
PerPage = Annotated[int | None, Range(1, 50, listed=False), "Entries a page, 1-50"]

Branch = Annotated[str, REAL, _hidden(_BRANCH, "a branch name: 1 to 250 characters, no blanks")]
Date = Annotated[str, _hidden(_DATE, "an RFC 3339 date such as 2026-01-31T08:00:00Z")]
Email = Annotated[str, _length(3, 500), _hidden(_EMAIL, "an e-mail address")]
Login = Annotated[str, _hidden(names.LOGIN, "a login: letters, digits, ., _ and -")]
ExistingLogin = Annotated[str, Validator(names.check_segment), REAL, "Login"]
RemoteId = Annotated[str, _hidden(r"[A-Za-z0-9._-]{1,200}", "an id of the forge")]
Name = Annotated[str, _length(1, 250), REAL]
Existing = Annotated[str, Validator(names.check_segment), REAL]
NewSecret = Annotated[str, _hidden(names.SECRET, "1 to 100 letters, digits, _, . and -")]
SecretValue = Annotated[str, _length(1, 100_000), REAL]
Note = Annotated[str, _length(0, 500), REAL]
NewAddress = Annotated[
    str,
    _length(1, 200),
    _hidden(
        names.ADDRESS,
        "host, host:port or host/path, without https://: credentials under an address with a "
        "scheme are never used",
    ),
]
Images = Annotated[list[Annotated[str, _length(1, 200), REAL]], _length(0, 50)]
Events = Annotated[list[Event], _length(1, 9)]
KeptVariables = Annotated[dict[str, str], Validator(check_variables)]
"""Variables among which the marker keeps the stored value."""

Variables = Annotated[KeptVariables, REAL]
Labels = Annotated[dict[str, str], Validator(check_variables), REAL]
Timezone = Annotated[str, _hidden(r"[A-Za-z0-9_+/-]{1,100}", "a zone such as Europe/Berlin")]
ForgeURL = Annotated[
    str, _length(1, 500), _hidden(names.URL, "an absolute http:// or https:// URL without query")
]
ScopeName: TypeAlias = Literal["repository", "organization", "global"]
