"""Every faulty body, query and method is answered with an error and changes nothing."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest

from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.test_stand_in import WWW, ask

Body = dict[str, object]

RECORDS = [{"value": "198.51.100.1", "comment": "x"}]
SERVERS = [{"address": "198.51.100.53", "port": 53, "tsig_key": "a2V5"}]
FILE = "a A 198.51.100.1"
ROUTES: dict[str, tuple[str, str, Body, frozenset[str]]] = {
    "create primary": (
        "POST",
        "/zones",
        {
            "name": "a.example",
            "mode": "primary",
            "ttl": 60,
            "labels": {},
            "zonefile": "a A 1.1.1.1",
        },
        frozenset({"name", "mode"}),
    ),
    "create with sets": (
        "POST",
        "/zones",
        {
            "name": "a.example",
            "mode": "primary",
            "rrsets": [{"name": "a", "type": "A", "records": RECORDS}],
        },
        frozenset({"name", "mode"}),
    ),
    "create secondary": (
        "POST",
        "/zones",
        {"name": "a.example", "mode": "secondary", "primary_nameservers": SERVERS},
        frozenset({"name", "mode", "primary_nameservers"}),
    ),
    "zone labels": ("PUT", "/zones/42", {"labels": {"a": "b"}}, frozenset()),
    "zone ttl": ("POST", "/zones/42/actions/change_ttl", {"ttl": 60}, frozenset({"ttl"})),
    "zone protection": (
        "POST",
        "/zones/42/actions/change_protection",
        {"delete": True},
        frozenset({"delete"}),
    ),
    "import": (
        "POST",
        "/zones/42/actions/import_zonefile",
        {"zonefile": "@ SOA a. b. 1 2 3 4 5"},
        frozenset({"zonefile"}),
    ),
    "primaries": (
        "POST",
        "/zones/44/actions/change_primary_nameservers",
        {"primary_nameservers": SERVERS},
        frozenset({"primary_nameservers"}),
    ),
    "create set": (
        "POST",
        "/zones/42/rrsets",
        {"name": "new", "type": "A", "ttl": 60, "labels": {"a": "b"}, "records": RECORDS},
        frozenset({"name", "type", "records"}),
    ),
    "set labels": ("PUT", WWW, {"labels": {"a": "b"}}, frozenset()),
    "set ttl": ("POST", f"{WWW}/actions/change_ttl", {"ttl": 60}, frozenset()),
    "set protection": (
        "POST",
        f"{WWW}/actions/change_protection",
        {"change": True},
        frozenset({"change"}),
    ),
    **{
        action: (
            "POST",
            f"{WWW}/actions/{action}",
            {"records": RECORDS},
            frozenset({"records"}),
        )
        for action in ("set_records", "add_records", "remove_records", "update_records")
    },
}
ODD: tuple[object, ...] = (["x"], [None], [[]], {"x": None})
OTHERS: tuple[object, ...] = (7, 1.5, "x\u0000", True, [], {}, *ODD)
"""Values of every kind of JSON."""
INNER = frozenset({"value", "address", "name", "type", "records"})


def faulty(body: Body, required: frozenset[str]) -> Iterator[Body]:
    """What lacks a field, holds null where something is needed, has a field too many, or
    holds a value of another kind."""
    yield {**body, "unknown": 1}
    for key, good in body.items():
        if key in required:
            yield {name: value for name, value in body.items() if name != key}
            yield {**body, key: None}
        for other in OTHERS:
            if type(other) is not type(good) or other in ODD:
                yield {**body, key: other}
        if isinstance(good, list):
            for inner in faulty(
                good[0], frozenset({"value", "address", "name", "type", "records"})
            ):
                yield {**body, key: [inner]}


@pytest.mark.requirement("H-8")
@pytest.mark.parametrize("route", ROUTES)
def test_a_faulty_body_is_refused_and_changes_nothing(route: str, backend: HetznerBackend) -> None:
    method, path, body, required = ROUTES[route]
    zones = copy.deepcopy(backend.project.zones)
    for sent in faulty(body, required):
        status, answer, _ = ask(backend, method, path, sent)
        assert status in {400, 422}, sent
        assert isinstance(answer["error"], dict)
    for zone_id, zone in zones.items():
        now = backend.project.zones[zone_id]
        assert {**vars(now), "reads": 0} == {**vars(zone), "reads": 0}
    assert len(backend.project.zones) == len(zones)


@pytest.mark.parametrize(
    "sent", [None, [], "x", 1, [{"labels": {}}]], ids=["null", "list", "text", "number", "in list"]
)
@pytest.mark.parametrize("route", ROUTES)
def test_a_body_that_is_no_object_is_refused(
    route: str, sent: object, backend: HetznerBackend
) -> None:
    method, path, *_ = ROUTES[route]
    status, answer, _ = ask(backend, method, path, sent)
    assert status == 400
    assert isinstance(answer["error"], dict)


LISTS = ("/zones", "/zones/42/rrsets", "/zones/actions", "/zones/42/actions")


@pytest.mark.requirement("H-8")
@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    "query",
    [
        *("sort=colour", "sort=id:up", "sort=", "per_page=0", "per_page=x", "per_page=-1"),
        *("page=0", "page=", "colour=red", "sort=ttl"),
    ],
)
def test_a_faulty_query_is_refused(path: str, query: str, backend: HetznerBackend) -> None:
    status, answer, _ = ask(backend, "GET", f"{path}?{query}")
    assert status == 422
    assert isinstance(answer["error"], dict)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/zones", "id name created"),
        ("/zones/42/rrsets", "id name created"),
        ("/zones/actions", "id command status started finished"),
    ],
)
def test_a_list_is_sorted_by_the_words_of_its_own(
    path: str, words: str, backend: HetznerBackend
) -> None:
    for word in ("id", "name", "created", "command", "status", "started"):
        status, _, _ = ask(backend, "GET", f"{path}?sort={word}:desc")
        assert status == (200 if word in words.split() else 422)


@pytest.mark.requirement("H-8")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("PUT", "/zones"), ("DELETE", "/zones"), ("PATCH", "/zones")),
        *(("POST", "/zones/actions"), ("DELETE", "/actions/7001"), ("POST", "/actions?id=7001")),
    ],
)
def test_a_method_that_a_path_lacks_is_refused(
    method: str, path: str, backend: HetznerBackend
) -> None:
    ask(backend, "POST", "/zones/42/actions/change_ttl", {"ttl": 300})
    status, answer, _ = ask(backend, method, path, {"name": "a.example", "mode": "primary"})
    assert status == 405
    assert len(backend.project.zones) == 3
    assert isinstance(answer["error"], dict)
