"""Parsers of setting values lie in the approval package, whose own variables need them."""

from mcp_approval.environment.parsers import *  # noqa: F403
from mcp_approval.environment.parsers import Parser as Parser
