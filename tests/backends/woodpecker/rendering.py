"""Documents as the line of the server writes them."""

from __future__ import annotations

from .exchange import Json
from .state import State

_TIMES = ("created", "updated", "started", "finished", "reviewed")


def repo(state: State, document: Json) -> Json:
    """A repository; 2.x knows one flag of trust."""
    shown = dict(document)
    if not state.at_least(3, 0):
        flags = shown["trusted"]
        shown["trusted"] = isinstance(flags, dict) and all(flags.values())
        # One switch, where the newer line has four settings.
        shown["gated"] = shown.pop("require_approval") == "all_events"
    return shown


def pipeline(state: State, document: Json, *, tree: bool = False) -> Json:
    """A pipeline; only a single one comes with its workflows."""
    shown = {key: value for key, value in document.items() if tree or key != "workflows"}
    return shown if state.at_least(3, 0) else _old_times(shown)


def user(state: State, document: Json) -> Json:
    """An account; false flags are left out, and so is the remote id before 3.13."""
    shown = {key: value for key, value in document.items() if key != "admin" or value}
    if not state.at_least(3, 13):
        shown.pop("forge_remote_id", None)
    return shown


def cron(state: State, document: Json) -> Json:
    """A cron job; the newer fields come with the newer versions."""
    shown = dict(document)
    if not state.at_least(3, 13):
        shown.pop("enabled", None)
        shown.pop("variables", None)
    if not state.at_least(3, 15):
        shown.pop("timezone", None)
    return shown


def _old_times(document: Json) -> Json:
    shown: Json = {}
    for key, value in document.items():
        if isinstance(value, list):
            value = [_old_times(item) if isinstance(item, dict) else item for item in value]
        shown[f"{key}_at" if key in _TIMES else key] = value
    return shown
