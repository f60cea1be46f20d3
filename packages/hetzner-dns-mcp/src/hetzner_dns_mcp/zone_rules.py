"""One judgement of the state that a call leaves behind, whatever tool it came through.

What stands in the zone already and is not caused by the call is never held against it:
the present state is judged as well, and only what is new counts. Nothing here quotes the
API: findings are fixed words with numbers, and names only where a caller can be told
which record set of a file is meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hetzner_dns_mcp.records.txt import TXT_POLICIES, policy_of
from hetzner_dns_mcp.records.type_rules import TARGETS, check_set
from hetzner_dns_mcp.records.types import DECIDING_TYPES
from hetzner_dns_mcp.zonefile.content import APEX_NS, Objection, Records, SetKey
from mcp_approval.wording import counted

POINTING = ("MX", "NS", "SRV", "CNAME", "SVCB", "HTTPS")
_ADDRESSES = ("A", "AAAA")
_CHAIN = 16
"""Steps after which a chain of CNAMEs is taken for endless."""


@dataclass(frozen=True, slots=True)
class State:
    """Record sets of a zone at one moment.

    Attributes:
        zone: Name of the zone; empty when it is unknown, then targets are not followed.
        sets: The sets that are known.
        whole: Whether these are all sets of the zone.
        assigned: The name servers that Hetzner assigned, lower case with a final dot.
    """

    zone: str
    sets: Mapping[SetKey, Records]
    whole: bool = True
    assigned: Sequence[str] = ()
    names: Mapping[str, frozenset[str]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        found: dict[str, set[str]] = {}
        for key, records in self.sets.items():
            if records.values:
                found.setdefault(key.name, set()).add(key.type)
        object.__setattr__(self, "names", {name: frozenset(t) for name, t in found.items()})

    def with_set(self, key: SetKey, records: Records | None) -> State:
        """Return the state with one set in place of what it was; without one it is gone."""
        sets = {other: value for other, value in self.sets.items() if other != key}
        if records is not None and records.values:
            sets[key] = records
        elif key == APEX_NS:
            sets[key] = Records(None, {})
        return State(self.zone, sets, self.whole, self.assigned)

    def types_at(self, name: str) -> frozenset[str]:
        """The types that stand at a name, or that a wildcard gives it."""
        if name in self.names:
            return self.names[name]
        for parent in _parents(name):
            if f"*.{parent}" in self.names:
                return self.names[f"*.{parent}"]
            if parent in self.names:
                break
        return self.names.get("*", frozenset()) if name != "@" else frozenset()

    def cut_above(self, name: str) -> str | None:
        """The delegated name at or above a name, below the zone's own."""
        for candidate in (name, *_parents(name)):
            if candidate != "@" and "NS" in self.names.get(candidate, ()):
                return candidate
        return None

    def targets(self, key: SetKey, text: str) -> list[str]:
        """The names inside the zone that a value points at."""
        words = text.lower().split()
        inside = []
        for index in TARGETS.get(key.type, ()):
            word = words[index] if index < len(words) else "."
            if word == f"{self.zone}.":
                inside.append("@")
            elif word.endswith(f".{self.zone}."):
                inside.append(word.removesuffix(f".{self.zone}."))
        return inside


def judge(before: State | None, after: State) -> list[Objection]:
    """Find what a call causes that the API refuses, or that is most likely a mistake.

    Args:
        before: The present state; `None` when it is unknown.
        after: The state that the call would leave behind.
    """
    known = set() if before is None else {_identity(fault) for fault in _faults(before)}
    found = [fault for fault in _faults(after) if _identity(fault) not in known]
    result = _summed(found, before)
    if after.whole and after.zone:
        result += _brought(before, after)
        if before is not None:
            result += _targets_in_use(before, after)
    return sorted(result, key=_importance)


def standing(state: State) -> list[Objection]:
    """Find what is broken, or most likely a mistake, in a zone as it is."""
    return [*_summed(list(_faults(state)), state), *_brought(None, state)]


def _summed(found: Sequence[Objection], before: State | None) -> list[Objection]:
    """Tell name servers that are missing, and sets that nobody sees, by their numbers."""
    lost = [fault for fault in found if fault.id == "apex-ns-incomplete"]
    result = [fault for fault in found if fault.id not in {"apex-ns-incomplete", "dark"}]
    if lost:
        result.append(_incomplete(len(lost)))
    return result + _darkness(before, [fault for fault in found if fault.id == "dark"])


def _identity(fault: Objection) -> tuple[str, SetKey | None, str]:
    return fault.id, fault.key, fault.record


def _importance(fault: Objection) -> tuple[bool, bool, bool, SetKey]:
    key = fault.key or SetKey("@", "")
    return fault.level != "error", key.type not in DECIDING_TYPES, key.name != "@", key


def _faults(state: State) -> Iterator[Objection]:
    for key, records in state.sets.items():
        if not records.values:
            continue
        words = [text.split() for text in records.values.values()]
        for message in check_set(key.type, key.name, words).errors:
            yield Objection("set-rule", "error", key, message, message)
        yield from _policies(key, records)
        if key.type == "CNAME":
            yield from _alias_faults(state, key, records)
        if cut := _dark_below(state, key):
            yield Objection("dark", "warning", SetKey(cut, "NS"), "/".join(key), "")
    listed = state.sets.get(APEX_NS)
    if listed is not None or state.whole:
        have = {text.lower() for text in listed.values.values()} if listed else set()
        for server in state.assigned:
            if server not in have:
                yield Objection("apex-ns-incomplete", "error", APEX_NS, server, "")


