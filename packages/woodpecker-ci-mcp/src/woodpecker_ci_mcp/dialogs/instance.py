"""Questions about accounts, organisations, agents, forges and the queue."""

from __future__ import annotations

from mcp_approval.keys import Target
from mcp_approval.question import Question, checked
from mcp_approval.verdict import Ask
from mcp_serverkit.http.json_fields import Document
from woodpecker_ci_mcp.dialogs.wording import bound, counted, fields, named
from woodpecker_ci_mcp.names import LOGIN, WORD


def create_user(login: str, body: Document) -> Ask:
    """Ask whether an account may be created as an admin."""
    return Ask(
        Question(
            what=f'create the account "{checked(login, LOGIN)}" as an admin of this instance',
            consequence=_ADMIN,
        ),
        Target.ordered("create_user", ("login", login), ("admin", True), body=bound(body)),
    )


def update_user(login: str, forge_id: int, body: Document) -> Ask:
    """Ask whether an account may become an admin."""
    what, details = named("account", login, LOGIN)
    return Ask(
        Question(
            what=f"make {what} of forge {forge_id} an admin of this instance",
            consequence=_ADMIN + (" Its e-mail address changes too." if "email" in body else ""),
            details=details,
        ),
        Target.ordered(
            "update_user",
            ("login", login),
            ("forge", forge_id),
            ("admin", True),
            body=bound(body),
        ),
    )


def delete_user(login: str, forge_id: int, repositories: str | None) -> Ask:
    """Ask whether an account may be removed.

    Args:
        login: Its login.
        forge_id: Its forge.
        repositories: How many repositories its personal namespace holds.
    """
    what, details = named("account", login, LOGIN)
    count = counted(repositories, "repository", "repositories")
    return Ask(
        Question(
            what=f"delete {what} of forge {forge_id}",
            consequence=f"Its personal namespace goes with it, and {count} in there, with all "
            "pipelines and logs. Repositories elsewhere keep an owner that is gone, until "
            "chown_repository or repair_repository.",
            details=details,
        ),
        Target.ordered(
            "delete_user",
            ("login", login),
            ("forge", forge_id),
            facts={"repositories": repositories},
        ),
    )


def delete_organization(org_id: int, repositories: str | None) -> Ask:
    """Ask whether an organisation may be removed, with everything in it."""
    count = counted(repositories, "repository", "repositories")
    return Ask(
        Question(
            what=f"delete organisation {org_id}",
            consequence=f"Its secrets and registries are deleted, and {count} in it, with all "
            "pipelines and logs. None of it can be restored.",
        ),
        Target.ordered(
            "delete_organization", ("org", org_id), facts={"repositories": repositories}
        ),
    )


def delete_agent(agent_id: int, org_id: int | None) -> Ask:
    """Ask whether an agent may be removed."""
    of = "" if org_id is None else f" of organisation {org_id}"
    return Ask(
        Question(
            what=f"delete agent {agent_id}{of}",
            consequence="Its token stops working, so it gets no more work. While it runs "
            "something, Woodpecker refuses this.",
        ),
        Target.ordered("delete_agent", ("agent", agent_id), ("org", org_id)),
    )


def create_forge(body: Document) -> Ask:
    """Ask whether a forge may be added; only in strict mode."""
    return Ask(
        Question(
            what=f"add a forge of type {checked(str(body['type']), r'[a-z-]{1,40}')}",
            consequence="People can sign in through it. Woodpecker knows its admins by login "
            "alone, so whoever runs that forge can make an account that is one.",
            details=fields({name: body[name] for name in ("url", "oauth_host") if name in body}),
        ),
        Target.ordered("create_forge", body=bound(body)),
    )


def update_forge(forge_id: int, changes: Document, body: Document) -> Ask:
    """Ask whether a forge may be changed.

    Args:
        forge_id: The forge.
        changes: What the caller gave.
        body: Everything that will be sent: the present forge with the changes.
    """
    first = (
        " Forge 1 is written anew from the server's own settings at each start."
        if forge_id == 1
        else ""
    )
    listed = ", ".join(changes)
    return Ask(
        Question(
            what=f"change forge {forge_id}: {listed}",
            consequence="Every sign-in and every reading of a repository goes through it; a wrong "
            f"value locks everybody out.{first}",
            details=fields(
                {name: changes[name] for name in ("url", "oauth_host") if name in changes}
            ),
        ),
        Target.ordered("update_forge", ("forge", forge_id), body=bound(body)),
    )


def delete_forge(forge_id: int) -> Ask:
    """Ask whether a forge may be removed."""
    return Ask(
        Question(
            what=f"delete forge {forge_id}",
            consequence="Nobody can sign in through it any more. Its accounts and repositories "
            "stay in the database and cannot be read.",
        ),
        Target.ordered("delete_forge", ("forge", forge_id)),
    )


def pause_queue() -> Ask:
    """Ask whether no pipeline of the instance may start any more."""
    return Ask(
        Question(
            what="pause the queue of the whole instance",
            consequence="Nothing new starts, for anybody, until resume_queue; and nothing tells "
            "those who wait why. A restart of the server ends the pause as well.",
        ),
        Target.ordered("pause_queue", ("queue", "instance")),
    )


def set_log_level(level: str) -> Ask:
    """Ask whether the server may fall silent."""
    return Ask(
        Question(
            what=f"set the log level of the server to {checked(level, WORD)}",
            consequence="Errors are no longer logged, for the whole instance, until it is set "
            "again or the server restarts.",
        ),
        Target.ordered("set_log_level", ("level", level)),
    )


_ADMIN = (
    "An admin reaches every repository, secret, account and setting of this instance, and can "
    "make others admins."
)
