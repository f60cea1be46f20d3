"""A reader of calendars after RFC 5545, written apart from the writer; it forgives nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_PARAMETER = re.compile(r';([A-Za-z0-9-]+)=("[^"\x00-\x08\x0a-\x1f\x7f]*"|[^";:,\x00-\x1f\x7f]*)')
_NAME = re.compile(r"[A-Za-z0-9-]+")
_TEXTS = frozenset({"SUMMARY", "LOCATION", "DESCRIPTION", "UID", "PRODID", "VERSION", "METHOD"})


@dataclass
class Property:
    """One property: name, parameters, and its value, text with its escapes taken back."""

    name: str
    parameters: dict[str, str]
    value: str


@dataclass
class Component:
    """What stands between BEGIN and END."""

    name: str
    properties: list[Property] = field(default_factory=list)
    components: list[Component] = field(default_factory=list)

    def all(self, name: str) -> list[Property]:
        """Each property of a name."""
        return [one for one in self.properties if one.name == name]

    def __getitem__(self, name: str) -> str:
        [only] = self.all(name)
        return only.value


def read(content: bytes) -> Component:
    """Read one calendar; what the standard does not allow is an error of the test."""
    assert content.endswith(b"\r\n")
    rows = content.removesuffix(b"\r\n").split(b"\r\n")
    for row in rows:
        assert len(row) <= 75, row
        assert b"\r" not in row, row
        assert b"\n" not in row, row
        # A character that is cut in two would not decode here.
        row.decode("utf-8")
    lines: list[str] = []
    for row in rows:
        if row[:1] in {b" ", b"\t"}:
            lines[-1] += row[1:].decode("utf-8")
        else:
            lines.append(row.decode("utf-8"))
    outer = Component("")
    open_ones = [outer]
    for line in lines:
        one = _property(line)
        if one.name == "BEGIN":
            open_ones[-1].components.append(Component(one.value))
            open_ones.append(open_ones[-1].components[-1])
        elif one.name == "END":
            assert open_ones.pop().name == one.value
        else:
            open_ones[-1].properties.append(one)
    assert open_ones == [outer]
    assert outer.properties == []
    [calendar] = outer.components
    return calendar


def _property(line: str) -> Property:
    name = _NAME.match(line)
    assert name is not None, line
    position, parameters = name.end(), {}
    while found := _PARAMETER.match(line, position):
        assert found[1] not in parameters
        parameters[found[1]] = _from_carets(found[2].strip('"'))
        position = found.end()
    assert line[position] == ":", line
    value = line[position + 1 :]
    return Property(name[0], parameters, _unescaped(value) if name[0] in _TEXTS else value)


def _from_carets(value: str) -> str:
    return re.sub(r"\^(.)", lambda found: {"^": "^", "'": '"', "n": "\n"}[found[1]], value)


def _unescaped(value: str) -> str:
    text, rest = "", value
    while rest:
        if rest[0] == "\\":
            assert rest[1] in "\\;,nN", value
            text += "\n" if rest[1] in "nN" else rest[1]
            rest = rest[2:]
        else:
            assert rest[0] not in ";,", value
            text, rest = text + rest[0], rest[1:]
    return text
