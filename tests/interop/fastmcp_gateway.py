"""FastMCP's proxy over stdio, in front of the server that the command line names.

The first argument says how the proxy holds that server: `shared` by all calls, started
for each `call`, or bound to the front `connection`. It runs in the environment of the
clients, not in ours, and imports nothing of ours.
"""

from __future__ import annotations

import os
import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
from fastmcp.server.providers.proxy import FastMCPProxy, StatefulProxyClient

if __name__ == "__main__":
    held, command, *arguments = sys.argv[1:]
    server = StdioTransport(
        command=command, args=arguments, env=dict(os.environ), keep_alive=held != "call"
    )
    if held == "connection":
        client: StatefulProxyClient[StdioTransport] = StatefulProxyClient(server)
        gateway = FastMCPProxy(client_factory=client.new_stateful, name="gateway")
    else:
        gateway = create_proxy(server, name="gateway")
    gateway.run("stdio", show_banner=False)
