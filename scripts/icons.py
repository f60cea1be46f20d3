"""The icons of the servers' bundles: one plain shape on one colour each, drawn here.

python -m scripts.icons     write them
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from scripts.definitions import DEFINITIONS, package_of
from scripts.manifests import ICON

Point = tuple[float, float]
Ring = Sequence[Point]

SIDE = 512
"""Width and height in pixels, which is what hosts of bundles ask for."""

ROWS = 4
"""Lines through each row of pixels, for smooth edges; across it, coverage is exact."""

SHADES = 16
"""Steps from the ground to the shape. The palette of all of them keeps a file at a few KB."""


class Drawing(NamedTuple):
    """What one icon shows.

    Attributes:
        ground: Its colour, as red, green and blue.
        rings: The shape in white; a ring inside another is a hole. The side is 16 units.
    """

    ground: tuple[int, int, int]
    rings: Sequence[Ring]


def arc(x: float, y: float, radius: float, start: float, end: float) -> list[Point]:
    """Points along a circle, between two angles in turns, clockwise from the right."""
    steps = 48
    angles = (2 * math.pi * (start + (end - start) * step / steps) for step in range(steps + 1))
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]


DRAWINGS: Mapping[str, Drawing] = {
    # A bell: dome, rim and clapper.
    "ntfy-mcp": Drawing(
        (31, 111, 139),
        [
            [*arc(8, 7, 3.5, 0.5, 1), (11.5, 9.5), (13, 11.5), (3, 11.5), (4.5, 9.5)],
            arc(8, 12.2, 1.3, 0, 0.5),
        ],
    ),
    # An envelope, the flap being a gap of one width.
    "smtp-mcp": Drawing(
        (178, 74, 60),
        [
            [(3, 4.2), (13, 4.2), (8, 8.4)],
            [(2.5, 4.9), (8, 9.5), (13.5, 4.9), (13.5, 11.8), (2.5, 11.8)],
        ],
    ),
    # A signpost: names lead to addresses.
    "hetzner-dns-mcp": Drawing(
        (70, 92, 160),
        [
            [(3, 3.5), (11, 3.5), (13.5, 5.75), (11, 8), (3, 8)],
            [(7.2, 8), (8.8, 8), (8.8, 13), (7.2, 13)],
        ],
    ),
    # A tick in a ring: a build that passed.
    "woodpecker-ci-mcp": Drawing(
        (64, 121, 78),
        [
            arc(8, 8, 5.5, 0, 1),
            arc(8, 8, 4.4, 0, 1),
            [(5.2, 8.1), (6.1, 7.2), (7.4, 8.5), (10, 5.9), (10.9, 6.8), (7.4, 10.3)],
        ],
    ),
}


def crossings(ring: Ring, y: float) -> list[float]:
    """Where a ring crosses a height."""
    closed = pairwise([*ring, ring[0]])
    return [
        x1 + (y - y1) / (y2 - y1) * (x2 - x1)
        for (x1, y1), (x2, y2) in closed
        if (y1 <= y) is not (y2 <= y)
    ]


def covered(rings: Iterable[Ring], row: int) -> list[float]:
    """How much of each pixel of a row the shape covers, from 0 to 1."""
    scale = SIDE / 16
    scaled = list(rings)
    cover = [0.0] * SIDE
    for line in range(ROWS):
        y = (row + (line + 0.5) / ROWS) / scale
        ends = sorted(x * scale for ring in scaled for x in crossings(ring, y))
        for left, right in zip(ends[::2], ends[1::2], strict=True):
            for x in range(int(left), min(int(right) + 1, SIDE)):
                cover[x] += (min(right, x + 1) - max(left, x)) / ROWS
    return cover


def shades(drawing: Drawing) -> list[bytes]:
    """The rows of an icon, as numbers of its palette."""
    return [
        bytes(round(share * SHADES) for share in covered(drawing.rings, row)) for row in range(SIDE)
    ]


def palette(drawing: Drawing) -> bytes:
    """The colours from the ground to white."""
    steps = range(SHADES + 1)
    return bytes(
        round(part + (255 - part) * step / SHADES) for step in steps for part in drawing.ground
    )


def png(drawing: Drawing) -> bytes:
    """An icon as a file: 8 bits a pixel by palette, no filter."""
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 3, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in shades(drawing)), 9)
    parts = (b"IHDR", header), (b"PLTE", palette(drawing)), (b"IDAT", data), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, body) for kind, body in parts)


def chunk(kind: bytes, body: bytes) -> bytes:
    """One part of a PNG file."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def decoded(file: bytes) -> tuple[bytes, list[bytes]]:
    """The palette and the rows of a file that was written here.

    Two zlibs may compress the same picture differently, so pictures are compared and not files.
    """
    bodies: dict[bytes, bytes] = {}
    at = 8
    while at < len(file):
        (length,) = struct.unpack(">I", file[at : at + 4])
        bodies[file[at + 4 : at + 8]] = file[at + 8 : at + 8 + length]
        at += 12 + length
    rows = zlib.decompress(bodies[b"IDAT"])
    return bodies[b"PLTE"], [rows[at + 1 : at + 1 + SIDE] for at in range(0, len(rows), SIDE + 1)]


def main() -> None:
    """Write the icons that show something else than they should."""
    for definition in DEFINITIONS:
        path = package_of(definition) / ICON
        drawing = DRAWINGS[definition.name]
        wanted = palette(drawing), shades(drawing)
        if not path.exists() or decoded(path.read_bytes()) != wanted:
            path.write_bytes(png(drawing))
            print(path)


if __name__ == "__main__":
    main()
