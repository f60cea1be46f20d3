"""Zone files: read, compared, refused, and judged by BIND as a second opinion."""

from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from hetzner_dns_mcp.argument_types import refuse_zonefile
from hetzner_dns_mcp.records.identity import value_key
from hetzner_dns_mcp.zonefile.content import SetKey, UnreadableZoneError
from hetzner_dns_mcp.zonefile.difference import compare
from hetzner_dns_mcp.zonefile.parser import parse_zonefile
from hetzner_dns_mcp.zonefile.reading import read_zonefile
from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.hetzner_dns.support import GOOD_FILE, VALID, outcome, record
from tests.support.clients import structured

HEAD = "$ORIGIN example.com.\n$TTL 3600\n@ IN SOA ns.example.net. h.example.net. 1 2 3 4 5\n"
NS = "@ IN NS ns1.example.net.\n"

JUDGE = shutil.which("named-checkzone")
needs_bind = pytest.mark.live("bind")


def judged_good(text: str, directory: Path) -> bool:
    assert JUDGE is not None
    file = directory / "zone"
    file.write_text(text, encoding="utf-8")
    command = [JUDGE, "-i", "none", "-k", "warn", "example.com", str(file)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def read_good(text: str) -> bool:
    try:
        content = parse_zonefile(text, "example.com")
    except UnreadableZoneError:
        return False
    keys = {key.type for key in content.sets if key.name == "@"}
    crowded = {key.name for key in content.sets if key.type == "CNAME"} & {
        key.name for key in content.sets if key.type != "CNAME"
    }
    errors = [fault for fault in content.objections if fault.level == "error"]
    return not errors and not crowded and keys >= {"SOA", "NS"}


SAMPLES: dict[str, tuple[str, bool]] = {
    "plain": (HEAD + NS + "www IN A 198.51.100.1\n", True),
    "no soa": ("$TTL 60\n" + NS, False),
    "no ns": (HEAD + "www IN A 198.51.100.1\n", False),
    "cname beside others": (HEAD + NS + "a IN A 1.1.1.1\na IN CNAME b\n", False),
    "class chaos": (HEAD + NS + "a CH A 1.1.1.1\n", False),
    "unknown type": (HEAD + NS + "a IN NONSENSE x\n", False),
    "long string": (HEAD + NS + f'a IN TXT "{"x" * 256}"\n', False),
    "bad address": (HEAD + NS + "a IN A 1.1.1.256\n", False),
    "every type": (
        HEAD + NS + "".join(f"n-{t.lower()} IN {t} {v}\n" for t, v in VALID.items()),
        True,
    ),
    "brackets and comments": (HEAD + NS + 'a IN TXT ( "one" ; x\n "two" )\n', True),
    "windows line ends": ((HEAD + NS).replace("\n", "\r\n"), True),
    "no last line end": (HEAD + NS + "a IN A 1.1.1.1", True),
    "wildcard": (HEAD + NS + "*.dev IN A 1.1.1.1\n", True),
}


@needs_bind
@pytest.mark.parametrize("name", SAMPLES)
def test_bind_and_we_agree_on_what_a_good_zone_file_is(name: str, tmp_path: Path) -> None:
    text, good = SAMPLES[name]
    assert judged_good(text, tmp_path) is good
    assert read_good(text) is good


@needs_bind
async def test_bind_reads_what_an_export_shows_after_writes_through_the_server(
    tmp_path: Path, backend: HetznerBackend, make_server: MakeServer
) -> None:
    for record_type, value in VALID.items():
        if record_type != "CNAME":
            arguments = record(record_type, f"t-{record_type.lower()}", value)
            structured(await outcome(make_server(), "create_rrset", arguments))
    long_text = record("TXT", "long", 'v=DKIM1; "p\\' + "ä" * 300)
    structured(await outcome(make_server(), "create_rrset", long_text))
    shown = structured(await outcome(make_server(), "export_zonefile", {"zone": "example.com"}))
    assert judged_good(str(shown["zonefile"]), tmp_path)
    assert str(shown["zonefile"]) == backend.zonefile("example.com")


@pytest.mark.requirement("R-14")
@needs_bind
def test_bind_reads_the_odd_syntax_that_we_read(odd_zone: str, tmp_path: Path) -> None:
    assert judged_good(odd_zone, tmp_path)
    assert parse_zonefile(odd_zone, "example.com").records == 19


@pytest.mark.requirement("T-hetzner-23")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (" \n\t\ufeff\n", "empty"),
        ("$INCLUDE /etc/passwd\n", r"\$INCLUDE"),
        ("  $generate 1-9 a$ A 1.1.1.1\n", r"\$GENERATE"),
        ("\ufeff$INCLUDE x\n", r"\$INCLUDE"),
        ("a A 1.1.1.1\r$INCLUDE x\n", r"\$INCLUDE"),
        ("a\x00b", "control"),
        ("a\x1b[2Jb", "control"),
    ],
)
def test_what_no_zone_file_may_hold_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        refuse_zonefile(text)


@pytest.mark.parametrize("text", [GOOD_FILE, "\ufeff" + GOOD_FILE, "; $INCLUDE x\na A 1.1.1.1\n"])
def test_anything_else_is_left_to_the_api(text: str) -> None:
    refuse_zonefile(text)