def _policies(key: SetKey, records: Records) -> Iterator[Objection]:
    if key.type != "TXT" or len(records.values) < 2:
        return
    counts = Counter(policy_of(content) for content in records.values)
    for policy, word in TXT_POLICIES.items():
        if counts[policy] > 1:
            words = f"more than one {word} policy at a name is an error to receivers"
            yield Objection(f"{word.lower()}-multiple", "warning", key, "", words)


def _alias_faults(state: State, key: SetKey, records: Records) -> Iterator[Objection]:
    if len(state.names[key.name]) > 1:
        words = "a CNAME stands alone at its name, and other records stand at this one"
        yield Objection("cname-coexistence", "error", key, "", words)
    for text in records.values.values():
        targets = state.targets(key, text)
        if key.name in targets:
            yield Objection("cname-to-itself", "error", key, "", "the target is the name itself")
        elif targets and state.whole and _runs_in_a_circle(state, key.name):
            words = "the chain of CNAMEs never ends"
            yield Objection("cname-loop", "warning", key, "", words)


def _runs_in_a_circle(state: State, name: str) -> bool:
    for _ in range(_CHAIN):
        records = state.sets.get(SetKey(name, "CNAME"))
        if records is None:
            return False
        inside = [
            target
            for text in records.values.values()
            for target in state.targets(SetKey(name, "CNAME"), text)
        ]
        if not inside:
            return False
        name = inside[0]
    return True


def _dark_below(state: State, key: SetKey) -> str | None:
    """Name the delegation that hides a set; glue and the delegation's own sets are seen."""
    cut = state.cut_above(key.name)
    if cut is None or (key.name == cut and key.type in {"NS", "DS"}):
        return None
    if key.type in _ADDRESSES:
        servers = state.sets[SetKey(cut, "NS")]
        for text in servers.values.values():
            if key.name in state.targets(SetKey(cut, "NS"), text):
                return None
    return cut


def _darkness(before: State | None, dark: Sequence[Objection]) -> list[Objection]:
    """Tell a new delegation that hides sets from sets that come below an old one."""
    found = []
    for cut in dict.fromkeys(fault.key for fault in dark):
        assert cut is not None  # noqa: S101 (each fault of this kind has its delegation)
        hidden = [fault.record for fault in dark if fault.key == cut]
        count = len(hidden)
        if before is not None and cut in before.sets:
            sets = "1 set stands" if count == 1 else f"{count} sets stand"
            words = f"{sets} at or below a delegated name, where nobody asks here"
            found.append(Objection("below-delegation", "warning", cut, "", words))
        else:
            sets = counted(count, "set")
            verb = "is" if count == 1 else "are"
            words = f"{sets} at or below this name {verb} no longer seen; its servers answer"
            found.append(Objection("name-goes-dark", "warning", cut, "", words))
    return found


def _brought(before: State | None, after: State) -> Iterator[Objection]:
    """Look at the targets of what the call brings."""
    for key, records in after.sets.items():
        if key.type not in {"MX", "NS"}:
            continue
        old = None if before is None else before.sets.get(key)
        for record, text in records.values.items():
            if old is not None and record in old.values:
                continue
            for target in after.targets(key, text):
                yield from _target_faults(after, key, target)


def _target_faults(state: State, key: SetKey, target: str) -> Iterator[Objection]:
    types = state.types_at(target)
    if "CNAME" in types:
        word = f"{key.type.lower()}-to-cname"
        yield Objection(word, "warning", key, "", "a target in this zone is a CNAME")
    elif not types & set(_ADDRESSES):
        cut = state.cut_above(target)
        if cut is not None and cut != key.name:
            return
        word = "mx-no-address" if key.type == "MX" else "ns-glue-missing"
        words = "a target in this zone has no address of its own"
        yield Objection(word, "warning", key, "", words)


def _targets_in_use(before: State, after: State) -> Iterator[Objection]:
    """Find names that lose their last address while records still point at them."""
    answering = {*_ADDRESSES, "CNAME"}
    lost = {
        name
        for name, types in before.names.items()
        if types & answering and not after.types_at(name) & answering
    }
    if not lost:
        return
    uses: dict[str, Counter[str]] = {}
    for key, records in after.sets.items():
        if key.type in POINTING:
            for text in records.values.values():
                for target in lost.intersection(after.targets(key, text)):
                    uses.setdefault(target, Counter())[key.type] += 1
    for name in sorted(uses):
        counts = ", ".join(f"{uses[name][kind]} {kind}" for kind in POINTING if uses[name][kind])
        words = f"{counts} of this zone would point at a name without an address"
        yield Objection("target-in-use", "warning", SetKey(name, "A"), "", words)


def _incomplete(count: int) -> Objection:
    words = (
        f"{count} of the name servers that Hetzner assigned would be missing; they must stay, "
        "foreign ones may stand beside them. get_zone lists them"
    )
    return Objection("apex-ns-incomplete", "error", APEX_NS, "", words)


def _parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.partition(".")[2]
        yield name
