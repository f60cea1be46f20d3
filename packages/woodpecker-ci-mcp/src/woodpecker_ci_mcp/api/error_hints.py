"""What to do about an answer of Woodpecker, by route and status; never by its words.

Woodpecker answers most failures with a bare status, so the route says more than the body.
"""

from __future__ import annotations

import re

_CHECK_RIGHTS = "get_repository_permissions tells what this account may do there."

_ADDRESS = (
    "Give the address without a scheme. A bare IP address with a port is refused by some "
    "versions; a host name works."
)

BUSY = (
    "While an agent is busy it cannot be deleted: list_agent_tasks names its tasks. Drain it with "
    "update_agent no_schedule=true and delete it when it has finished."
)

_ROUTES: tuple[tuple[str, str, int, str], ...] = (
    (
        "POST",
        r"/repos/\d+/pipelines",
        500,
        "Most often the branch does not exist: see list_repository_branches. Otherwise the forge "
        "could not be read, or the repository owner's forge login has expired.",
    ),
    (
        "POST",
        r"/repos/\d+/pipelines/\d+",
        400,
        "A blocked pipeline cannot be restarted; approve or decline it. The only event that a "
        "restart takes is deployment.",
    ),
    (
        "POST",
        r"/repos/\d+/pipelines/\d+",
        403,
        "Deployments are not allowed in this repository (allow_deploy), or push is missing.",
    ),
    (
        "POST",
        r"/repos/\d+/pipelines/\d+/decline",
        500,
        "Only a blocked pipeline can be declined, and this one is most likely not blocked: see "
        "get_pipeline.",
    ),
    (
        "POST",
        r"/repos/\d+/pipelines/\d+/approve",
        400,
        "Only a blocked pipeline can be approved: see get_pipeline.",
    ),
    (
        "POST",
        r"/repos/\d+/pipelines/\d+/cancel",
        400,
        "Only a pending, running or blocked pipeline can be cancelled.",
    ),
    (
        "DELETE",
        r"/repos/\d+/(pipelines|logs)/.*",
        422,
        "While it is pending, running or blocked nothing of it can be deleted; cancel it first.",
    ),
    (
        "POST",
        r"/repos/\d+/move",
        401,
        "The target must exist on the forge already, and this account must be its admin there.",
    ),
    (
        "POST",
        r"/repos/\d+/move",
        500,
        "The target may not exist on the forge, the repository was moved to that name before, or "
        "it was moved away from its present name before, which Woodpecker cannot store twice.",
    ),
    (
        "POST",
        r"/repos/\d+/(repair|chown)",
        500,
        "The forge refused, or the repository was moved away from its present name before, which "
        "Woodpecker cannot store twice; if the owner's forge account is locked, use "
        "chown_repository first.",
    ),
    (
        "POST",
        r"/repos",
        403,
        "This account must be admin of the repository on the forge.",
    ),
    (
        "POST",
        r"/repos/\d+/cron|.*/cron/\d+",
        400,
        "A schedule has five fields, or is @daily and the like or @every 30m; six fields were the "
        "form of old servers. Also check that branch and timezone exist.",
    ),
    (
        "POST",
        r"/repos/\d+/cron",
        409,
        "A cron job of that name exists already in this repository: the name is already used.",
    ),
    (
        "POST",
        r"/repos/\d+/cron",
        500,
        "The name is already used by another cron job of this repository, most likely.",
    ),
    ("POST", r".*/registries", 400, _ADDRESS),
    ("POST", r".*/registries", 422, _ADDRESS),
    (
        "DELETE",
        r".*/registries/.*",
        500,
        "Most likely there is no such entry: see list_registries.",
    ),
    ("DELETE", r".*/secrets/.*", 500, "Most likely there is no such entry: see list_secrets."),
    ("POST", r".*/secrets", 500, "Most likely a secret of that name exists at this level."),
    (
        "POST",
        r"/users",
        500,
        "Woodpecker stores every account that never logged in with the same remote id, so a "
        "forge can hold only one of them: let the first one log in, or delete it.",
    ),
    (
        "DELETE",
        r"/(agents/\d+|orgs/\d+/agents/\d+)",
        409,
        BUSY,
    ),
    (
        "PATCH",
        r"/repos/\d+",
        403,
        "Trust is granted by an instance admin only, and a timeout may not exceed the server's "
        "maximum.",
    ),
)

_BY_STATUS = {
    401: "The token was not accepted: check WOODPECKER_TOKEN. get_current_user proves a token.",
    403: "This account lacks the right: repository admin, organisation admin or instance admin.",
    409: "It exists already, or is in use.",
    422: "Its present state forbids it, or a value was not accepted.",
    429: "Too many requests. Wait before the next call.",
    500: "Often the forge could not be reached, the repository owner's forge login expired, or "
    "the entry exists already.",
}

_MISSING_IN_REPOSITORY = (
    "It does not exist, or this account lacks the pull or push right there: Woodpecker answers "
    f"both alike. A repository that was never activated has no id. {_CHECK_RIGHTS}"
)
_MISSING_ELSEWHERE = (
    "There is no such entry, or this account may not see it; or WOODPECKER_URL leads elsewhere."
)


MISSING_FOR_ADMIN = "It does not exist: an admin of the instance may see everything."
"""After a 404 in a repository, for an account that cannot lack a right there."""


def hint(method: str, path: str, status: int) -> str:
    """Return the next step for an error answer.

    Args:
        method: HTTP method.
        path: Path below `/api`.
        status: HTTP status.
    """
    if status == 422 and "/cron" in path:
        status = 400
    if method == "PATCH" and "/cron/" in path:
        method = "POST"
    for route_method, pattern, route_status, words in _ROUTES:
        if (route_method, route_status) == (method, status) and re.fullmatch(pattern, path):
            return words
    if status == 404:
        return _MISSING_IN_REPOSITORY if path.startswith("/repos") else _MISSING_ELSEWHERE
    return _BY_STATUS.get(status, "")
