"""A text published as a file, on the stand-in and, where one is here, a real server."""

from __future__ import annotations

from typing import cast

import pytest

from tests.live.ntfy_sites import Site, new_topic, site
from tests.live.test_ntfy_mcp import Document, first, server
from tests.support.clients import ERAS, Era, call, connect, structured

__all__ = ["site"]


@pytest.mark.requirement("R-33")
@pytest.mark.parametrize("era", ERAS)
async def test_a_file_is_read_back_as_it_was(site: Site, era: Era) -> None:
    topic, long = new_topic(), "größer\n" * 3000
    button = {"action": "view", "label": "Öffnen", "url": "https://h.example/?a=?b"}
    given = {
        "attach_text": long,
        "filename": "bericht größer.log",
        "title": "Nächtlich",
        "message": "Zeile 1\nZeile 2",
        "tags": ["größe"],
        "actions": [button],
    }
    async with connect(server(site, None, topic), era) as client:
        entry = first(structured(await call(client, "publish_message", given)))
    attachment = cast("Document", entry["attachment"])
    assert (attachment["name"], attachment["size"]) == ("bericht größer.log", 27_000)
    # Without a login, as the tool says.
    assert site.client.get(str(attachment["url"])).content.decode() == long
    (kept,) = site.poll(topic)
    assert kept["id"] == entry["id"]
    assert {name: kept[name] for name in ("title", "message", "tags")} == {
        name: given[name] for name in ("title", "message", "tags")
    }
    (stored,) = cast("list[Document]", kept["actions"])
    assert {name: stored[name] for name in button} == button


async def test_without_a_message_ntfy_names_the_file(site: Site) -> None:
    topic = new_topic()
    async with connect(server(site, None, topic), "2026-07-28") as client:
        structured(await call(client, "publish_message", {"attach_text": "x"}))
    (kept,) = site.poll(topic)
    assert kept["message"] == "You received a file: text.txt"
