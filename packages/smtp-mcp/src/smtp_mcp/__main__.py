"""The `smtp-mcp` command."""

from mcp_serverkit.runtime.cli import run
from smtp_mcp.definition import SMTP


def main() -> None:
    """Run the server."""
    run(SMTP)


if __name__ == "__main__":
    main()
