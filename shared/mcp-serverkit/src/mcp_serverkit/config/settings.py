"""The table of settings lies in the approval package, whose own variables stand in it."""

from mcp_approval.environment.reading import Reading, Values
from mcp_approval.environment.settings import (
    CrossCheck,
    common_variables,
    extras_variable,
    read_settings,
)
from mcp_approval.environment.variable import Variable

__all__ = [
    "CrossCheck",
    "Reading",
    "Values",
    "Variable",
    "common_variables",
    "extras_variable",
    "read_settings",
]
