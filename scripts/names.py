"""The names that each server goes by.

python3 scripts/names.py NAME     print folder, module, distribution and command, in one line
python3 scripts/names.py          print such a line for every server
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.servers import UnknownServerError, chosen


def main(arguments: Sequence[str]) -> int:
    """Print the names."""
    try:
        servers = chosen(arguments[0] if arguments else "")
    except UnknownServerError as error:
        print(error, file=sys.stderr)
        return 2
    for server in servers:
        print(*server[:4])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
