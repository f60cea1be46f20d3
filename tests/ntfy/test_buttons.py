"""Buttons: what each kind needs and may have."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import publish_refused, published_body

HTTP: dict[str, object] = {"action": "http", "label": "x", "url": "https://h.example"}
VIEW: dict[str, object] = {"action": "view", "label": "x", "url": "https://h.example"}


@pytest.mark.requirement("T-ntfy-15")
@pytest.mark.parametrize(
    ("actions", "path"),
    [
        ([VIEW] * 4, "actions"),
        ([HTTP | {"method": "GET", "body": "b"}], "actions[0].body"),
        ([VIEW, {"action": "view", "label": "x"}], "actions[1].url"),
        ([{"action": "http", "label": "x"}], "actions[0].url"),
        ([{"action": "copy", "label": "x"}], "actions[0].value"),
        ([VIEW | {"method": "GET"}], "actions[0].method"),
        ([VIEW | {"body": "b"}], "actions[0].body"),
        ([VIEW | {"extra": 1}], "actions[0].extra"),
        ([VIEW | {"label": ""}], "actions[0].label"),
        ([VIEW | {"label": "x" * 65}], "actions[0].label"),
        ([VIEW | {"clear": "no"}], "actions[0].clear"),
        ([VIEW | {"url": "javascript:1"}], "actions[0].url"),
        ([{"label": "x", "url": "https://h.example"}], "actions[0].action"),
        ([{"action": "call", "label": "x"}], "actions[0].action"),
        ([HTTP | {"method": "TRACE"}], "actions[0].method"),
        ([HTTP | {"headers": {"X-N": 1}}], "actions[0].headers"),
        ([HTTP | {"body": "ä" * 2049}], "actions[0].body"),
        ([{"action": "copy", "label": "x", "value": "v" * 4097}], "actions[0].value"),
        ([{"action": "broadcast", "label": "x", "intent": "a b"}], "actions[0].intent"),
        (["view"], "actions[0]"),
        ("view", "actions"),
    ],
)
async def test_a_wrong_button_is_named_by_its_place(
    actions: object, path: str, backend: NtfyBackend
) -> None:
    words = await publish_refused(backend, {"message": "x", "actions": actions})
    assert words.startswith((f"{path}:", f"{path}.")), words


@pytest.mark.parametrize(
    "action",
    [
        HTTP,
        HTTP | {"method": "GET"},
        HTTP | {"method": "DELETE", "body": "b", "headers": {"A": "b"}, "clear": True},
        {"action": "broadcast", "label": "x"},
        {"action": "broadcast", "label": "x", "intent": "io.example.RUN", "extras": {"a": "b"}},
    ],
)
async def test_a_right_button_arrives_as_given(
    action: dict[str, object], backend: NtfyBackend
) -> None:
    assert (await published_body(backend, {"message": "x", "actions": [action]}))["actions"] == [
        action
    ]
