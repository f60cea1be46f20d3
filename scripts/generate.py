"""Write everything that is generated: catalogues, README tables, manifests and pictures.

python -m scripts.generate
"""

from __future__ import annotations

import sys

from demo import picture
from mcp_serverkit.runtime import catalogue_writer
from scripts import icons, manifests, owned, tables
from scripts.servers import SERVERS


def main() -> int:
    """Write it, catalogues first: the rest is read from what they hold."""
    code = catalogue_writer.main([server.definition for server in SERVERS])
    tables.main()
    owned.main()
    manifests.main()
    icons.main()
    picture.main()
    return code


if __name__ == "__main__":
    sys.exit(main())
