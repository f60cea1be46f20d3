"""Routes of forges, the queue and the log level."""

from __future__ import annotations

from . import queue
from .exchange import NO_CONTENT, Answer, Exchange, Json, Stop, as_json, as_list, bare
from .routing import find, route

_LEVELS = ("trace", "debug", "info", "warn", "error", "fatal", "panic", "disabled")
_ALWAYS = ("id", "type", "url")
_REPLACED = (
    ("url", ""),
    ("type", ""),
    ("client", ""),
    ("oauth_host", ""),
    ("skip_verify", False),
    ("orgs", None),
    ("additional_options", None),
)


@route("GET", "/forges", "anyone")
def list_forges(x: Exchange) -> Answer:
    return as_list([_shown(x, forge) for forge in x.page(x.state.forges)])


@route("GET", "/forges/{forge_id}", "anyone")
def one_forge(x: Exchange) -> Answer:
    return as_json(_shown(x, _forge(x)))


@route("POST", "/forges", "admin")
def create_forge(x: Exchange) -> Answer:
    body = x.body()
    made: Json = {"id": x.state.next_id()}
    made |= {name: body.get(name, default) for name, default in _REPLACED}
    # Before 3.12 a secret cannot be stored here at all.
    newer = x.state.at_least(3, 12)
    made["stored_secret"] = body.get("oauth_client_secret", "") if newer else ""
    x.state.forges.append(made)
    return as_json(_shown(x, made))


@route("PATCH", "/forges/{forge_id}", "admin")
def change_forge(x: Exchange) -> Answer:
    forge, body = _forge(x), x.body()
    forge.update({name: body.get(name, default) for name, default in _REPLACED})
    key = "oauth_client_secret" if x.state.at_least(3, 12) else "client_secret"
    if body.get(key):
        forge["stored_secret"] = body[key]
    return as_json(_shown(x, forge))


@route("DELETE", "/forges/{forge_id}", "admin")
def delete_forge(x: Exchange) -> Answer:
    x.state.forges.remove(_forge(x))
    return NO_CONTENT


@route("GET", "/queue/info", "admin")
def queue_info(x: Exchange) -> Answer:
    queue.process(x.state)
    return as_json(
        {
            "pending": x.state.waiting or None,
            "waiting_on_deps": x.state.on_deps or None,
            "running": x.state.tasks or None,
            "stats": {
                "worker_count": len(x.state.agents),
                "pending_count": len(x.state.waiting),
                "waiting_on_deps_count": len(x.state.on_deps),
                "running_count": len(x.state.tasks),
            },
            "paused": x.state.paused,
        }
    )


@route("POST", "/queue/pause", "admin")
def pause(x: Exchange) -> Answer:
    x.state.paused = True
    return NO_CONTENT


@route("POST", "/queue/resume", "admin")
def resume(x: Exchange) -> Answer:
    x.state.paused = False
    return NO_CONTENT


@route("GET", "/log-level", "admin")
def get_log_level(x: Exchange) -> Answer:
    return as_json({"log-level": x.state.log_level})


@route("POST", "/log-level", "admin")
def set_log_level(x: Exchange) -> Answer:
    level = x.body().get("log-level")
    if level not in _LEVELS:
        return bare(400)
    x.state.log_level = str(level)
    return as_json({"log-level": level})


def _forge(x: Exchange) -> Json:
    forge = find(x.state.forges, id=x.number("forge_id"))
    if forge is None:
        raise Stop(bare(404))
    return forge


def _shown(x: Exchange, forge: Json) -> Json:
    if x.user is None or not x.user.get("admin"):
        return {key: forge[key] for key in _ALWAYS}
    return {
        key: value
        for key, value in forge.items()
        if key in _ALWAYS or (key != "stored_secret" and value not in (None, "", False))
    }
