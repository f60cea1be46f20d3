"""`make demo`: a real client, a real process, an embedded backend."""

from __future__ import annotations

import asyncio
import importlib
import sys

DEMOS = ("ntfy", "smtp", "hetzner", "woodpecker")


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else "ntfy"
    if name not in DEMOS:
        print(f"SERVER={name} has no demo; there is one for {', '.join(DEMOS)}")
        return 2
    asyncio.run(importlib.import_module(f"tests.demo.{name}").demo())
    return 0


if __name__ == "__main__":
    sys.exit(main())
