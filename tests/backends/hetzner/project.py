"""One project: its zones, its actions, and pages of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import cast
from urllib.parse import urlencode

from .model import Action, APIError, Json, Zone, invalid
from .selectors import matches
from .wire import Request


class Project:
    """One project: its zones and what was done to them."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.zones: dict[int, Zone] = {}
        self.actions: dict[int, Action] = {}
        self.action_seconds = 0.0
        self.action_error: Json | None = None
        self.last_id = 41

    def next_id(self) -> int:
        """A zone's id; none is used twice."""
        return self.last_id + 1

    def keep(self, zone: Zone) -> None:
        """Take a zone in."""
        self.last_id = max(self.last_id, zone.id)
        self.zones[zone.id] = zone

    def zone(self, key: str) -> Zone:
        for zone in self.zones.values():
            if key in {str(zone.id), zone.name}:
                self.look(zone)
                return zone
        raise APIError("not_found", "zone not found")

    def start(self, command: str, zone: Zone) -> Json:
        action_id = len(self.actions) + 7001
        now = self.now()
        ends = now + self.action_seconds
        action = Action(action_id, command, zone.id, now, ends, self.action_error)
        self.actions[action_id] = action
        return {"action": action.json(now, fresh=True)}

    def look(self, zone: Zone) -> Zone:
        """Bring a zone's status up to date: it is updating while an action runs."""
        now = self.now()
        zone.updating = any(a.zone_id == zone.id and now < a.ends for a in self.actions.values())
        return zone

    def refuse_locked(self, zone: Zone) -> None:
        now = self.now()
        if any(a.zone_id == zone.id and now < a.ends for a in self.actions.values()):
            raise APIError("locked", "zone is locked by a running action")


PAGING = ("page", "per_page", "sort", "label_selector")
_SORTABLE = {
    "zones": ("id", "name", "created"),
    "rrsets": ("id", "name", "created"),
    "actions": ("id", "command", "status", "started", "finished"),
}


def page(
    request: Request, key: str, entries: Iterable[Json], most: int, filters: Iterable[str] = ()
) -> Json:
    """Cut one page out of a list, after selection and sorting."""
    query = request.query
    for name in query:
        if name not in {*PAGING, *filters}:
            raise invalid(name, "unknown parameter")
    selector = query.get("label_selector", [""])[0]
    found = [e for e in entries if matches(selector, cast("dict[str, str]", e.get("labels", {})))]
    for order in reversed(query.get("sort", [])):
        name, _, direction = order.partition(":")
        if name not in _SORTABLE[key] or direction not in {"", "asc", "desc"}:
            raise invalid("sort", "unknown sort")
        found.sort(key=lambda entry: str(entry.get(name)), reverse=direction == "desc")
    per_page = min(_number(query, "per_page", 25), most)
    number = _number(query, "page", 1)
    last = max(1, -(-len(found) // per_page))
    return {
        key: found[(number - 1) * per_page : number * per_page],
        "meta": {
            "pagination": {
                "page": number,
                "per_page": per_page,
                "previous_page": number - 1 if number > 1 else None,
                "next_page": number + 1 if number < last else None,
                "last_page": last,
                "total_entries": len(found),
            }
        },
    }


def links(request: Request, body: Json) -> str:
    """The `Link` header of a page: where the others are."""
    pagination = cast("dict[str, dict[str, object]]", body.get("meta", {})).get("pagination", {})
    host, path = request.headers.get("host", ""), request.target.partition("?")[0]
    found = []
    for relation, key in (("prev", "previous_page"), ("next", "next_page"), ("last", "last_page")):
        if pagination.get(key) is not None:
            given = {**request.query, "page": [str(pagination[key])]}
            found.append(f'<http://{host}{path}?{urlencode(given, doseq=True)}>; rel="{relation}"')
    return ", ".join(found)


def _number(query: Mapping[str, list[str]], key: str, usual: int) -> int:
    given = query.get(key, [str(usual)])[0]
    if not given.isdigit() or int(given) < 1:
        raise invalid(key, "must be at least 1")
    return int(given)


def require(zone: Zone, mode: str) -> None:
    if zone.mode != mode:
        raise APIError("incorrect_zone_mode", f"zone is in {zone.mode} mode")


def require_method(request: Request, method: str) -> None:
    if request.method != method:
        raise APIError("method_not_allowed", "method not allowed")


def read_body(request: Request) -> Json:
    try:
        body = json.loads(request.body)
    except ValueError:
        raise APIError("json_error", "the body is no JSON") from None
    if not isinstance(body, dict):
        raise APIError("json_error", "the body is no object")
    return body
