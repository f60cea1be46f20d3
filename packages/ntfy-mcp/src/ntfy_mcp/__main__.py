"""The `ntfy-mcp` command."""

from mcp_serverkit.runtime.cli import run
from ntfy_mcp.definition import NTFY


def main() -> None:
    """Run the server."""
    run(NTFY)


if __name__ == "__main__":
    main()
