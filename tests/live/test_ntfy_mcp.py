"""ntfy-mcp against the stand-in and, where one is given, a real server."""

from __future__ import annotations

from typing import cast

import mcp_types as types
import pytest
from mcp.client.session import ElicitationFnT
from mcp.server import Server

from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.server import build_server
from ntfy_mcp.definition import NTFY
from tests.live.ntfy_sites import Auth, Site, has_sequences, lacks_sequences, new_topic, site
from tests.support.clients import ERAS, Era, accept, call, connect, structured, text

__all__ = ["site"]

Document = dict[str, object]


def server(site: Site, login: Auth | None, topics: str = "") -> Server[object]:
    environ = {"NTFY_URL": str(site.client.base_url).rstrip("/"), "NTFY_TOPICS": topics}
    if login is not None and login[0]:
        environ |= {"NTFY_USERNAME": login[0], "NTFY_PASSWORD": login[1]}
    elif login is not None:
        environ["NTFY_TOKEN"] = login[1]
    reading = read_settings(NTFY.variables, NTFY.prefix, environ)
    assert reading.problems == []
    return build_server(NTFY, reading.values)


async def _yes(_context: object, _params: object) -> types.ElicitResult:
    return accept()


YES = cast("ElicitationFnT", _yes)


def messages(listed: Document) -> list[Document]:
    return cast("list[Document]", listed["messages"])


def first(result: Document) -> Document:
    return cast("list[Document]", result["results"])[0]


@pytest.mark.parametrize("era", ERAS)
async def test_what_was_published_is_read_back(site: Site, era: Era) -> None:
    topic = new_topic()
    async with connect(server(site, None, topic), era) as client:
        sent = structured(
            await call(
                client,
                "publish_message",
                {"message": "größer 🔧", "title": "Titel", "priority": "high", "tags": ["tada"]},
            )
        )
        assert sent["published"] == 1
        listed = structured(await call(client, "list_messages", {"since": "7d"}))
        (message,) = messages(listed)
        assert message["message"] == "größer 🔧"
        assert message["priority"] == 4
        assert message["id"] == first(sent)["id"]
        whole = structured(await call(client, "get_message", {"id": message["id"]}))
        assert cast("Document", whole["message"])["title"] == "Titel"


@has_sequences
@pytest.mark.parametrize("era", ERAS)
async def test_an_approved_revision_replaces_and_a_deletion_removes(site: Site, era: Era) -> None:
    topic = new_topic()
    async with connect(server(site, None, topic), era, YES) as client:
        sent = structured(await call(client, "publish_message", {"message": "v1", "tags": ["a"]}))
        sequence_id = first(sent)["id"]
        revised = structured(
            await call(
                client,
                "update_message",
                {"sequence_id": sequence_id, "message": "v2", "carry_over": True},
            )
        )
        assert revised["outcome"] == "replaced"
        current = structured(await call(client, "list_messages", {"view": "current"}))
        (message,) = messages(current)
        assert (message["message"], message["tags"], message["revisions"]) == ("v2", ["a"], 1)
        await call(client, "mark_messages_read", {"sequence_ids": [sequence_id]})
        deleted = structured(await call(client, "delete_messages", {"sequence_ids": [sequence_id]}))
        assert first(deleted)["ok"] is True
        assert messages(structured(await call(client, "list_messages", {"view": "current"}))) == []


@lacks_sequences
async def test_an_old_server_that_ignores_the_revision_is_found_out(site: Site) -> None:
    async with connect(server(site, None, new_topic()), "2025-11-25", YES) as client:
        revised = structured(
            await call(client, "update_message", {"sequence_id": "nightly", "message": "v2"})
        )
        assert revised["outcome"] == "created"
        assert "second notification" in str(revised["note"])


@has_sequences
@pytest.mark.parametrize("era", ERAS)
async def test_a_scheduled_notification_is_rescheduled_and_dropped(site: Site, era: Era) -> None:
    async with connect(server(site, None, new_topic()), era, YES) as client:
        sent = structured(await call(client, "publish_message", {"message": "x", "delay": "1h"}))
        assert first(sent)["scheduled"] is True
        sequence_id = first(sent)["id"]
        moved = {"sequence_id": sequence_id, "message": "y", "delay": "2h"}
        assert structured(await call(client, "update_message", moved))["scheduled"] is True
        listed = structured(await call(client, "list_messages", {"scheduled": True}))
        (message,) = messages(listed)
        assert (message["message"], message["delivered"]) == ("y", False)
        await call(client, "delete_messages", {"sequence_ids": [sequence_id]})
        scheduled = {"scheduled": True, "view": "current"}
        assert messages(structured(await call(client, "list_messages", scheduled))) == []


@pytest.mark.parametrize("era", ERAS)
async def test_an_account_lives_from_creation_to_removal(site: Site, era: Era) -> None:
    name, topic = new_topic(), new_topic()
    async with connect(server(site, site.admin), era, YES) as client:
        created = {"username": name, "password": "a-long-password"}
        assert structured(await call(client, "create_user", created))["created"] == name
        again = await call(client, "create_user", created)
        assert again.is_error
        assert "exists already" in text(again)
        rule: Document = {"username": name, "topic": topic, "action": "read_only"}
        assert structured(await call(client, "manage_user_access", rule))["permission"]
        listed = structured(await call(client, "list_users", {"username": name, "topic": topic}))
        (user,) = cast("list[Document]", listed["users"])
        assert user["grants"] == [{"topic": topic, "permission": "read-only"}]
        assert user["effective"] == "read-only"
        await call(client, "manage_user_access", {**rule, "action": "revoke"})
        assert structured(await call(client, "delete_user", {"username": name}))["deleted"] == name


async def test_a_regular_login_is_told_that_accounts_need_an_admin(site: Site) -> None:
    async with connect(server(site, site.new_user()), "2025-11-25", YES) as client:
        refused = await call(client, "delete_user", {"username": "somebody"})
        assert refused.is_error
        assert "role admin" in text(refused)
        info = structured(await call(client, "get_server_info"))
        assert info["admin_tools_available"] is False
        assert structured(
            await call(client, "publish_message", {"topics": [new_topic()], "message": "x"})
        )


async def test_a_bad_login_still_sees_what_is_public(site: Site) -> None:
    async with connect(server(site, ("nobody", "wrong-password")), "2025-11-25") as client:
        info = structured(await call(client, "get_server_info"))
        assert info["health"] == {"healthy": True}
        assert info["authenticated_as"] == "unknown"


async def test_read_access_is_told_topic_by_topic(site: Site) -> None:
    login, open_topic, closed_topic = site.new_user(), new_topic(), new_topic()
    site.grant(login[0], open_topic, "read-only")
    site.grant(login[0], closed_topic, "write-only")
    async with connect(server(site, login), "2025-11-25") as client:
        result = structured(
            await call(client, "check_topic_access", {"topics": [open_topic, closed_topic]})
        )
        rows = cast("list[Document]", result["results"])
        assert [row["read_access"] for row in rows] == [True, False]


@pytest.mark.parametrize(
    ("delay", "code"), [("4d", 40006), ("5s", 40005), ("1000000000", 40004)], ids=str
)
async def test_the_server_judges_a_delay_and_the_answer_explains_it(
    site: Site, delay: str, code: int
) -> None:
    async with connect(server(site, None, new_topic()), "2025-11-25") as client:
        refused = await call(client, "publish_message", {"message": "x", "delay": delay})
        assert refused.is_error
        assert f"code {code}" in text(refused)
        assert "The problem is delay" in text(refused)
