"""The `hetzner-dns-mcp` command."""

from hetzner_dns_mcp.definition import HETZNER_DNS
from mcp_serverkit.runtime.cli import run


def main() -> None:
    """Run the server."""
    run(HETZNER_DNS)


if __name__ == "__main__":
    main()
