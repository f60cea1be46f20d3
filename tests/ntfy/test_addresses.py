"""Addresses and file names in a publication."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import publish_refused, published_body


@pytest.mark.requirement("T-ntfy-13")
@pytest.mark.parametrize("filename", ["log.txt", "a b.txt", "ü.txt"])
async def test_a_file_name_alone_is_refused(filename: str, backend: NtfyBackend) -> None:
    words = await publish_refused(backend, {"message": "x", "filename": filename})
    assert words.startswith("filename:")
    assert "attach" in words


@pytest.mark.requirement("T-ntfy-13")
async def test_an_address_is_sent_with_its_scheme_in_lower_case(backend: NtfyBackend) -> None:
    arguments = {"message": "x", "filename": "log.txt", "attach": "HTTPS://cdn.example/X"}
    body = await published_body(backend, arguments)
    assert body["attach"] == "https://cdn.example/X"
    assert body["filename"] == "log.txt"


@pytest.mark.requirement("T-ntfy-13")
@pytest.mark.parametrize("name", ["click", "icon", "attach"])
@pytest.mark.parametrize(
    "value",
    [
        "javascript:1",
        "file:///x",
        "https://",
        "https:///x",
        "//host/x",
        "host/x",
        "ftp://host/x",
        "http://[::1",
        "https://h/ x",
        "https://h/\n",
        " https://h/",
        "",
        "https://h/" + "x" * 2048,
    ],
)
async def test_other_addresses_are_refused(name: str, value: str, backend: NtfyBackend) -> None:
    words = await publish_refused(backend, {"message": "x", name: value})
    assert words.startswith(f"{name}:")
    assert "javascript" not in words


@pytest.mark.parametrize("filename", ["a/b", "a\\b", ".", "..", "", "a\nb", "a\tb", "x" * 256])
async def test_a_file_name_is_a_bare_name(filename: str, backend: NtfyBackend) -> None:
    arguments = {"message": "x", "attach": "https://a.example/f", "filename": filename}
    assert (await publish_refused(backend, arguments)).startswith("filename:")
