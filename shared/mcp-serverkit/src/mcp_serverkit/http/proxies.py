"""The proxy of a request, or an answer that says which variable holds none."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_approval.environment import proxies
from mcp_serverkit.errors import NotConfigured


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """Return the proxy that a URL goes through, if any.

    Raises:
        NotConfigured: The variable that applies holds no usable proxy.
    """
    try:
        return proxies.proxy_for(url, environ)
    except proxies.UnusableProxyError as error:
        raise NotConfigured(str(error)) from None
