"""Hetzner's command line against the stand-in: another judge of its honesty.

HCLOUD_CLI names the program. It does what its makers try it with on the real service:
a zone from its creation to its deletion, refusals included.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.backends.hetzner import HetznerBackend
from tests.live import services

CLI = services.HCLOUD.path() or ""

pytestmark = [
    pytest.mark.live("hcloud"),
    pytest.mark.timeout(300),
]

ZONE = "story.example"


class Shell:
    """Runs commands of the program in an empty home."""

    def __init__(self, backend: HetznerBackend, home: Path) -> None:
        self._environ = {
            "HOME": str(home),
            "HCLOUD_ENDPOINT": backend.url,
            "HCLOUD_TOKEN": backend.token,
        }
        self.home = home

    def __call__(self, words: str) -> str:
        """Run a command that must succeed."""
        done = self._run(words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def fails(self, words: str) -> str:
        """Run a command that must fail; returns why."""
        done = self._run(words)
        assert done.returncode != 0, done.stdout
        return done.stderr

    def _run(self, words: str) -> subprocess.CompletedProcess[str]:
        command = [CLI, "zone", *words.split()]
        return subprocess.run(
            command, env=self._environ, capture_output=True, text=True, check=False, timeout=60
        )


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    with HetznerBackend() as backend:
        yield Shell(backend, tmp_path)


def test_the_story_of_a_zone(shell: Shell) -> None:
    missing = "Zone not found: missing.example"
    shell(f"create --name {ZONE}")
    assert ZONE in shell("list")
    assert missing in shell.fails("add-label missing.example foo=bar")
    shell(f"add-label {ZONE} foo=bar")
    shell(f"add-label {ZONE} baz=qux")
    shell(f"remove-label {ZONE} baz")
    assert "unknown protection level" in shell.fails(f"enable-protection {ZONE} nonsense")
    assert missing in shell.fails("enable-protection missing.example delete")
    shell(f"enable-protection {ZONE} delete")
    shell(f"change-ttl {ZONE} --ttl 600")
    shell(f"add-records {ZONE} www A --record 192.168.0.1")
    exported = shell(f"export-zonefile {ZONE}")
    assert f"$ORIGIN\t{ZONE}.\n" in exported
    file = shell.home / "zone"
    file.write_text(exported + "\nfoobar\tIN\tA\t192.168.0.2\n", encoding="utf-8")
    assert "imported" in shell(f"import-zonefile {ZONE} --zonefile {file}")
    a_set_of_it(shell)
    described = shell(f"describe {ZONE}")
    assert "TTL:" in described
    assert "foo: bar" in re.sub(r" +", " ", described)
    assert "delete protected" in shell.fails(f"delete {ZONE}")
    assert missing in shell.fails("disable-protection missing.example delete")
    shell(f"disable-protection {ZONE} delete")
    shell(f"delete {ZONE}")
    assert ZONE not in shell("list")


def a_set_of_it(shell: Shell) -> None:
    rrset = f"{ZONE} foobar A"
    shell(f"rrset change-ttl {rrset} --ttl 1337")
    shell(f"rrset enable-protection {rrset} change")
    described = re.sub(r" +", " ", shell(f"rrset describe {rrset}"))
    assert "TTL: 1337" in described
    assert "Change: yes" in described
    assert "- Value: 192.168.0.2" in described
    shell(f"rrset add-label {rrset} foo=bar")
    shell(f"rrset add-label {rrset} baz=qux")
    shell(f"rrset remove-label {rrset} baz")
    listed = shell(f"rrset list {ZONE} -o=columns=name,type,ttl,protection,records --sort=name:asc")
    assert re.search(r"foobar\s+A\s+1337\s+change\s+192\.168\.0\.2", listed)
    refused = shell.fails(f"rrset delete {rrset}")
    assert re.search(r"RRSet\(s\) is/are change protected \(protected, [0-9a-f]+\)", refused)
    shell(f"rrset disable-protection {rrset} change")
    shell(f"rrset delete {rrset}")
    shell(f"rrset create {ZONE} --name foo --type A --record 10.0.123.0")
    shell(f"set-records {ZONE} foo A --record 10.0.123.1")
    shell(f"remove-records {ZONE} foo A --record 10.0.123.1")
    assert "not found" in shell.fails(f"rrset describe {ZONE} foo A")
