"""Questions about accounts, organisations, agents, forges and the queue."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_approval.keys import Target
from mcp_approval.question import Question, checked, joined
from mcp_approval.verdict import Ask
from mcp_serverkit.http.json_fields import Document
from woodpecker_ci_mcp.api.removal import addresses_of, ids_of
from woodpecker_ci_mcp.dialogs.wording import bound, counted, fields, how_many, named
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


def delete_user(login: str, forge_id: int, repositories: str | None, *, own: bool) -> Ask:
    """Ask whether an account may be removed.

    Args:
        login: Its login.
        forge_id: Its forge.
        repositories: How many repositories its personal namespace holds.
        own: Whether it is the account behind the token.
    """
    what, details = named("account", login, LOGIN)
    count = counted(repositories, "repository", "repositories")
    return Ask(
        Question(
            what=f"delete {what} of forge {forge_id}",
            consequence=f"{_OWN if own else ''}Its personal namespace goes with it, and {count} in "
            "there, with their pipelines. Agents of that namespace stay with their tokens, cron "
            "entries too, and log files where a server keeps them. Repositories elsewhere keep an "
            "owner that is gone, until chown_repository or repair_repository.",
            details=details,
        ),
        Target.ordered(
            "delete_user",
            ("login", login),
            ("forge", forge_id),
            facts={"repositories": repositories, "own account": own},
        ),
    )


def delete_organization(
    org_id: int,
    repositories: str | None,
    registries: Sequence[Document] | None,
    agents: Sequence[Document] | None,
) -> Ask:
    """Ask whether an organisation may be removed, with everything in it.

    Args:
        org_id: The organisation.
        repositories: How many repositories it holds.
        registries: Its registries; nothing when they cannot be read.
        agents: Its agents; nothing when they cannot be read.
    """
    count = counted(repositories, "repository", "repositories")
    return Ask(
        Question(
            what=f"delete organisation {org_id}",
            consequence=f"Its secrets and {how_many(registries, 'registry', 'registries')} are "
            f"deleted, and {count} in it, with their pipelines. None of it can be restored. "
            f"Left behind with tokens: {how_many(agents, 'agent')}; delete_agent removes them. "
            "Cron entries of its repositories stay, and on a server that keeps logs in files "
            "those files.",
        ),
        Target.ordered(
            "delete_organization",
            ("org", org_id),
            facts={
                "repositories": repositories,
                "registries": None if registries is None else [*addresses_of(registries)],
                "agents": None if agents is None else [*ids_of(agents)],
            },
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
    listed = joined(list(changes))
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


def pause_queue(paused: bool | None) -> Ask:
    """Ask whether no pipeline of the instance may start any more.

    Args:
        paused: Whether none does already; nothing when that is unknown.
    """
    already = "Nothing would change: it is paused already. " if paused else ""
    return Ask(
        Question(
            what="pause the queue of the whole instance",
            consequence=f"{already}Nothing new starts, for anybody, until resume_queue; and "
            "nothing tells those who wait why. A restart of the server ends the pause as well.",
        ),
        Target.ordered("pause_queue", ("queue", "instance"), facts={"paused": paused}),
    )


def set_log_level(level: str, present: str | None) -> Ask:
    """Ask whether the server may fall silent.

    Args:
        level: The new level.
        present: The level now; nothing when it is unknown.
    """
    already = "Nothing would change: it has this level already. " if level == present else ""
    return Ask(
        Question(
            what=f"set the log level of the server to {checked(level, WORD)}",
            consequence=f"{already}Errors are no longer logged, for the whole instance, until it "
            "is set again or the server restarts.",
        ),
        Target.ordered("set_log_level", ("level", level), facts={"level": present}),
    )


_OWN = "It is the account of this server's token, so every later call will fail. "

_ADMIN = (
    "An admin reaches every repository, secret, account and setting of this instance, and can "
    "make others admins."
)
