"""Label selectors."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TERM = re.compile(
    r"(?P<set>[^\s!=,]+) (?P<op>in|notin) \((?P<values>[^)]*)\)"
    r"|(?P<key>[^\s!=,]+)(?P<cmp>==|=|!=)(?P<value>[^,]*)"
    r"|(?P<absent>!?)(?P<bare>[^\s!=,]+)"
)


def matches(selector: str, labels: Mapping[str, str]) -> bool:
    """Tell whether labels fit every term of a selector."""
    return all(_fits(found, labels) for found in _TERM.finditer(selector))


def _fits(term: re.Match[str], labels: Mapping[str, str]) -> bool:
    if term["set"]:
        inside = labels.get(term["set"]) in [v.strip() for v in term["values"].split(",")]
        return inside is (term["op"] == "in")
    if term["key"]:
        return (labels.get(term["key"]) == term["value"]) is (term["cmp"] != "!=")
    return (term["bare"] in labels) is (term["absent"] == "")
