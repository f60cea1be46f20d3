"""The API client by itself: actions, repeats, order, errors. No MCP here."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from hetzner_dns_mcp.api.client import HetznerClient
from hetzner_dns_mcp.api.types import RRSetRef
from hetzner_dns_mcp.app import build
from hetzner_dns_mcp.records.normalize import same_record
from mcp_serverkit.config.settings import Values
from mcp_serverkit.errors import Refused, Unreachable
from mcp_serverkit.tools.results import failure_text
from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import NOW, MakeApp, Waiting

WWW = RRSetRef("example.com", "www", "A")
ACME = RRSetRef("example.com", "_acme-challenge", "TXT")


def records(*values: str) -> dict[str, object]:
    return {"records": [{"value": value} for value in values]}


async def test_it_works_without_mcp(client: HetznerClient, backend: HetznerBackend) -> None:
    created = await client.create_zone({"name": "new.example", "mode": "primary"})
    assert created.answer.document("zone")["name"] == "new.example"
    assert created.action["status"] == "success"
    await client.create_rrset("new.example", {"name": "a", "type": "A", **records("198.51.100.1")})
    await client.rrset_action(
        RRSetRef("new.example", "a", "A"), "set_records", records("198.51.100.2")
    )
    assert backend.values("new.example", "a", "A") == ["198.51.100.2"]
    await client.delete_rrset(RRSetRef("new.example", "a", "A"))
    await client.delete_zone("new.example")
    with pytest.raises(Refused) as gone:
        await client.get_zone("new.example")
    assert gone.value.error_code == "not_found"


@pytest.mark.requirement("T-hetzner-25")
async def test_a_running_action_is_followed_to_its_end(
    client: HetznerClient, backend: HetznerBackend, waiting: Waiting
) -> None:
    backend.slow_actions(3.0)
    write = await client.rrset_action(WWW, "set_records", records("198.51.100.2"))
    assert write.action["status"] == "success"
    assert write.note == ""
    assert waiting.waits == [0.5, 1.0, 2.0]
    assert {r.path for r in backend.requests[1:]} == {f"/zones/actions/{write.action['id']}"}


@pytest.mark.requirement("T-hetzner-25")
async def test_an_action_that_takes_longer_is_returned_as_running(
    client: HetznerClient, backend: HetznerBackend, waiting: Waiting
) -> None:
    backend.slow_actions(60.0)
    write = await client.rrset_action(WWW, "set_records", records("198.51.100.2"))
    assert write.action["status"] == "running"
    assert "get_zone_action" in write.note
    assert sum(waiting.waits) == 10.0


@pytest.mark.requirement("T-hetzner-25")
async def test_an_action_that_fails_is_an_error_with_its_code(
    client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.slow_actions(1.0, {"code": "failed", "message": "it went wrong"})
    with pytest.raises(Refused) as failure:
        await client.rrset_action(WWW, "set_records", records("198.51.100.2"))
    said = failure_text(failure.value)
    assert "failed: it went wrong" in said
    assert "did not apply it" in said


@pytest.mark.requirement("T-hetzner-25")
@pytest.mark.parametrize(
    ("status", "body"),
    [(500, b"<html>oops</html>"), (404, b"{}"), (200, b'{"action": 3}'), (200, b"[]")],
)
async def test_a_look_that_fails_leaves_the_write_a_success(
    status: int, body: bytes, client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.respond_next(status, body, method="GET", path="/zones/actions/*")
    write = await client.rrset_action(WWW, "set_records", records("198.51.100.2"))
    assert write.action["status"] == "running"
    assert write.note.startswith("not followed:")


async def test_an_action_without_a_readable_id_is_not_followed(
    client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.respond_next(201, {"action": {"status": "running", "id": "x"}}, method="POST")
    write = await client.rrset_action(WWW, "set_records", records("198.51.100.2"))
    assert write.note == "not followed: the action has no readable id"


@pytest.mark.requirement("T-hetzner-25")
async def test_without_waiting_nothing_is_looked_up(
    make_app: MakeApp, backend: HetznerBackend
) -> None:
    app = make_app(HETZNER_ACTION_WAIT="0")
    write = await app.client.rrset_action(WWW, "set_records", records("198.51.100.2"))
    await app.aclose()
    assert write.action["status"] == "running"
    assert len(backend.requests) == 1


@pytest.mark.requirement("T-hetzner-42")
async def test_writes_to_one_zone_go_one_after_the_other(
    client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.slow_actions(2.0)
    await client.get_zone("42")
    await asyncio.gather(
        client.rrset_action(WWW, "set_records", records("198.51.100.2")),
        client.rrset_action(WWW._replace(zone="42"), "set_records", records("198.51.100.3")),
        client.rrset_action(WWW, "set_records", records("198.51.100.4")),
    )
    posts = [index for index, r in enumerate(backend.requests) if r.method == "POST"]
    assert len(posts) == 3
    assert all(later - earlier > 1 for earlier, later in pairwise(posts))


@pytest.mark.requirement("T-hetzner-42")
async def test_a_conflict_is_repeated_exactly_once(
    client: HetznerClient, backend: HetznerBackend, waiting: Waiting
) -> None:
    backend.fail_next("conflict", method="POST")
    await client.rrset_action(WWW, "set_records", records("198.51.100.2"))
    assert len(backend.writes) == 2
    assert waiting.waits[0] == 1.0
    backend.fail_next("conflict", method="POST", times=2)
    with pytest.raises(Refused):
        await client.rrset_action(WWW, "set_records", records("198.51.100.3"))
    assert len(backend.writes) == 4


@pytest.mark.requirement("T-hetzner-42")
@pytest.mark.parametrize("after_effect", [False, True])
async def test_a_write_without_an_answer_is_not_repeated_and_its_outcome_unknown(
    after_effect: bool, client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.drop_next(method="POST", after_effect=after_effect)
    with pytest.raises(Unreachable) as failure:
        await client.rrset_action(WWW, "set_records", records("198.51.100.2"))
    assert failure.value.outcome == "unknown"
    told = failure_text(failure.value)
    assert told.startswith("code: outcome_unknown\n")
    assert "get_rrset" in told
    assert len(backend.writes) == 1


@pytest.mark.requirement("T-hetzner-29")
async def test_a_far_reset_is_told_and_not_waited_for(
    client: HetznerClient, backend: HetznerBackend, waiting: Waiting
) -> None:
    reset = {"RateLimit-Reset": str(int(NOW) + 600)}
    backend.fail_next("rate_limit_exceeded", headers=reset)
    with pytest.raises(Refused) as refused:
        await client.get_rrset(WWW)
    assert "It resets at 2026-11-30T" in failure_text(refused.value)
    assert len(backend.requests) == 1
    assert waiting.waits == []


@pytest.mark.parametrize(
    "headers",
    [{"RateLimit-Reset": str(int(NOW) + 4)}, {"Retry-After": "2"}],
    ids=["reset", "retry-after"],
)
async def test_a_near_reset_is_waited_for_twice_by_reads_and_once_by_writes(
    headers: dict[str, str], client: HetznerClient, backend: HetznerBackend, waiting: Waiting
) -> None:
    backend.fail_next("rate_limit_exceeded", headers=headers, times=2)
    assert (await client.get_rrset(WWW)).status == 200
    assert len(backend.requests) == 3
    waiting.clock.seconds = NOW
    backend.fail_next("rate_limit_exceeded", headers=headers, times=2)
    with pytest.raises(Refused):
        await client.rrset_action(WWW, "set_records", records("198.51.100.2"))
    assert len(backend.writes) == 2


async def test_a_429_that_names_no_time_is_not_repeated(
    client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.respond_next(429, {"error": {"code": "rate_limit_exceeded", "message": "x"}})
    with pytest.raises(Refused):
        await client.get_rrset(WWW)
    assert len(backend.requests) == 1


@pytest.mark.requirement("T-hetzner-30")
async def test_adding_what_is_there_changes_nothing(
    client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.add_rrset("example.com", "_acme-challenge", "TXT", ['"a"', '"b"'])
    one = await client.add_records(ACME, records('"a"'))
    assert (one.changed, len(backend.requests)) == (False, 1)
    both = await client.add_records(ACME, records('"a"', '"b"'), same_record("TXT"))
    assert both.changed is False
    assert len(backend.writes) == 2


@pytest.mark.requirement("T-hetzner-30")
async def test_adding_sends_only_what_is_missing(
    client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.add_rrset("example.com", "_acme-challenge", "TXT", ['"a"'], ttl=60)
    write = await client.add_records(ACME, {**records('"a"', '"c"'), "ttl": 60})
    assert write.changed is True
    assert backend.writes[-1].json() == {**records('"c"'), "ttl": 60}
    assert backend.values("example.com", "_acme-challenge", "TXT") == ['"a"', '"c"']


async def test_a_refusal_that_only_claims_a_duplicate_stays_a_refusal(
    client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.fail_next("invalid_input", "duplicate value", method="POST")
    backend.add_rrset("example.com", "_acme-challenge", "TXT", ['"z"'])
    with pytest.raises(Refused):
        await client.add_records(ACME, records('"a"', '"b"'))
    assert len(backend.writes) == 1
    backend.fail_next("invalid_input", "something else", method="POST")
    with pytest.raises(Refused):
        await client.add_records(ACME, records('"a"'))


async def test_the_stand_in_counts_the_rate_and_the_client_remembers_it(
    client: HetznerClient, backend: HetznerBackend
) -> None:
    backend.remaining = 51
    await client.get_zone("example.com")
    assert client.api.rate_limit is not None
    assert client.api.rate_limit.remaining == 50


async def test_check_makes_one_harmless_call(make_app: MakeApp, backend: HetznerBackend) -> None:
    app = make_app()
    said = await app.check()
    await app.aclose()
    assert [r.target for r in backend.requests] == ["/v1/zones?per_page=1"]
    assert "the token reads 3 zones" in said


async def test_the_app_is_built_from_settings_alone(make_values: object) -> None:
    values: Values = make_values()  # type: ignore[operator]
    app = build(values, ("list_zones",))
    await app.aclose()
    assert app.offered == {"list_zones"}
