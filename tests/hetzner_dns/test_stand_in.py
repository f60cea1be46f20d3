"""The stand-in refuses what the API's own description and its users' reports say it refuses."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

from tests.backends.hetzner import ASSIGNED, HetznerBackend


def ask(
    backend: HetznerBackend, method: str, path: str, body: object = None
) -> tuple[int, dict[str, object], dict[str, str]]:
    """Send one raw request."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"{backend.url}{path}",
        data,
        {"Authorization": f"Bearer {backend.token}"},
        method=method,
    )
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, json.loads(reply.read()), dict(reply.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read()), dict(error.headers)


WWW = "/zones/42/rrsets/www/A"


@pytest.mark.requirement("H-8")
@pytest.mark.parametrize(
    ("method", "path", "body", "words"),
    [
        ("POST", "/zones/42/actions/change_ttl", {"ttl": None}, "is required"),
        ("POST", "/zones/42/actions/change_ttl", {}, "is required"),
        ("POST", "/zones/42/actions/change_protection", {}, "is required"),
        ("POST", "/zones/42/actions/change_protection", {"delete": "yes"}, "boolean"),
        ("POST", "/zones/42/actions/import_zonefile", {}, "is required"),
        ("POST", f"{WWW}/actions/change_protection", {}, "is required"),
        ("POST", f"{WWW}/actions/set_records", {"records": [], "ttl": 60}, "unknown field"),
        ("POST", f"{WWW}/actions/set_records", {"records": None}, "must not be empty"),
        ("POST", "/zones", {"name": "a.example", "mode": "primary", "x": 1}, "unknown field"),
        ("POST", "/zones", {"name": "a.b.example", "mode": "primary"}, "Subdomains are not"),
        ("GET", "/zones?sort=colour", None, "unknown sort"),
        ("GET", "/zones?per_page=0", None, "at least 1"),
        ("GET", "/zones?page=0", None, "at least 1"),
        (
            "POST",
            "/zones/44/actions/change_primary_nameservers",
            {"primary_nameservers": [{"address": "ns.example.net"}]},
            "must be an IP address",
        ),
        ("PUT", WWW, {"records": [{"value": "198.51.100.2"}]}, "can't update records with this"),
        (
            "POST",
            f"{WWW}/actions/update_records",
            {"records": [{"value": "198.51.100.9", "comment": "x"}]},
            "value does not exist",
        ),
        (
            "POST",
            "/zones/42/rrsets/alias/CNAME/actions/add_records",
            {"records": [{"value": "b.example.net."}]},
            "only one CNAME",
        ),
        ("DELETE", "/zones/42/rrsets/@/NS", None, "assigned nameservers are missing"),
        (
            "POST",
            "/zones/42/rrsets/@/NS/actions/remove_records",
            {"records": [{"value": ASSIGNED[0]}]},
            "assigned nameservers are missing",
        ),
        (
            "POST",
            "/zones",
            {"name": "b.example", "mode": "primary", "zonefile": "@ NS ns1.example.net."},
            "assigned nameservers are missing",
        ),
        (
            "POST",
            "/zones",
            {"name": "b.example", "mode": "primary", "zonefile": "$ORIGIN c.example.\n"},
            "$ORIGIN does not match",
        ),
        (
            "POST",
            "/zones",
            {"name": "b.example", "mode": "primary", "zonefile": "a 59 A 198.51.100.1"},
            "between 60 and 2147483647",
        ),
    ],
)
def test_a_faulty_request_is_answered_with_an_error(
    method: str, path: str, body: object, words: str, backend: HetznerBackend
) -> None:
    backend.add_rrset("example.com", "alias", "CNAME", ["a.example.net."])
    status, answer, _ = ask(backend, method, path, body)
    error = answer["error"]
    assert isinstance(error, dict)
    assert status == 422
    assert words in str(error["message"])


