"""Fitting results into their budget: whole entries go, never half of an encoding."""

from __future__ import annotations

from typing import TypeVar, cast

from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.tools.results import LIST_BYTES, fit, size
from woodpecker_ci_mcp.api.limits import PAGE

OBJECT_BYTES = 100_000
"""Ceiling of one result's text block."""

TEXT_CHARS = 200
"""A longer text may be cut when an object does not fit."""

_CUT = "…(cut)"
# Each round cuts twice as many texts as the one before, or halves a list: plenty for any document.
_ROUNDS = 60

ResultT = TypeVar("ResultT")


def fit_list(result: ResultT, key: str) -> ResultT:
    """Drop the last entries of a list until the result fits, and say so under `truncated`."""
    document = cast("dict[str, object]", result)
    total = len(cast("list[object]", document[key]))
    fit(result, key, drop="last", limit=LIST_BYTES)
    if document.pop("dropped", None):
        shown = len(cast("list[object]", document[key]))
        note = "ask for a smaller page, or filter"
        document["truncated"] = {"shown": shown, "total": total, "note": note}
    return result


def paged(result: ResultT, received: int, page: int | None, per_page: int | None) -> ResultT:
    """Say that more may follow, when the page came back full; the next may be empty.

    Args:
        result: The result.
        received: Entries that Woodpecker sent.
        page: The page that was asked for.
        per_page: Entries that were asked for.
    """
    document = cast("dict[str, object]", result)
    if received >= min(per_page or PAGE, PAGE):
        document["more"] = True
        document["next_page"] = (page or 1) + 1
    return result


def without_effect(result: ResultT, **arguments: bool) -> ResultT:
    """Name the arguments of a call that could have no effect in it.

    Args:
        result: The result.
        arguments: For each argument, whether it was given and has no effect here.
    """
    if names := [name.rstrip("_") for name, given in arguments.items() if given]:
        cast("dict[str, object]", result)["ignored"] = names
    return result


def fit_object(result: ResultT) -> ResultT:
    """Shorten the longest texts of an object, then its longest lists, until it fits.

    Raises:
        ToolFailure: It cannot be made to fit.
    """
    document = cast("dict[str, object]", result)
    limit = OBJECT_BYTES - 2_000
    if size(document) <= limit:
        return result
    texts = _long_texts(document)
    batch, rounds = 1, 0
    while texts and rounds < _ROUNDS and size(document) > limit:
        for place, key in texts[:batch]:
            place[key] = f"{str(place[key])[:TEXT_CHARS]}{_CUT}"  # type: ignore[index]
        texts = texts[batch:]
        batch, rounds = batch * 2, rounds + 1
    total = shown = 0
    while rounds < _ROUNDS and size(document) > limit and (longest := _longest_list(document)):
        total += len(longest)
        del longest[len(longest) // 2 :]
        shown += len(longest)
        rounds += 1
    if size(document) > limit:
        raise ToolFailure(f"The result is larger than {OBJECT_BYTES} bytes and cannot be cut.")
    note = "long texts were cut" + (", and the longest lists halved" if total else "")
    document["truncated"] = {"note": note}
    if total:
        document["truncated"] = {"entries_left_out": total - shown, "note": note}
    return result


_Place = dict[str, object] | list[object]


def _long_texts(value: object) -> list[tuple[_Place, str | int]]:
    """Find the texts that may be cut, the longest first."""
    found: list[tuple[int, _Place, str | int]] = []
    waiting: list[object] = [value]
    while waiting:
        place = waiting.pop()
        items: list[tuple[str | int, object]] = []
        if isinstance(place, dict):
            items = list(place.items())
        elif isinstance(place, list):
            items = list(enumerate(place))
        for key, item in items:
            if isinstance(item, str) and len(item) > TEXT_CHARS + len(_CUT):
                found.append((len(item), cast("_Place", place), key))
            elif isinstance(item, dict | list):
                waiting.append(item)
    found.sort(key=lambda entry: -entry[0])
    return [(place, key) for _, place, key in found]


def _longest_list(value: object) -> list[object] | None:
    """Find the list with the most bytes among those that can be halved."""
    best: list[object] | None = None
    best_size = 0
    waiting: list[object] = [value]
    while waiting:
        place = waiting.pop()
        if isinstance(place, list) and place and (weight := size(place)) > best_size:
            best, best_size = place, weight
        inside = place.values() if isinstance(place, dict) else cast("list[object]", place)
        waiting += [item for item in inside if isinstance(item, dict | list)]
    return best
