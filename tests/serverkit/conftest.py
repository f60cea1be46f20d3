from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from mcp_serverkit.runtime.log import SILENT

# The same examples in every run, and no deadline: nothing here is measured.


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Undo what configuring the log of a process does to this one."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    others = {name: logging.getLogger(name).level for name in ("mcp", *SILENT)}
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)
    for name, before in others.items():
        logging.getLogger(name).setLevel(before)