@pytest.mark.requirement("H-8")
def test_actions_are_found_by_their_ids(backend: HetznerBackend) -> None:
    ids = []
    for ttl in (300, 600, 900):
        _, answer, _ = ask(backend, "POST", "/zones/42/actions/change_ttl", {"ttl": ttl})
        action = answer["action"]
        assert isinstance(action, dict)
        ids.append(action["id"])
    status, answer, _ = ask(backend, "GET", f"/actions?id={ids[0]}&id={ids[2]}")
    actions = answer["actions"]
    assert isinstance(actions, list)
    assert (status, [entry["id"] for entry in actions]) == (200, [ids[0], ids[2]])
    assert ask(backend, "GET", f"/actions/{ids[1]}")[0] == 200


@pytest.mark.requirement("H-8")
def test_an_update_of_comments_answers_200(backend: HetznerBackend) -> None:
    body = {"records": [{"value": "198.51.100.1", "comment": "x"}]}
    assert ask(backend, "POST", f"{WWW}/actions/update_records", body)[0] == 200


@pytest.mark.requirement("H-8")
def test_labels_stay_where_none_are_given(backend: HetznerBackend) -> None:
    ask(backend, "PUT", WWW, {"labels": {"a": "b"}})
    status, answer, _ = ask(backend, "PUT", WWW, {})
    rrset = answer["rrset"]
    assert isinstance(rrset, dict)
    assert (status, rrset["labels"]) == (200, {"a": "b"})


@pytest.mark.requirement("H-8")
def test_an_id_is_never_used_twice_and_a_zone_is_updating_meanwhile(
    backend: HetznerBackend,
) -> None:
    _, first, _ = ask(backend, "POST", "/zones", {"name": "one.example", "mode": "primary"})
    ask(backend, "DELETE", "/zones/one.example")
    backend.slow_actions(60.0)
    _, second, _ = ask(backend, "POST", "/zones", {"name": "two.example", "mode": "primary"})
    zones = [first["zone"], second["zone"]]
    assert len({zone["id"] for zone in zones if isinstance(zone, dict)}) == 2
    assert len({zone["created"] for zone in zones if isinstance(zone, dict)}) == 2
    _, shown, _ = ask(backend, "GET", "/zones/two.example")
    assert isinstance(shown["zone"], dict)
    assert shown["zone"]["status"] == "updating"


def test_the_id_of_a_zone_that_is_gone_is_not_given_again(backend: HetznerBackend) -> None:
    ask(backend, "DELETE", "/zones/44")
    _, made, _ = ask(backend, "POST", "/zones", {"name": "new.example", "mode": "primary"})
    assert isinstance(made["zone"], dict)
    assert made["zone"]["id"] == 45


A, B = "a.example.net.", "b.example.net."
CROWDED = {
    "two CNAMEs": ([("CNAME", A), ("CNAME", B)], "only one CNAME"),
    "an address and a CNAME": ([("A", "198.51.100.1"), ("CNAME", A)], "cannot coexist"),
    "a CNAME and a text": ([("CNAME", A), ("TXT", '"x"')], "cannot coexist"),
}


WAYS = ("create", "add", "import", "new zone with file", "new zone with sets")


