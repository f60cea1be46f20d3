"""Record values: what is provably wrong is refused, what is unusual is told."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetzner_dns_mcp.argument_types import Record
from hetzner_dns_mcp.records.normalize import Prepared, prepare, same_record
from mcp_serverkit.errors import BadArgument
from tests.hetzner_dns.support import SHA256, VALID

SOA = "hydrogen.ns.hetzner.com. dns.hetzner.com. 0 86400 10800 3600000 3600"


def check(
    record_type: str,
    *values: str,
    name: str = "sub",
    mode: str = "strict",
    zone: str | None = "example.com",
    ttl: int | None = None,
) -> Prepared:
    records: list[Record] = [{"value": value} for value in values]
    return prepare(records, name=name, record_type=record_type, zone=zone, mode=mode, ttl=ttl)


@pytest.mark.parametrize("record_type", VALID)
def test_a_good_value_goes_on_unchanged(record_type: str) -> None:
    prepared = check(record_type, VALID[record_type], name="_443._tcp")
    assert prepared.values == [VALID[record_type]]
    assert prepared.given == {}


def test_a_good_soa_goes_on_at_the_apex_only() -> None:
    assert check("SOA", SOA, name="@").values == [SOA]
    with pytest.raises(BadArgument, match="exactly one SOA"):
        check("SOA", SOA)


@pytest.mark.requirement("T-hetzner-32", "T-hetzner-33")
@pytest.mark.parametrize(
    ("record_type", "values"),
    [
        ("A", ["198.51.100.1 ; note"]),
        ("A", ["\\# 4 c6336401"]),
        ("A", ["198.51.100.256"]),
        ("A", ["198.51.100.01"]),
        ("A", ['"198.51.100.1"']),
        ("A", ["(198.51.100.1)"]),
        ("A", [""]),
        ("AAAA", ["fe80::1%eth0"]),
        ("AAAA", ["198.51.100.1"]),
        ("CNAME", ["a..b."]),
        ("CNAME", ["198.51.100.1"]),
        ("CNAME", ["http://www.example.net/"]),
        ("CNAME", ["two words."]),
        ("CNAME", ["a.example.net.", "b.example.net."]),
        ("NS", ["2001:db8::1"]),
        ("PTR", ["host:80"]),
        ("MX", ["10 198.51.100.1"]),
        ("MX", ["mail.example.net."]),
        ("MX", ["-1 mail.example.net."]),
        ("MX", ["10 mail.example.com"]),
        ("MX", ["0 .", "10 mail.example.net."]),
        ("SRV", ["10 60 99999 sip.example.net."]),
        ("SRV", ["10 60 sip.example.net."]),
        ("SRV", ["10 60 5060 198.51.100.1"]),
        ("TLSA", ["3 1 1 " + "ab" * 31]),
        ("TLSA", ["4 1 1 " + SHA256]),
        ("TLSA", ["3 2 1 " + SHA256]),
        ("DS", ["12345 13 2 abcd"]),
        ("HTTPS", ["0 x. alpn=h2"]),
        ("HTTPS", ["1 . nonsense=1"]),
        ("SVCB", ["0 a.example.net.", "1 b.example.net."]),
        ("CAA", ['0 iss-ue "x"']),
        ("CAA", ['256 issue "x"']),
        ("CAA", ["0 issue"]),
        ("HINFO", ["one"]),
        ("RP", ["one.example.net."]),
        ("TXT", ['"a" b']),
        ("TXT", ["x" * 65_500]),
    ],
)
def test_a_value_that_cannot_be_right_is_refused_with_its_type(
    record_type: str, values: list[str]
) -> None:
    with pytest.raises(BadArgument, match=rf"^records(\[0\]\.value)?: {record_type}: "):
        check(record_type, *values)


@pytest.mark.requirement("T-hetzner-32")
def test_a_target_in_the_zone_without_its_dot_is_refused_with_what_it_would_become() -> None:
    with pytest.raises(BadArgument, match=r"mail\.example\.com\.example\.com\."):
        check("MX", "10 mail.example.com")


@pytest.mark.requirement("R-86", "H-6")
@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("CNAME", "target.example.net", '"target.example.net.example.com." for a name in this'),
        ("MX", "10 mail.example.net", '"mail.example.net." for the host of that name'),
        ("CNAME", "target.example.net..", "no value of this type"),
    ],
)
def test_a_target_without_its_dot_is_refused_with_both_ways_to_write_it(
    kind: str, value: str, words: str
) -> None:
    with pytest.raises(BadArgument, match=re.escape(words)):
        check(kind, value)


def test_a_target_of_one_label_is_read_as_a_name_of_the_zone() -> None:
    assert check("CNAME", "www").read_as == {0: "www.example.com."}
    assert check("CNAME", "www").warnings == []
    with pytest.raises(BadArgument, match=re.escape('"a.b.ZONE."')):
        check("CNAME", "a.b", zone=None)


def test_a_ds_of_the_zone_itself_belongs_to_its_parent() -> None:
    with pytest.raises(BadArgument, match="parent"):
        check("DS", VALID["DS"], name="@")


@pytest.mark.parametrize(
    ("record_type", "values"),
    [
        ("A", ["198.51.100.1", " 198.51.100.1 "]),
        ("AAAA", ["2001:db8::1", "2001:DB8:0::1"]),
        ("MX", ["10 mail.example.net.", "010 MAIL.example.net."]),
        ("TXT", ["abc", '"abc"']),
    ],
)
def test_the_same_record_in_another_spelling_is_a_duplicate(
    record_type: str, values: list[str]
) -> None:
    with pytest.raises(BadArgument, match=r"records\[1\] is the same as records\[0\]"):
        check(record_type, *values)
    assert same_record(record_type)(values[0].strip(), values[1].strip()) or record_type == "TXT"


def test_case_is_content_in_text() -> None:
    assert check("TXT", "abc", "ABC").values == ['"abc"', '"ABC"']
    assert not same_record("TXT")('"abc"', '"ABC"')
    assert same_record("A")("x", "x")


@pytest.mark.parametrize("mode", ["strict", "warn", "off"])
@pytest.mark.parametrize("value", ["10 mail.\n20 evil.", "10 mail.\t", "10 \x85"])
def test_a_line_break_is_refused_in_every_mode(mode: str, value: str) -> None:
    with pytest.raises(BadArgument, match="one line"):
        check("MX", value, mode=mode)


def test_a_comment_is_one_line_too() -> None:
    with pytest.raises(BadArgument, match=r"records\[0\]\.comment"):
        prepare(
            [{"value": "198.51.100.1", "comment": "a\nb"}],
            name="x",
            record_type="A",
            zone=None,
        )


def test_in_warn_mode_the_error_is_a_warning_and_in_off_mode_nothing() -> None:
    warned = check("CAA", "x", mode="warn")
    assert warned.values == ["x"]
    assert warned.warnings[0].startswith("invalid-value: records[0].value: CAA: ")
    unchecked = check("TXT", "plain text", mode="off")
    assert unchecked.values == ["plain text"]
    assert unchecked.warnings == []


@pytest.mark.requirement("R-13")
def test_targets_are_converted_and_text_is_not() -> None:
    assert check("CNAME", "ziel.exämple.example.").values == ["ziel.xn--exmple-cua.example."]
    assert check("MX", "10 ziel.exämple.example.").values == ["10 ziel.xn--exmple-cua.example."]
    assert check("TXT", "exämple").values == ['"exämple"']
    assert any(w.startswith("normalised:") for w in check("CNAME", "ä.example.").warnings)


@pytest.mark.parametrize(
    ("record_type", "values", "name", "word"),
    [
        ("A", ["10.0.0.1"], "x", "private-address"),
        ("AAAA", ["fe80::1"], "x", "private-address"),
        ("AAAA", ["::1"], "x", "private-address"),
        ("CAA", ['1 issue "ca.example.net"'], "x", "caa-flags"),
        ("CAA", ['0 tbs "ca.example.net"'], "x", "caa-tag"),
        ("CAA", ['0 issue "Our CA"'], "x", "caa-issuer"),
        ("SRV", ["10 60 5060 sip.example.net."], "sip", "srv-name"),
        ("TLSA", [VALID["TLSA"]], "www", "tlsa-name"),
        ("DS", ["12345 13 1 " + "ab" * 20], "sub", "ds-sha1"),
        ("A", ["192.0.2.1"], "my_host", "underscore-host"),
        ("MX", ["10 my_host.example.net."], "@", "underscore-host"),
        ("TXT", ["v=spf1 -all", "v=spf1 ~all"], "@", "spf-multiple"),
        ("TXT", ["v=spf1 mx"], "@", "spf-no-all"),
        ("TXT", ["v=spf1 +all"], "@", "spf-plus-all"),
        (
            "TXT",
            ["v=spf1 " + " ".join(f"include:s{n}.example" for n in range(11)) + " -all"],
            "@",
            "spf-too-many-lookups",
        ),
        ("TXT", ["v=DMARC1; p=none"], "@", "dmarc-at-apex"),
        ("TXT", ["v=DMARC1; pp=none"], "_dmarc", "dmarc-bad-tag"),
        ("TXT", ["v=DKIM1; p=AA$"], "s._domainkey", "dkim-broken-key"),
    ],
)
def test_what_is_most_likely_a_mistake_is_told(
    record_type: str, values: list[str], name: str, word: str
) -> None:
    warnings = check(record_type, *values, name=name).warnings
    assert any(warning.startswith(f"{word}:") for warning in warnings), warnings


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (["v=spf1 include:a.example mx a:b.example redirect=c.example"], "@"),
        (["v=DMARC1; p=reject; rua=mailto:d@example.com"], "_dmarc"),
        (["v=DKIM1; k=rsa; p="], "s._domainkey"),
        (['"\\255 is no text"'], "@"),
    ],
)
def test_good_mail_records_raise_no_warning(values: list[str], name: str) -> None:
    found = [w for w in check("TXT", *values, name=name).warnings if "normalised" not in w]
    assert found == []


@pytest.mark.parametrize(
    "value",
    ['0 issue ";"', '0 issue "ca.example.net; policy=ev"', '128 iodef "mailto:a@b.example"'],
)
def test_a_caa_in_good_form_raises_no_warning(value: str) -> None:
    assert check("CAA", value).warnings == []


@pytest.mark.parametrize(("ttl", "word"), [(60, "ttl-very-low"), (604_800, "ttl-very-high")])
def test_an_unusual_ttl_is_told(ttl: int, word: str) -> None:
    assert check("A", "1.1.1.1", ttl=ttl).warnings[0].startswith(word)
    assert check("A", "1.1.1.1", ttl=3600).warnings == []


@given(st.text(max_size=60), st.sampled_from(sorted(VALID)))
def test_any_text_is_either_prepared_or_refused(value: str, record_type: str) -> None:
    with suppress(BadArgument):
        assert len(check(record_type, value).records) == 1
