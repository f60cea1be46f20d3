from __future__ import annotations

from tests.smtp.conftest import backend, desk

__all__ = ["backend", "desk"]
