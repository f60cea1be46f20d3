"""There is one HTTP client: nobody else loads one, and it blocks the event loop with nothing."""

from __future__ import annotations

import ast
import ssl
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from scripts.definitions import ROOT
from tests.serverkit.service import client, serving

CLIENTS = ("httpx", "urllib.request", "http.client", "requests", "aiohttp")
KIT = ROOT / "shared/mcp-serverkit/src/mcp_serverkit"
SOURCES = [
    path
    for path in sorted([*ROOT.glob("packages/*/src/**/*.py"), *KIT.glob("**/*.py")])
    if not path.is_relative_to(KIT / "http")
]


def _imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from (str(arg.value) for arg in node.args if isinstance(arg, ast.Constant))


def _http_clients(source: str) -> set[str]:
    return {
        client
        for name in _imported(source)
        for client in CLIENTS
        if name == client or name.startswith(f"{client}.")
    }


@pytest.mark.requirement("C-10")
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_other_module_imports_an_http_client(path: Path) -> None:
    assert _http_clients(path.read_text(encoding="utf-8")) == set()


@pytest.mark.requirement("C-10")
@pytest.mark.parametrize(
    "line",
    [
        "import httpx",
        "import httpx._client as c",
        "from urllib import request",
        "from urllib.request import urlopen",
        "import http.client",
        "from http import client",
        "if True:\n    def f():\n        import aiohttp",
        "import importlib\nimportlib.import_module('requests')",
    ],
)
def test_the_search_finds_each_way_to_import_one(line: str) -> None:
    assert _http_clients(line)


class Watch:
    """Notes which files the watched thread opens, for as long as it is on."""

    def __init__(self) -> None:
        self.on = False
        self.opened: list[str] = []
        self.thread = threading.get_ident()
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        # An audit hook stays for good, so it must cost nothing once it is off.
        if self.on and event == "open" and threading.get_ident() == self.thread:
            self.opened.append(str(arguments[0]))


@pytest.fixture(scope="module")
def watch() -> Watch:
    return Watch()


@pytest.mark.requirement("HO-6")
async def test_no_file_is_opened_and_no_tls_context_built_on_the_event_loop(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(served)
    file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    built: list[int] = []
    load = ssl.SSLContext.load_verify_locations

    def note(self: ssl.SSLContext, *arguments: str) -> None:
        built.append(threading.get_ident())
        load(self, *arguments)

    async with (
        serving(tls=served) as service,
        client(f"https://127.0.0.1:{service.port}", ca_file=str(file)) as http,
    ):
        monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", note)
        watch.on = True
        try:
            assert (await http.request("GET", "x")).ok
        finally:
            watch.on = False
    # Python's own modules are loaded when first needed; that is no matter of the client.
    assert [name for name in watch.opened if not name.endswith((".py", ".pyc"))] == []
    assert built
    assert threading.get_ident() not in built