@pytest.mark.parametrize(
    ("crowd", "way"),
    [*((crowd, way) for crowd in CROWDED for way in WAYS), ("two CNAMEs", "set")],
)
def test_a_cname_stands_alone_at_its_name_whatever_way_it_comes(
    crowd: str, way: str, backend: HetznerBackend
) -> None:
    records, words = CROWDED[crowd]
    (first, value), (second, other) = records
    new = {"name": "new.example", "mode": "primary"}
    lines = "".join(f"x IN {kind} {text}\n" for kind, text in records)
    if first == second:
        sets = [rrset_of(first, value, other)]
    else:
        sets = [rrset_of(first, value), rrset_of(second, other)]
    if way == "import":
        body: dict[str, object] = {"zonefile": backend.zonefile("example.com") + lines}
        answered = ask(backend, "POST", "/zones/42/actions/import_zonefile", body)
    elif way == "new zone with file":
        answered = ask(backend, "POST", "/zones", {**new, "zonefile": lines})
    elif way == "new zone with sets":
        answered = ask(backend, "POST", "/zones", {**new, "rrsets": sets})
    elif way == "create":
        answered = [ask(backend, "POST", "/zones/42/rrsets", rrset) for rrset in sets][-1]
    else:
        backend.add_rrset("example.com", "x", first, [value])
        body = {"records": [{"value": other}]}
        if way == "set":
            body = {"records": [{"value": value}, {"value": other}]}
        answered = ask(backend, "POST", f"/zones/42/rrsets/x/{second}/actions/{way}_records", body)
    status, answer, _ = answered
    error = answer["error"]
    assert isinstance(error, dict)
    assert (status, words in str(error["message"])) == (422, True)


def rrset_of(kind: str, *values: str) -> dict[str, object]:
    return {"name": "x", "type": kind, "records": [{"value": value} for value in values]}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("@ SOA a. b. 9 2 3 4 5\n", "only one SOA"),
        ("t 60 A 198.51.100.1\nt 90 A 198.51.100.2\n", "must match the TTL"),
        ("t SSHFP 1 1 " + "ab" * 20, "unsupported type SSHFP"),
    ],
)
def test_an_import_refuses_what_a_reader_would_settle_by_itself(
    lines: str, words: str, backend: HetznerBackend
) -> None:
    body = {"zonefile": backend.zonefile("example.com") + lines}
    status, answer, _ = ask(backend, "POST", "/zones/42/actions/import_zonefile", body)
    error = answer["error"]
    assert isinstance(error, dict)
    assert (status, words in str(error["message"])) == (422, True)


def test_a_page_links_to_the_pages_beside_it(backend: HetznerBackend) -> None:
    for number in range(9):
        backend.add_rrset("example.com", f"n{number}", "A", ["198.51.100.9"])
    path = "/zones/42/rrsets?type=A&type=TXT&per_page=4&page={}"

    def link(page: int, relation: str) -> str:
        return f'<{backend.url}{path.format(page)}>; rel="{relation}"'

    def told(page: int) -> set[str]:
        _, _, headers = ask(backend, "GET", path.format(page))
        return set(headers["Link"].split(", "))

    assert told(1) == {link(2, "next"), link(3, "last")}
    assert told(2) == {link(1, "prev"), link(3, "next"), link(3, "last")}
    assert told(3) == {link(2, "prev"), link(3, "last")}
    for path in ("/zones", "/zones/actions", "/zones/42/actions"):
        _, _, headers = ask(backend, "GET", path)
        assert headers["Link"] == f'<{backend.url}{path}?page=1>; rel="last"'
    assert "Link" not in ask(backend, "GET", "/zones/42")[2]


@pytest.mark.requirement("H-8")
def test_an_import_keeps_explicit_and_inherited_ttls_apart(backend: HetznerBackend) -> None:
    exported = backend.zonefile("example.com")
    file = exported + "own\t3600\tIN\tA\t198.51.100.5\nfollows\tIN\tA\t198.51.100.6\n"
    body = {"zonefile": file}
    assert ask(backend, "POST", "/zones/42/actions/import_zonefile", body)[0] == 201
    sets = backend.project.zone("example.com").sets
    assert (sets["own", "A"].ttl, sets["follows", "A"].ttl) == (3600, None)
    assert backend.zonefile("example.com").count("\t3600\t") == 1


@pytest.mark.requirement("H-8")
def test_text_is_kept_exactly_as_it_was_sent(backend: HetznerBackend) -> None:
    value = '"a\\"b" "\\195\\164" ""'
    body = {"name": "t", "type": "TXT", "records": [{"value": value}]}
    assert ask(backend, "POST", "/zones/42/rrsets", body)[0] == 201
    assert backend.values("example.com", "t", "TXT") == [value]
