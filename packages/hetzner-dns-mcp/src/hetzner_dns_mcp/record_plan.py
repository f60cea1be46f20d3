"""What a write of records would do to its set, and what stands against it.

The values of the call are compared with the set as it is. From that come the marks of
the question, what is sent, and the state that is judged.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from hetzner_dns_mcp.facts import RRSetFacts
from hetzner_dns_mcp.records.identity import read_value, value_key
from hetzner_dns_mcp.records.normalize import Prepared
from hetzner_dns_mcp.zone_rules import State, judge
from hetzner_dns_mcp.zonefile.content import Objection, Records, SetKey
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.http.json_fields import Document, objects_of, text_or_empty

Action: TypeAlias = Literal["create", "set", "add", "remove", "delete"]


@dataclass(frozen=True, slots=True)
class Present:
    """A record set at one moment, and what is known around it.

    Attributes:
        key: Which set.
        zone: Name of the zone; `None` when it is unknown.
        exists: Whether it is there; `None` when that is unknown.
        values: Its values as they are stored, by what makes them the same record.
        comments: Its comments that are not empty, likewise.
        ttl: Its TTL; `None` where it follows the zone's.
        state: What is known of the zone; `None` when nothing is.
    """

    key: SetKey
    zone: str | None
    exists: bool | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    ttl: int | None = None
    state: State | None = None

    @property
    def known(self) -> bool:
        """Whether the set itself was read."""
        return self.exists is not None

    @classmethod
    def of(cls, key: SetKey, zone: str | None, facts: RRSetFacts, around: State) -> Present:
        """Take what was read of a set, and of the zone around it."""
        values: dict[str, str] = {}
        comments: dict[str, str] = {}
        for record in objects_of(facts.document, "records"):
            value = text_or_empty(record, "value")
            same = value_key(value, key.type, zone)
            values.setdefault(same, value)
            if comment := text_or_empty(record, "comment"):
                comments[same] = comment
        state = around
        if facts.exists is not None:
            state = around.with_set(key, Records(facts.ttl, _absolute(values.values(), key, zone)))
        return cls(key, zone, facts.exists, values, comments, facts.ttl, state)

    def beside(self, documents: Mapping[str, Document]) -> Present:
        """Take what was read of the other sets at the name."""
        assert self.state is not None  # noqa: S101 (it was made by `of`)
        state = self.state
        for kind, document in documents.items():
            key = SetKey(self.key.name, kind)
            values = [text_or_empty(record, "value") for record in objects_of(document, "records")]
            state = state.with_set(key, Records(None, _absolute(values, key, self.zone)))
        return replace(self, state=state)


@dataclass(frozen=True, slots=True)
class RecordPlan:
    """What a write would do.

    Attributes:
        marks: What becomes of each value of the call; empty where that is unknown.
        sent: The records that are sent.
        holds: How many records the set holds now; `None` when that is unknown.
        new: Records that come.
        stay: Records that stay.
        gone: Records that go.
        nothing: Whether it is certain that nothing would change.
        errors: What would refuse the call.
        warnings: What a person and the caller are told.
        after: The set afterwards, for whatever comes next.
    """

    marks: Sequence[str] = ()
    sent: Sequence[Mapping[str, str]] = ()
    holds: int | None = None
    new: int = 0
    stay: int = 0
    gone: int = 0
    nothing: bool = False
    errors: Sequence[Objection] = ()
    warnings: Sequence[str] = ()
    after: Present | None = None

    def refuse_errors(self, argument: str = "records") -> None:
        """End the call if anything stands against it.

        Raises:
            BadArgument: Names what it is.
        """
        if self.errors:
            raise BadArgument(argument, "; ".join(error.text for error in self.errors))


def plan(
    action: Action,
    present: Present,
    prepared: Prepared,
    *,
    mode: str,
    ttl: int | None = None,
) -> RecordPlan:
    """Find out what a write would do.

    Args:
        action: What is written.
        present: The set as it is.
        prepared: The values of the call; none for a deletion.
        mode: strict, warn or off.
        ttl: The TTL that the call gives.
    """
    key, zone = present.key, present.zone
    given = [value_key(value, key.type, zone) for value in prepared.values]
    there = [same in present.values for same in given]
    after, sent = _AFTER[action](present, prepared, given, there)
    result = RecordPlan(
        marks=[] if present.exists is None else [_MARKS[action][old] for old in there],
        sent=sent,
        holds=None if present.exists is None else len(present.values),
        new=sum(same not in present.values for same in after.values),
        stay=sum(same in present.values for same in after.values),
        gone=sum(same not in after.values for same in present.values),
        warnings=[*prepared.warnings, *_absent(action, present, there)],
        after=replace(
            after,
            ttl=ttl if present.exists is False else present.ttl,
            exists=bool(after.values) if present.known or action in {"create", "set"} else None,
        ),
    )
    result = replace(result, nothing=_nothing(action, present, result))
    return result if mode == "off" else _judged(action, present, result, mode, ttl)


def _judged(
    action: Action, present: Present, plan: RecordPlan, mode: str, ttl: int | None
) -> RecordPlan:
    found: list[Objection] = []
    after = plan.after
    assert after is not None  # noqa: S101 (it was set by the caller)
    if present.state is not None and (present.known or action in {"create", "set"}):
        values = _absolute(after.values.values(), present.key, present.zone)
        coming = present.state.with_set(present.key, Records(after.ttl, values))
        found = judge(present.state, coming)
        plan = replace(plan, after=replace(after, state=coming))
    if action == "add" and present.exists and ttl is not None and ttl != present.ttl:
        has = "follows the zone's TTL" if present.ttl is None else f"has TTL {present.ttl}"
        words = f"the set {has}; leave ttl out, or use change_rrset_ttl first"
        found.append(Objection("ttl-mismatch", "error", present.key, "", words))
    errors = [fault for fault in found if fault.level == "error"] if mode == "strict" else []
    said = [fault.text for fault in found if fault not in errors]
    return replace(plan, errors=errors, warnings=list(dict.fromkeys([*plan.warnings, *said])))


def _set(
    present: Present, prepared: Prepared, given: Sequence[str], there: Sequence[bool]
) -> tuple[Present, list[dict[str, str]]]:
    sent = [dict(record) for record in prepared.records]
    for record, same, old in zip(sent, given, there, strict=True):
        if old and "comment" not in record and same in present.comments:
            record["comment"] = present.comments[same]
    return _holding(present, given, sent), sent


def _add(
    present: Present, prepared: Prepared, given: Sequence[str], there: Sequence[bool]
) -> tuple[Present, list[dict[str, str]]]:
    sent = [dict(r) for r, old in zip(prepared.records, there, strict=True) if not old]
    fresh = [same for same, old in zip(given, there, strict=True) if not old]
    more = _holding(present, fresh, sent)
    values = {**present.values, **more.values}
    return replace(more, values=values, comments={**present.comments, **more.comments}), sent


def _remove(
    present: Present, prepared: Prepared, given: Sequence[str], there: Sequence[bool]
) -> tuple[Present, list[dict[str, str]]]:
    if present.exists is None:
        return present, [dict(record) for record in prepared.records]
    going = list(dict.fromkeys(s for s, old in zip(given, there, strict=True) if old))
    values = {same: text for same, text in present.values.items() if same not in going}
    comments = {same: text for same, text in present.comments.items() if same not in going}
    sent = [{"value": present.values[same]} for same in going]
    return replace(present, values=values, comments=comments), sent


def _delete(
    present: Present, _prepared: Prepared, _given: Sequence[str], _there: Sequence[bool]
) -> tuple[Present, list[dict[str, str]]]:
    return replace(present, values={}, comments={}), []


_AFTER = {"create": _set, "set": _set, "add": _add, "remove": _remove, "delete": _delete}
_MARKS: Mapping[Action, tuple[str, str]] = {
    "create": ("new", "stays"),
    "set": ("new", "stays"),
    "add": ("new", "is there"),
    "remove": ("not there", "goes"),
    "delete": ("", ""),
}
"""What becomes of a value that is not there yet, and of one that is."""


def _holding(present: Present, given: Sequence[str], sent: Sequence[Mapping[str, str]]) -> Present:
    values: dict[str, str] = {}
    comments: dict[str, str] = {}
    for same, record in zip(given, sent, strict=True):
        values.setdefault(same, record["value"])
        if record.get("comment"):
            comments[same] = record["comment"]
    return replace(present, values=values, comments=comments)


def _nothing(action: Action, present: Present, plan: RecordPlan) -> bool:
    if present.exists is None or action in {"create", "delete"} or plan.after is None:
        return False
    if action == "set":
        same = plan.after.values.keys() == present.values.keys()
        return bool(present.exists) and same and plan.after.comments == present.comments
    return not plan.sent


def _absent(action: Action, present: Present, there: Sequence[bool]) -> list[str]:
    if action != "remove" or present.exists is None:
        return []
    return [
        f"not-there: records[{index}] is no record of the set, so nothing is removed for it"
        for index, old in enumerate(there)
        if not old
    ]


def _absolute(values: Iterable[str], key: SetKey, zone: str | None) -> dict[str, str]:
    """Write values as a whole zone file would: targets in full."""
    found: dict[str, str] = {}
    for value in values:
        text = value
        if key.type != "TXT":
            with contextlib.suppress(ValueError):
                text = read_value(value, key.type, zone).to_text()
        found[value_key(value, key.type, zone)] = text
    return found
