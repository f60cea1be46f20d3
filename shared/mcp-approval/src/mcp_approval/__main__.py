"""`python -m mcp_approval` is the command `mcp-approval`."""

import sys

from mcp_approval.command import main

sys.exit(main())
