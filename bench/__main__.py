"""`make bench`: figures of one interleaved run, and their ratios to a minimal SDK server.

It prints; with `PICTURE=1` it draws the picture of the README as well.
"""

from __future__ import annotations

import os
import statistics
from dataclasses import fields
from pathlib import Path

from bench.growth import GROWTHS, measure
from bench.measure import TOKENS_PER_BYTE, Figures, run
from bench.plot import bars
from bench.recording import row
from bench.subjects import MINIMAL, subjects

PLOT = Path(__file__).with_name("start.svg")

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "7"))

COLUMNS = {
    "initialized": ("initialize ms", 1_000.0),
    "ready": ("all lists ms", 1_000.0),
    "memory": ("memory MiB", 1.0),
    "cpu": ("CPU ms", 1_000.0),
    "first_call": ("first call ms", 1_000.0),
    "call": ("call ms", 1_000.0),
    "exit": ("exit ms", 1_000.0),
}


def main() -> None:
    with subjects() as chosen:
        runs: dict[str, list[Figures]] = {subject.name: [] for subject in chosen}
        for _ in range(ROUNDS):
            for subject in chosen:
                runs[subject.name].append(run(subject))
    medians = {name: _median(figures) for name, figures in runs.items()}
    _print_table(medians)
    _print_listings(medians)
    print(f"\n{row()}")
    _print_growth()
    if os.environ.get("PICTURE"):
        _write_plot(medians)


def _median(runs: list[Figures]) -> Figures:
    return Figures(
        *(statistics.median(getattr(one, field.name) for one in runs) for field in fields(Figures))
    )


def _print_table(medians: dict[str, Figures]) -> None:
    yardstick = medians[MINIMAL.name]
    print(f"medians of {ROUNDS} interleaved runs; in brackets the ratio to the minimal SDK server.")
    print("A call makes one loopback request, but for that of the minimal SDK server.")
    print()
    print(f"{'':<20}" + "".join(f"{title:>20}" for title, _ in COLUMNS.values()))
    for name, figures in medians.items():
        cells = []
        for key, (_, factor) in COLUMNS.items():
            value, unit = getattr(figures, key), getattr(yardstick, key)
            cells.append(f"{value * factor:.1f} ({value / unit:.2f})" if value else "-")
        print(f"{name:<20}" + "".join(f"{cell:>20}" for cell in cells))


def _print_listings(medians: dict[str, Figures]) -> None:
    print("\ntools/list:")
    for name, figures in medians.items():
        if figures.listing:
            tokens = figures.listing * TOKENS_PER_BYTE
            print(f"  {name:<20}{figures.listing:>8.0f} bytes, about {tokens:.0f} tokens")


def _print_growth() -> None:
    print("\ngrowth: seconds, peak memory above the idle server, longest stay of the event loop")
    for growth in GROWTHS:
        half, full = measure(growth, growth.size // 2), measure(growth, growth.size)
        print(
            f"  {growth.name:<34}{full['seconds']:6.2f} s ({full['seconds'] / half['seconds']:.1f} "
            f"times that of half), {full['peak_mib']:6.1f} MiB for {growth.megabytes:g} MB, "
            f"{full['gap_ms']:6.1f} ms"
        )


def _write_plot(medians: dict[str, Figures]) -> None:
    """Draw the ratios of this run beside this file; the README shows the drawing."""
    yardstick = medians[MINIMAL.name]
    rows = {
        name: (figures.ready / yardstick.ready, figures.memory / yardstick.memory)
        for name, figures in medians.items()
    }
    series = ("time until all lists are answered", "memory then")
    title = "Start of a server, as a ratio to a minimal server on the SDK"
    PLOT.write_text(bars(title, series, rows), encoding="utf-8")
    print(f"\nwritten: {PLOT.name}")


if __name__ == "__main__":
    main()
