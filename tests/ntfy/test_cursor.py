"""Going on where a list ended: nothing is lost, and nothing comes twice without need."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import Limits, NtfyBackend
from tests.ntfy.support import ALLOWLIST, NOW, answer_with, line, listed, serve, token_login, use
from tests.support.clients import structured
from tests.support.person import Person


async def publish(backend: NtfyBackend, message: str, **fields: object) -> str:
    """Publish from another process; return the id."""
    given = {"message": message, **fields}
    result = structured(await use(serve(backend, ALLOWLIST), "publish_message", given))
    return str(listed(result, "results")[0]["id"])


async def read(backend: NtfyBackend, **arguments: object) -> tuple[list[str], dict[str, object]]:
    """List the allowed topic; return the texts and the whole result."""
    result = structured(await use(serve(backend, ALLOWLIST), "list_messages", arguments))
    return [str(entry.get("message")) for entry in listed(result, "messages")], result


@pytest.mark.requirement("R-28", "N-6")
@pytest.mark.parametrize("step", [0, 10])
async def test_what_was_scheduled_before_and_delivered_after_is_seen_once(step: int) -> None:
    with NtfyBackend(delivery_seconds=step) as backend:
        backend.add_user("root", "root-password", role="admin")
        backend.now = lambda: float(NOW)
        await publish(backend, "A")
        await publish(backend, "S", delay="11s")
        await publish(backend, "B")
        texts, result = await read(backend)
        assert texts == ["A", "B"]
        backend.advance(12)
        if step:
            # Due, and not delivered yet: ntfy looks only every ten seconds.
            texts, result = await read(backend, since=result["next_since"])
            assert texts == []
            backend.advance(10)
        texts, result = await read(backend, since=result["next_since"])
        assert texts == ["S"]
        for _ in range(2):
            texts, result = await read(backend, since=result["next_since"])
            assert texts == []
        backend.advance(600)
        assert (await read(backend, since=result["next_since"]))[0] == []


@pytest.mark.requirement("R-27", "R-36", "N-10")
async def test_oldest_first_reaches_everything_once() -> None:
    with NtfyBackend(limits=Limits(exempt=True)) as backend:
        backend.add_user("root", "root-password", role="admin")
        token = backend.add_token("root")
        server = serve(backend, {**ALLOWLIST, **token_login(token)})
        for number in range(220):
            backend.advance(1)
            text = f"{number:03}" + "x" * 1497
            structured(await use(server, "publish_message", {"message": text}))
        seen: list[str] = []
        since: object = "all"
        for _ in range(20):
            texts, result = await read(backend, since=since, limit=200, oldest_first=True)
            seen += [one[:3] for one in texts]
            since = result["next_since"]
            if "not_shown" not in result and "dropped" not in result:
                break
            assert result["kept"] == "oldest"
        assert seen == [f"{number:03}" for number in range(220)]
        assert (await read(backend, since=since))[0] == []


@pytest.mark.requirement("N-10")
async def test_the_default_keeps_the_newest_and_names_the_other_way(backend: NtfyBackend) -> None:
    for text in ("one", "two", "three"):
        await publish(backend, text)
    texts, result = await read(backend, limit=2)
    assert texts == ["two", "three"]
    assert (result["not_shown"], result["kept"]) == (1, "newest")
    assert "oldest_first=true" in str(result["note"])
    # What the limit left out was passed over, and does not come after what followed it.
    assert (await read(backend, since=result["next_since"]))[0] == []
    assert (await read(backend, limit=2, oldest_first=True))[0] == ["one", "two"]


@pytest.mark.requirement("N-6")
async def test_none_shows_nothing_and_makes_a_cursor(backend: NtfyBackend) -> None:
    await publish(backend, "before")
    texts, result = await read(backend, since="none")
    assert texts == []
    assert "not_shown" not in result
    await publish(backend, "after")
    assert (await read(backend, since=result["next_since"]))[0] == ["after"]


async def test_clears_and_deletions_are_entries_of_the_cursor(backend: NtfyBackend) -> None:
    first = await publish(backend, "x")
    delete = {"sequence_ids": [first]}
    structured(await use(serve(backend, ALLOWLIST), "delete_messages", delete, person=Person()))
    _, result = await read(backend)
    assert result["count"] == 2
    assert (await read(backend, since=result["next_since"]))[1]["count"] == 0


async def test_an_id_starts_behind_itself_and_not_behind_its_second(backend: NtfyBackend) -> None:
    backend.now = lambda: float(NOW)
    await publish(backend, "earlier")
    backend.advance(5)
    neighbour = await publish(backend, "same second")
    start = await publish(backend, "start")
    backend.clear_requests()
    texts, result = await read(backend, since=start)
    assert texts == ["same second"]
    assert len(backend.requests) == 2
    assert backend.requests[0].query["id"] == [start]
    await publish(backend, "later")
    assert (await read(backend, since=result["next_since"]))[0] == ["later"]
    assert neighbour != start


@pytest.mark.requirement("N-6")
async def test_an_id_that_is_gone_shows_everything_and_says_so(backend: NtfyBackend) -> None:
    await publish(backend, "x")
    texts, result = await read(backend, since="Ab3dE5gH7jK9")
    assert texts == ["x"]
    assert result["since_unknown"] is True
    assert "everything cached is shown" in str(result["note"])


async def test_an_id_that_is_not_delivered_yet_loses_nothing(backend: NtfyBackend) -> None:
    pending = await publish(backend, "later", delay="1h")
    await publish(backend, "meanwhile")
    assert (await read(backend, since=pending))[0] == ["meanwhile"]


@pytest.mark.requirement("N-6")
async def test_a_cursor_remembers_64_entries_and_rather_repeats(backend: NtfyBackend) -> None:
    lines = [line(f"{number:03}Message00", NOW - 5) for number in range(80)]
    answer_with(backend, *lines, times=2)
    _, result = await read(backend, limit=200)
    assert str(result["next_since"]).count(".") == 64
    assert "a few may come twice" in str(result["note"])
    _, again = await read(backend, since=result["next_since"])
    assert again["count"] == 16


@pytest.mark.requirement("R-27")
@pytest.mark.parametrize("limit", [30, 100])
async def test_a_burst_of_one_second_is_reached_to_its_end_and_once(limit: int) -> None:
    with NtfyBackend(limits=Limits(exempt=True)) as backend:
        backend.add_user("root", "root-password", role="admin")
        backend.now = lambda: float(NOW)
        server = serve(backend, {**ALLOWLIST, **token_login(backend.add_token("root"))})
        for number in range(150):
            structured(await use(server, "publish_message", {"message": f"{number:03}"}))
        backend.advance(60)
        seen: list[str] = []
        since: object = "all"
        for _ in range(20):
            texts, result = await read(backend, since=since, limit=limit, oldest_first=True)
            seen += texts
            since = result["next_since"]
            if "not_shown" not in result:
                break
        assert seen == [f"{number:03}" for number in range(150)]
        assert (await read(backend, since=since))[0] == []


@pytest.mark.parametrize(("topics", "age", "count"), [(1, 40, 0), (1, 20, 16), (2, 40, 16)])
async def test_what_could_still_come_late_is_rather_shown_twice(
    topics: int, age: int, count: int, backend: NtfyBackend
) -> None:
    rows = [line(f"{number:03}Message00", NOW - age) for number in range(80)]
    if topics == 2:
        # Of several topics ntfy does not keep the order within a second.
        rows[40]["topic"] = "more"
    answer_with(backend, *rows, times=2)
    given = {"topics": ["alerts", "more"], "limit": 200}
    server = serve(backend)
    first = structured(await use(server, "list_messages", {**given, "since": "1h"}))
    again = {**given, "since": first["next_since"]}
    assert structured(await use(server, "list_messages", again))["count"] == count


async def test_a_cursor_stays_short(backend: NtfyBackend) -> None:
    answer_with(backend, line("Ab3dE5gH7jK9", NOW - 3600))
    _, result = await read(backend)
    assert result["next_since"] == f"{NOW - 3600}.Ab3dE5"


async def test_a_cursor_does_not_go_before_what_was_asked_for(backend: NtfyBackend) -> None:
    backend.now = lambda: float(NOW)
    _, result = await read(backend, since="10s")
    assert result["next_since"] == str(NOW - 10)


async def test_what_the_budget_dropped_comes_again_where_it_can(backend: NtfyBackend) -> None:
    text = "é" * 1000
    rows = [line(f"{number:03}Message00", NOW - 5, message=text) for number in range(120)]
    answer_with(backend, *rows, times=9)
    _, result = await read(backend, limit=200, oldest_first=True)
    shown = result["count"]
    _, again = await read(backend, limit=200, since=result["next_since"], oldest_first=True)
    assert (int(str(shown)), result["dropped"]) == (int(str(shown)), 120 - int(str(shown)))
    assert int(str(again["count"])) >= 120 - int(str(shown))


@pytest.mark.requirement("R-31", "N-10")
async def test_own_publications_are_marked_and_can_be_left_out(backend: NtfyBackend) -> None:
    server = serve(backend, ALLOWLIST)
    structured(await use(server, "publish_message", {"message": "mine"}))
    revised = {"sequence_id": "job", "message": "mine too"}
    structured(await use(server, "update_message", revised, person=Person()))
    theirs = await publish(backend, "theirs")
    entries = listed(structured(await use(server, "list_messages")), "messages")
    assert [entry.get("own") for entry in entries] == [True, True, None]
    others = structured(await use(server, "list_messages", {"from_others": True}))
    assert [entry["id"] for entry in listed(others, "messages")] == [theirs]
    one = structured(await use(server, "get_message", {"id": "job"}))
    assert isinstance(one["message"], dict)
    assert one["message"]["own"] is True
