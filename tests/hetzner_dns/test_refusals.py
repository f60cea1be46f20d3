"""Calls that the API would not take, refused here before anybody is asked."""

from __future__ import annotations

import pytest

from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer, refuse_to_answer
from tests.hetzner_dns.support import record
from tests.support.clients import Arguments, call, connect, text


@pytest.mark.parametrize(
    "labels",
    [
        {"hetzner.cloud/x": "y"},
        {"-a": "b"},
        {"a": "b" * 64},
        {"a": "-"},
        {"": "x"},
        {f"k{n}": "v" for n in range(65)},
        {"a": 1},
    ],
    ids=["reserved", "key", "long", "value", "empty", "many", "number"],
)
async def test_labels_that_the_api_refuses_are_refused_here(
    labels: dict[str, object], backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28") as client:
        result = await call(client, "update_zone", {"zone": "example.com", "labels": labels})
    assert result.is_error
    assert backend.requests == []


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"name": "localhost", "mode": "primary"}, "name"),
        ({"name": "42", "mode": "primary"}, "name"),
        ({"name": "new.example", "mode": "secondary"}, "primary_nameservers"),
        (
            {
                "name": "new.example",
                "mode": "primary",
                "primary_nameservers": [{"address": "198.51.100.2"}],
            },
            "primary_nameservers",
        ),
        ({"name": "new.example", "mode": "secondary", "zonefile": "x"}, "zonefile"),
        ({"name": "new.example", "mode": "primary", "zonefile": "$INCLUDE /etc/x"}, "zonefile"),
    ],
)
async def test_a_new_zone_that_the_api_would_not_take_is_refused(
    arguments: Arguments, argument: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28") as client:
        result = await call(client, "create_zone", arguments)
    assert text(result).startswith(f"{argument}: ")
    assert backend.requests == []


@pytest.mark.requirement("T-hetzner-34")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_rrset", {**record("A", "@"), "type": "SOA"}),
        ("delete_rrset", {"zone": "example.com", "name": "@", "type": "SOA"}),
        ("create_rrset", record("CNAME", "@")),
    ],
    ids=["create SOA", "delete SOA", "CNAME at the apex"],
)
async def test_what_cannot_succeed_at_the_apex_asks_nobody(
    tool: str, arguments: Arguments, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28", refuse_to_answer) as client:
        assert (await call(client, tool, arguments)).is_error
    assert backend.requests == []
