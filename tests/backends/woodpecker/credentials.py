"""Routes of secrets and registries at all three levels, and of cron jobs."""

from __future__ import annotations

import re
from typing import cast

from . import rendering
from .exchange import NO_CONTENT, Answer, Exchange, Json, Stop, as_json, as_list, bare, text
from .pipelines import started
from .routing import Right, find, route

_LEVELS: tuple[tuple[str, Right, Right], ...] = (
    ("/repos/{repo_id}", "push", "push"),
    ("/orgs/{org_id}", "org_admin", "org_admin"),
    ("", "user", "admin"),
)
_MACRO = r"@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)|@every [0-9]+[smh]"
_ZONES = ("UTC", "Europe/Berlin")


def _level(x: Exchange) -> Json:
    """What picks the entries of a level; that of an organisation looks at nothing else."""
    if x.org:
        return {"org_id": x.org["id"]}
    return {"repo_id": x.repo.get("id", 0), "org_id": 0}


def _list_secrets(x: Exchange) -> Answer:
    found = x.page([_shown(secret) for secret in x.state.secrets if _here(x, secret)])
    return as_list(found) if x.repo else as_json(found)


def _one_secret(x: Exchange) -> Answer:
    return as_json(_shown(_secret(x)))


def _create_secret(x: Exchange) -> Answer:
    body = x.body()
    if not body.get("events") or not body.get("name") or not body.get("value"):
        return text(422, "Error inserting secret. no events specified")
    if any(_here(x, secret) and secret["name"] == body["name"] for secret in x.state.secrets):
        return text(500, f'Error inserting secret "{body["name"]}". UNIQUE constraint failed')
    made: Json = {
        "id": x.state.next_id(),
        "repo_id": 0,
        **_level(x),
        "name": body["name"],
        "value": body["value"],
        "events": body["events"],
        "images": body.get("images"),
        "note": body.get("note", ""),
    }
    x.state.secrets.append(made)
    return as_json(_shown(made))


def _change_secret(x: Exchange) -> Answer:
    secret, body = _secret(x), x.body()
    if body.get("value"):
        secret["value"] = body["value"]
    for field in ("events", "images", "note"):
        if body.get(field) is not None:
            secret[field] = body[field]
    if not secret["events"]:
        return text(422, "Error updating secret. no events specified")
    return as_json(_shown(secret))


def _delete_secret(x: Exchange) -> Answer:
    x.state.secrets.remove(_secret(x))
    return NO_CONTENT


def _list_registries(x: Exchange) -> Answer:
    found = [_without(entry, "password") for entry in x.state.registries if _here(x, entry)]
    return as_list(x.page(found)) if x.repo else as_json(x.page(found))


def _one_registry(x: Exchange) -> Answer:
    return as_json(_without(_registry(x), "password"))


def _create_registry(x: Exchange) -> Answer:
    body = x.body()
    address = str(body.get("address", ""))
    if re.match(r"[0-9.]+:[0-9]+", address):
        return text(
            400,
            f'Error inserting registry. parse "{address}": first path segment in URL cannot '
            "contain colon",
        )
    x.state.registries.append(
        {"id": x.state.next_id(), "repo_id": 0, **_level(x), "readonly": False, **body}
    )
    return as_json(_echo(body))


def _change_registry(x: Exchange) -> Answer:
    registry, body = _registry(x), x.body()
    for field in ("username", "password"):
        if body.get(field):
            registry[field] = body[field]
    return as_json(_echo(body))


def _delete_registry(x: Exchange) -> Answer:
    name = x.name("name")
    found = find(x.state.registries, address=name, **_level(x))
    x.state.registries.remove(_found(found))
    return NO_CONTENT


for _prefix, _reads, _writes in _LEVELS:
    route("GET", f"{_prefix}/secrets", _reads)(_list_secrets)
    route("GET", f"{_prefix}/secrets/{{name}}", _reads)(_one_secret)
    route("POST", f"{_prefix}/secrets", _writes)(_create_secret)
    route("PATCH", f"{_prefix}/secrets/{{name}}", _writes)(_change_secret)
    route("DELETE", f"{_prefix}/secrets/{{name}}", _writes)(_delete_secret)
    route("GET", f"{_prefix}/registries", _reads)(_list_registries)
    route("GET", f"{_prefix}/registries/{{name}}", _reads)(_one_registry)
    route("POST", f"{_prefix}/registries", _writes)(_create_registry)
    route("PATCH", f"{_prefix}/registries/{{name}}", _writes)(_change_registry)
    route("DELETE", f"{_prefix}/registries/{{name}}", _writes)(_delete_registry)


