"""`make bench BASE=DIR`: this tree against another checkout, in one interleaved run.

Ready, memory and exit must stay within 3 %, or 1.5 ms, whichever is more.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
from dataclasses import fields
from pathlib import Path

from bench.measure import Figures, run
from bench.subjects import subjects

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "45"))
CALLS = 6
RATIO = 1.03
SLACK_SECONDS = 0.0015
BOUND = ("initialized", "ready", "memory", "exit")
"""What a start costs, and an end; the other figures are printed for a reader."""


def main(base: Path) -> int:
    """Print medians of both trees, and say which are above the bound."""
    trees = {"base": str(base / ".venv" / "bin" / "python"), "this": sys.executable}
    runs: dict[tuple[str, str], list[Figures]] = {}
    with subjects() as chosen:
        servers = [subject for subject in chosen if subject.name.endswith("-mcp")]
        for _ in range(ROUNDS):
            for subject in servers:
                for tree in random.sample(list(trees), len(trees)):
                    measured = run(subject, interpreter=trees[tree], calls=CALLS)
                    runs.setdefault((subject.name, tree), []).append(measured)
    print(f"medians of {ROUNDS} interleaved runs")
    print(f"{'':<20}{'':<14}{'base':>12}{'this':>12}{'ratio':>9}")
    above = 0
    for subject in servers:
        for field in fields(Figures):
            old, new = (_median(runs[subject.name, tree], field.name) for tree in trees)
            slack = 0.0 if field.name in {"memory", "listing"} else SLACK_SECONDS
            over = field.name in BOUND and new > max(old * RATIO, old + slack)
            above += over
            unit = 1.0 if field.name in {"memory", "listing"} else 1_000.0
            mark = "  above the bound" if over else ""
            print(
                f"{subject.name:<20}{field.name:<14}{old * unit:>12.2f}{new * unit:>12.2f}"
                f"{new / old if old else 0:>9.3f}{mark}"
            )
    return 1 if above else 0


def _median(measured: list[Figures], name: str) -> float:
    figures: list[float] = [getattr(one, name) for one in measured]
    return statistics.median(figures)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