def test_a_difference_counts_sets_and_looks_past_serial_and_order() -> None:
    present = parse_zonefile(
        HEAD + NS + "a A 1.1.1.1\na A 2.2.2.2\nb A 1.1.1.1\nc TXT x\nd MX 1 a\n", "example.com"
    )
    coming = parse_zonefile(
        HEAD.replace(" 1 2 3", " 99 2 3")
        + NS
        + "a A 2.2.2.2\na A 1.1.1.1\nb 60 A 1.1.1.1\ne A 1.1.1.1",
        "example.com",
    )
    found = compare(present, coming)
    assert (found.same, found.count("changed"), found.count("new")) == (3, 1, 1)
    assert [c.key for c in found.changes if c.fate == "removed"] == [("c", "TXT"), ("d", "MX")]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("a SSHFP 1 1 " + "ab" * 20, "type: SSHFP at a: Hetzner has no records of this type"),
        ("a 60 A 1.1.1.1\na 90 A 2.2.2.2\n", "ttl-mismatch: A at a:"),
        ("a.example.net. A 1.1.1.1\n", "outside: line 5: a name outside the zone"),
        ("a CH A 1.1.1.1\n", "class: line 5: a class other than IN"),
        ("a 59 A 1.1.1.1\n", "ttl: A at a: TTL 59; the API takes 60 to 2147483647"),
        ("$ORIGIN other.example.\n", "origin: $ORIGIN lies outside the zone example.com"),
        ("$ORIGIN sub\n", "origin: $ORIGIN ends without a dot"),
        ("$ORIGIN sub.example.com.\n", "origin-below: an $ORIGIN below the zone"),
        ("www.example.com A 1.1.1.1\n", "doubled-owner: A at www.example.com: the name ends"),
        ("@ MX 10 mail.example.com\n", "doubled-target: MX at @: a target ends without a dot"),
        ("@ MX 10 mail.example.net\n", "relative-target: MX at @: a target has no final dot"),
        ("a TXT v=DMARC1; p=none\n", "txt-comment-lost: TXT at a:"),
        ("@ MX 10 198.51.100.1\n", "invalid-value: MX at @:"),
        ("b\u00fccher A 1.1.1.1\n", "owner-not-ascii: A at xn--bcher-kva:"),
        ("@ SOA a. b. 1 2 3 4 5\n", "soa: more than one SOA"),
    ],
)
def test_what_others_drop_without_a_word_is_told(lines: str, words: str) -> None:
    said = [fault.placed for fault in parse_zonefile(HEAD + NS + lines, "example.com").objections]
    assert any(text.startswith(words) for text in said), said


def test_a_file_without_a_default_ttl_has_the_zones() -> None:
    content = parse_zonefile("www IN A 1.1.1.1\nftp 600 A 1.1.1.1\n", "example.com", zone_ttl=600)
    assert content.sets[SetKey("www", "A")].ttl is None
    assert content.sets[SetKey("ftp", "A")].ttl is None
    assert content.ttl is None


def test_an_error_names_its_line() -> None:
    with pytest.raises(UnreadableZoneError) as failed:
        parse_zonefile(HEAD + 'a TXT ( "x"\n "y" )\n\nb A nonsense\n', "example.com")
    assert failed.value.line == 7


def test_a_reading_that_nobody_waits_for_ends() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(UnreadableZoneError, match="nobody waits"):
        parse_zonefile(GOOD_FILE, "example.com", stop)


async def test_reading_in_a_thread_gives_the_same() -> None:
    assert await read_zonefile(GOOD_FILE, "example.com") == parse_zonefile(GOOD_FILE, "example.com")


def dumped(text: str, directory: Path) -> set[tuple[str, str, str, int]]:
    """What BIND reads in a zone file: name, type, record and TTL of each."""
    assert JUDGE is not None
    file = directory / "zone"
    file.write_text(text, encoding="utf-8")
    command = [JUDGE, "-D", "-q", "-i", "none", "-k", "warn", "-o", "-", "example.com", str(file)]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    found = set()
    for line in done.stdout.splitlines():
        name, ttl, _, kind, value = line.split(None, 4)
        relative = "@" if name == "example.com." else name.removesuffix(".example.com.").lower()
        found.add((relative, kind, value_key(value, kind, "example.com"), int(ttl)))
    return found


def read(text: str) -> set[tuple[str, str, str, int]]:
    """What this server reads in it."""
    content = parse_zonefile(text, "example.com", zone_ttl=3600)
    default = 3600 if content.ttl is None else content.ttl
    return {
        (key.name, key.type, same, default if records.ttl is None else records.ttl)
        for key, records in content.sets.items()
        for same in records.values
    }


@needs_bind
@pytest.mark.parametrize("name", [name for name, (_, good) in SAMPLES.items() if good])
def test_bind_and_we_read_the_same_records_and_ttls(name: str, tmp_path: Path) -> None:
    text, _ = SAMPLES[name]
    assert read(text) == dumped(text, tmp_path)


@pytest.mark.requirement("R-14")
@needs_bind
def test_bind_and_we_read_the_odd_syntax_alike(odd_zone: str, tmp_path: Path) -> None:
    assert read(odd_zone) == dumped(odd_zone, tmp_path)


@needs_bind
def test_bind_and_we_read_an_export_alike(backend: HetznerBackend, tmp_path: Path) -> None:
    backend.add_rrset("example.com", "own", "A", ["192.0.2.9"], ttl=60)
    for kind, value in VALID.items():
        backend.add_rrset("example.com", f"t-{kind.lower()}", kind, [value])
    exported = backend.zonefile("example.com")
    assert read(exported) == dumped(exported, tmp_path)