@route("GET", "/repos/{repo_id}/cron", "push")
def list_crons(x: Exchange) -> Answer:
    mine = [cron for cron in x.state.crons if cron["repo_id"] == x.repo["id"]]
    return as_list([rendering.cron(x.state, cron) for cron in x.page(mine)])


@route("GET", "/repos/{repo_id}/cron/{cron_id}", "push")
def one_cron(x: Exchange) -> Answer:
    return as_json(rendering.cron(x.state, _cron(x)))


@route("POST", "/repos/{repo_id}/cron", "push")
def create_cron(x: Exchange) -> Answer:
    body = x.body()
    if any(
        cron["name"] == body["name"] and cron["repo_id"] == x.repo["id"] for cron in x.state.crons
    ):
        return text(409, "cron with this exists for this repo already")
    made: Json = {
        "id": x.state.next_id(),
        "repo_id": x.repo["id"],
        "name": body["name"],
        "creator_id": x.me["id"],
        "schedule": body["schedule"],
        "timezone": body.get("timezone") or "UTC",
        "branch": body.get("branch", ""),
        "created": x.state.now,
        "next_exec": x.state.now + 3600,
        "enabled": body.get("enabled", False),
        "variables": body.get("variables"),
    }
    _validate(x, made)
    x.state.crons.append(made)
    return as_json(rendering.cron(x.state, made))


@route("PATCH", "/repos/{repo_id}/cron/{cron_id}", "push")
def change_cron(x: Exchange) -> Answer:
    cron, body = _cron(x), x.body()
    changed = {**cron, **{key: value for key, value in body.items() if value is not None}}
    _validate(x, changed)
    cron.update(changed, creator_id=x.me["id"])
    return as_json(rendering.cron(x.state, cron))


@route("POST", "/repos/{repo_id}/cron/{cron_id}", "push")
def run_cron(x: Exchange) -> Answer:
    cron = _cron(x)
    branch = str(cron["branch"] or x.repo["default_branch"])
    return started(x, branch, event="cron", cron=cron["name"])


@route("DELETE", "/repos/{repo_id}/cron/{cron_id}", "push")
def delete_cron(x: Exchange) -> Answer:
    x.state.crons.remove(_cron(x))
    return NO_CONTENT


def _validate(x: Exchange, cron: Json) -> None:
    schedule = str(cron["schedule"])
    if len(schedule.split()) != 5 and not re.fullmatch(_MACRO, schedule):
        words = f"expected exactly 5 fields, found {len(schedule.split())}: [{schedule}]"
        raise Stop(text(422, f"Error inserting cron. validate failed: can't parse: {words}"))
    if cron["timezone"] not in _ZONES:
        zone = cron["timezone"]
        raise Stop(text(422, f"Error inserting cron. validate failed: unknown time zone {zone}"))
    branches = x.state.branches[cast("int", x.repo["id"])]
    if cron["branch"] and cron["branch"] not in branches:
        raise Stop(text(400, "Error inserting cron. branch not resolved: not found"))


def _here(x: Exchange, entry: Json) -> bool:
    return all(entry[key] == value for key, value in _level(x).items())


def _secret(x: Exchange) -> Json:
    return _found(find(x.state.secrets, name=x.name("name"), **_level(x)))


def _registry(x: Exchange) -> Json:
    return _found(find(x.state.registries, address=x.name("name"), **_level(x)))


def _cron(x: Exchange) -> Json:
    return _found(find(x.state.crons, id=x.number("cron_id"), repo_id=x.repo["id"]))


def _found(entry: Json | None) -> Json:
    if entry is None:
        raise Stop(bare(404))
    return entry


def _shown(secret: Json) -> Json:
    return {**_without(secret, "value"), "events": sorted(cast("list[str]", secret["events"]))}


def _without(entry: Json, field: str) -> Json:
    return {key: value for key, value in entry.items() if key != field}


def _echo(body: Json) -> Json:
    """The answer to a write is what was sent, with an id that says nothing."""
    return {
        "id": 0,
        "org_id": 0,
        "repo_id": 0,
        "address": body.get("address", ""),
        "username": body.get("username", ""),
        "password": "",
        "readonly": False,
    }
