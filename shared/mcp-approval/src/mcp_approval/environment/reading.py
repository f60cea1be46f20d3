"""What was read from the environment, with everything that is to be said about it."""

from __future__ import annotations

from typing import TypeAlias

Values: TypeAlias = dict[str, object]


class Reading:
    """What was read: values, and every problem and warning at once."""

    def __init__(self) -> None:
        self.values: Values = {}
        self.problems: list[str] = []
        self.warnings: list[str] = []

    def problem(self, variable: str, text: str) -> None:
        """File an error that stops the server."""
        self.problems.append(f"{variable}: {text}")

    def warn(self, variable: str, text: str) -> None:
        """File a warning."""
        self.warnings.append(f"{variable}: {text}")
