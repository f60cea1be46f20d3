"""The `woodpecker-ci-mcp` command."""

from mcp_serverkit.runtime.cli import run
from woodpecker_ci_mcp.definition import WOODPECKER


def main() -> None:
    """Run the server."""
    run(WOODPECKER)


if __name__ == "__main__":
    main()
