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


def test_an_update_of_comments_answers_200(backend: HetznerBackend) -> None:
    body = {"records": [{"value": "198.51.100.1", "comment": "x"}]}
    assert ask(backend, "POST", f"{WWW}/actions/update_records", body)[0] == 200


def test_labels_stay_where_none_are_given(backend: HetznerBackend) -> None:
    ask(backend, "PUT", WWW, {"labels": {"a": "b"}})
    status, answer, _ = ask(backend, "PUT", WWW, {})
    rrset = answer["rrset"]
    assert isinstance(rrset, dict)
    assert (status, rrset["labels"]) == (200, {"a": "b"})


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


def test_an_import_keeps_explicit_and_inherited_ttls_apart(backend: HetznerBackend) -> None:
    exported = backend.zonefile("example.com")
    file = exported + "own\t3600\tIN\tA\t198.51.100.5\nfollows\tIN\tA\t198.51.100.6\n"
    body = {"zonefile": file}
    assert ask(backend, "POST", "/zones/42/actions/import_zonefile", body)[0] == 201
    sets = backend.project.zone("example.com").sets
    assert (sets["own", "A"].ttl, sets["follows", "A"].ttl) == (3600, None)
    assert backend.zonefile("example.com").count("\t3600\t") == 1


def test_text_is_kept_exactly_as_it_was_sent(backend: HetznerBackend) -> None:
    value = '"a\\"b" "\\195\\164" ""'
    body = {"name": "t", "type": "TXT", "records": [{"value": value}]}
    assert ask(backend, "POST", "/zones/42/rrsets", body)[0] == 201
    assert backend.values("example.com", "t", "TXT") == [value]
