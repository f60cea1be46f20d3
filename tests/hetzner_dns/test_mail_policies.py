"""SPF, DMARC and DKIM: what the RFCs show is never called broken, what is broken is found."""

from __future__ import annotations

import base64

import pytest

from hetzner_dns_mcp.records.lints import lint_set
from hetzner_dns_mcp.records.txt import format_txt

BROKEN = ("spf-syntax", "spf-not", "spf-joined", "dmarc-", "dkim-", "txt-")

KEY = (
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYt"
    "IxN2SnFCjxOCKG9v3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR+Rcac2gbto/NMqJ0fzfVjH4OuKhi"
    "tdY9tf6mcwGjaNBcWToIMmPSPDdQPNUYckcQ2QIDAQAB"
)
BARE_KEY = base64.b64encode(base64.b64decode(KEY)[22:]).decode()
"""The same key without the name of its algorithm in front (RFC 6376, erratum 3017)."""
CUT = base64.b64encode(base64.b64decode(KEY)[:-1]).decode()
NOTHING = base64.b64encode(bytes.fromhex("3006020100020100")).decode()
OTHER_KIND = base64.b64encode(base64.b64decode(KEY).replace(b"\r\x01", b"\r\x02", 1)).decode()
ED25519 = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

RFC_7208 = (
    "v=spf1",
    "v=spf1 +all",
    "v=spf1 a -all",
    "v=spf1 a:example.org -all",
    "v=spf1 mx -all",
    "v=spf1 mx:example.org -all",
    "v=spf1 mx mx:example.org -all",
    "v=spf1 mx/30 mx:example.org/30 -all",
    "v=spf1 ptr -all",
    "v=spf1 ip4:192.0.2.128/28 -all",
    "v=spf1 +mx a:colo.example.com/28 -all",
    "v=spf1 ip4:192.0.2.1 ip4:192.0.2.129 -all",
    "v=spf1 a:authorized-spf.example.com -all",
    "v=spf1 include:example.com include:example.net -all",
    "v=spf1 include:example.org -all",
    "v=spf1 redirect=_spf.example.com",
    "v=spf1 mx redirect=_spf.example.com",
    "v=spf1 mx -all exp=explain._spf.%{d}",
    "v=spf1 mx:example.com -all exp=explain._spf.%{d2}",
    "v=spf1 a mx -all exp=%{l1r-}.lp._spf.%{d2}",
    "v=spf1 exists:%{ir}.%{l1r+-}._spf.%{d} -all",
    "v=spf1 exists:%{ir}.%{v}._spf.%{d2} -all",
    "v=spf1 exists:%{lr-}.lp.%{ir}.%{v}._spf.%{d2} -all",
    "v=spf1 exists:%{d2}.trusted-domains.example.net -all",
    "v=spf1 exists:_h.%{h}._l.%{l}._o.%{o}._i.%{i}._spf.%{d} ?all",
    "v=spf1 mx -exists:%{l}.%{d}.blocked.example.net ~all",
    "v=spf1 ip6:2001:db8::/32 ip6:2001:DB8::CD30 a:example.com/24//64 mx//64 -all",
    "V=SPF1 A MX -ALL",
    "v=spf1  a   mx -all  ",
    "v=spf1 a -all moo=anything.%{d} unknown-modifier=",
    "v=spf1 include:_spf.example.com. exists:%{i}._spf.%{d} -all",
    "v=spf1 a:xn--e1afmkfd.xn--p1ai a:1.2.3.4x -all",
    '"v=spf1 mx include:a.exa" "mple.org -all"',
    '"v=spf1 include:example.org" " -all"',
    '"v=spf1 ip4:192.0.2" ".1 -all"',
    '"v=spf1 mx " "-all"',
    '"v=spf1 include:a" "-all.example.org -all"',
)
OTHERS = (
    "See http://%{d}/why.html?s=%{S}&i=%{I}",
    "Mail from example.com should only be sent by its own servers.",
    "spf2.0/pra mx -all",
    "google-site-verification=abc",
)
RFC_7489 = (
    "v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com",
    "v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com; ruf=mailto:auth-reports@example.com",
    "v=DMARC1; p=quarantine; rua=mailto:dmarc-feedback@example.com,"
    "mailto:tld-test@thirdparty.example.net!10m; pct=25",
    "v=DMARC1;p=reject;",
    "v = DMARC1 ; p = REJECT ; adkim = s ; aspf=r; fo=0:1:d:s; ri=86400; rf=afrf; sp=none ;",
    "v=DMARC1; p=reject; np=reject; t=y; psd=n; pct=100; pct_=x".removesuffix("; pct_=x"),
    "v=DMARC1; p=none; rua=https://reports.example.com/in , mailto:a@example.com!5",
)
RFC_6376 = (
    f"v=DKIM1; p={KEY}",
    f"v=DKIM1; k=rsa; n=Use=20DKIM; s=email; t=y:s; h=sha1:sha256; p={KEY[:40]} \t {KEY[40:]}",
    f"k=rsa; t=s; p={KEY};",
    f"p={BARE_KEY}",
    "v=DKIM1; p=",
    f"v=DKIM1; k=ed25519; p={ED25519}",
    f"v=DKIM1; h=sha256:other; t=s:other; other=1; p={KEY}",
)


def ids(name: str, *values: str, zone: str | None = "example.com") -> list[str]:
    said = lint_set("TXT", name, [format_txt(value) for value in values], None, zone)
    return [text.partition(":")[0] for text in said]


@pytest.mark.requirement("H-7")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("@", value) for value in (*RFC_7208, *OTHERS)),
        *(("_dmarc", value) for value in RFC_7489),
        ("_dmarc.shop", RFC_7489[0]),
        ("example.org._report._dmarc", "v=DMARC1"),
        ("*._report._dmarc", "v=DMARC1;"),
        *(("brisbane._domainkey", value) for value in RFC_6376),
        ("a._domainkey.shop", RFC_6376[0]),
        ("_adsp._domainkey", "dkim=all"),
        ("_domainkey", "o=~; r=postmaster@example.com"),
    ],
)
def test_what_the_rfcs_show_is_not_called_broken(name: str, value: str) -> None:
    assert [word for word in ids(name, value) if word.startswith(BROKEN)] == []


SPF_FAULTS = {
    "spf-syntax": (
        "v=spf1 inlude:_spf.example.net -all",
        "v=spf1 include: _spf.example.net -all",
        "v=spf1 include -all",
        "v=spf1 a: -all",
        "v=spf1 exists -all",
        "v=spf1 ip4:192.0.2.256 -all",
        "v=spf1 ip4:192.0.2.0/33 -all",
        "v=spf1 ip4:192.0.2.0/024 -all",
        "v=spf1 ip4=192.0.2.1 -all",
        "v=spf1 ip4 -all",
        "v=spf1 ip4:2001:db8::1 -all",
        "v=spf1 ip6:192.0.2.1 -all",
        "v=spf1 ip6:2001:db8::/129 -all",
        "v=spf1 a/33 -all",
        "v=spf1 mx//129 -all",
        "v=spf1 a:example.com/24/64 -all",
        "v=spf1 include:example.com/24 -all",
        "v=spf1 include:localhost -all",
        "v=spf1 include:example.123 -all",
        "v=spf1 a:exam%ple.com -all",
        "v=spf1 exists:%{x}.example.com -all",
        "v=spf1 exists:%{d.example.com -all",
        "v=spf1 redirect=_a.example.com redirect=_b.example.com",
        "v=spf1 exp=a.example.com exp=b.example.com -all",
        "v=spf1 redirect=",
        "v=spf1 moo=%z -all",
        "v=spf1 -all:example.com",
        "v=spf1 a\tmx -all",
        "v=spf1 a, mx -all",
        "v=spf1 include:example.com; -all",
        "v=spf1 http://example.com -all",
        "v=spf1 192.0.2.1 -all",
        "v=spf1 + -all",
    ),
    "spf-not-a-policy": (
        "v=spf1; mx -all",
        "v=spf1mx -all",
        "v=spf10 mx -all",
        " v=spf1 mx -all",
        "v = spf1 mx -all",
        "v=spf 1 mx -all",
        "v=SPF2 mx -all",
        "v=spf1,mx -all",
        "v=spf1\tmx",
        "v=spf1-all",
    ),
    "spf-joined": (
        '"v=spf1 include:a.example.org" "include:b.example.org -all"',
        '"v=spf1 mx" "-all"',
        '"v=spf1 include:a.example.org" "~all"',
        '"v=spf1" "ip4:192.0.2.1 -all"',
        '"v=spf1 mx ip4:192.0.2.1" "ip4:192.0.2.2 -all"',
        '"v=spf1 a" "mx:example.org -all"',
        '"v=spf1 mx" "redirect=_spf.example.org"',
        '"v=spf1 mx" " a" "exists:%{i}.example.org -all"',
        '"v=spf1 mx" "?mx -all"',
        '"v=spf1 mx" "exp=a.example.org"',
    ),
    "spf-after-all": ("v=spf1 -all mx", "v=spf1 mx ~all include:a.example.org", "v=spf1 all -all"),
    "spf-redirect-with-all": ("v=spf1 redirect=a.example.org -all", "v=spf1 ~all redirect=a.b.org"),
    "spf-ptr": ("v=spf1 ptr -all", "v=spf1 ptr:example.org -all", "v=spf1 -ptr ~all"),
    "spf-includes-itself": (
        "v=spf1 include:Example.COM -all",
        "v=spf1 include:example.com. -all",
        "v=spf1 redirect=example.com",
        "v=spf1 include:%{d} -all",
    ),
    "spf-no-all": ("v=spf1", "v=spf1 mx", "v=spf1 all=x"),
    "spf-plus-all": ("v=spf1 +all", "v=spf1 mx all", "v=spf1 ALL"),
    "spf-too-many-lookups": (
        "v=spf1 " + "a " * 11 + "-all",
        "v=spf1 " + "exists:%{i}.example.org " * 6 + "mx " * 4 + "ptr -all",
        "v=spf1 " + "include:a.example.org " * 10 + "redirect=b.example.org",
    ),
    "txt-backslash": ("v=spf1\\ mx -all", "a\\;b", "a\\,b", 'say \\"x\\"'),
}
DMARC_FAULTS = {
    "dmarc-bad-tag": (
        "v=DMARC1; p=rejct",
        "v=DMARC1; p=reject; rua=d@example.com",
        "v=DMARC1; p=reject; rua=mailto:a@example.com b@example.com",
        "v=DMARC1; p=reject; ruf=mailto:a@example.com,b@example.com",
        "v=DMARC1; p=reject; rua=",
        "v=DMARC1",
        "v=DMARC1; rua=mailto:a@example.com",
        "v=dmarc1; p=none",
        "v=DMARC2; p=none",
        " v=DMARC1; p=none",
        "p=none; v=DMARC1",
        "p=none",
        "v=DMARC1; p=none; p=none",
        "v=DMARC1; p=none; sp=no",
        "v=DMARC1; p=none; np=all",
        "v=DMARC1; p=none; pct=101",
        "v=DMARC1; p=none; pct=50%",
        "v=DMARC1; p=none; adkim=strict",
        "v=DMARC1; p=none; aspf=x",
        "v=DMARC1; p=none; fo=2",
        "v=DMARC1; p=none; ri=daily",
        "v=DMARC1, p=none",
        "v=DMARC1 p=none",
        "v=DMARC1; p=none rua=mailto:a@example.com",
        "v=DMARC1; none",
        "v=DMARC1; p=none; other",
        "something else",
    ),
    "dmarc-unknown-tag": ("v=DMARC1; p=none; ruaa=mailto:a@example.com", "v=DMARC1; p=none; x=y"),
}
DKIM_FAULTS = {
    "dkim-bad-tag": (
        f"v=DKIM2; p={KEY}",
        f"v=dkim1; p={KEY}",
        f"k=rsa; v=DKIM1; p={KEY}",
        "v=DKIM1; k=rsa",
        f"v=DKIM1; k=dsa; p={KEY}",
        f"v=DKIM1; h=md5; p={KEY}",
        f"v=DKIM1; t=yes; p={KEY}",
        f"v=DKIM1; p={KEY}; p={KEY}",
        f"v=DKIM1 k=rsa; p={KEY}",
        f"v=DKIM1; k=rsa; P={KEY}",
        f"v=DKIM1; {KEY}",
    ),
    "dkim-broken-key": (
        "v=DKIM1; p=AA$",
        f"v=DKIM1; p={KEY[:-20]}",
        f"v=DKIM1; p={KEY[8:]}",
        f"v=DKIM1; p={ED25519}",
        f"v=DKIM1; k=ed25519; p={KEY}",
        f"v=DKIM1; k=ed25519; p={ED25519[:-4]}",
        "v=DKIM1; p=-----BEGIN PUBLIC KEY-----",
        f"v=DKIM1; p={KEY.replace('/', '_')}",
        "v=DKIM1; p=AAAA",
        f"v=DKIM1; p={NOTHING}",
        f"v=DKIM1; p={CUT}",
        f"v=DKIM1; p={OTHER_KIND}",
    ),
}
FAULTS = [
    *(("@", word, value) for word, values in SPF_FAULTS.items() for value in values),
    *(("_dmarc", word, value) for word, values in DMARC_FAULTS.items() for value in values),
    *(("a._domainkey", word, value) for word, values in DKIM_FAULTS.items() for value in values),
    ("_dmarc.shop", "dmarc-bad-tag", "p=none"),
    ("@", "dmarc-bad-tag", "v=DMARC1; p=rejct"),
    ("@", "dmarc-at-apex", "v=DMARC1; p=none"),
    ("shop", "dmarc-at-apex", "v = dmarc1; p=none"),
]


@pytest.mark.requirement("H-7")
@pytest.mark.parametrize(("name", "word", "value"), FAULTS)
def test_what_is_broken_is_found(name: str, word: str, value: str) -> None:
    assert word in ids(name, value)


@pytest.mark.requirement("H-7")
@pytest.mark.parametrize(
    "value",
    [
        "v=spf1 redirect=_spf.example.org",
        "v=spf1 mx -all exp=explain.example.org",
        "v=spf1 include:_spf.example.org a mx ip4:192.0.2.0/24 ~all",
        "v=spf1 " + "a " * 10 + "?all",
    ],
)
def test_a_good_policy_raises_no_warning_at_all(value: str) -> None:
    assert ids("@", value) == []


def test_what_a_policy_includes_is_its_own_name_only_where_that_is_known() -> None:
    policy = "v=spf1 include:shop.example.com -all"
    assert "spf-includes-itself" in ids("shop", policy)
    assert "spf-includes-itself" not in ids("@", policy)
    assert "spf-includes-itself" not in ids("shop", policy, zone=None)


@pytest.mark.requirement("H-7")
def test_two_policies_are_one_too_many() -> None:
    assert "spf-multiple" in ids("@", "v=spf1 -all", "v=spf1 mx -all")
    assert "spf-multiple" not in ids("@", "v=spf1 -all", "v=spf1; mx -all")


def test_a_term_is_told_by_its_number() -> None:
    (said,) = lint_set("TXT", "@", ['"v=spf1 mx inlude:a.example.org -all"'], None)
    assert said == "spf-syntax: term 2 is no known mechanism, which makes the policy void"


@pytest.mark.parametrize(
    "value",
    ["v=spf1 a:" + "a" * 60_000 + "%", "v=spf1 a:" + "a." * 30_000 + "%", " " * 60_000 + "v"],
    ids=["one label", "labels", "blanks"],
)
@pytest.mark.parametrize("name", ["@", "_dmarc", "a._domainkey"])
def test_a_very_long_text_is_read_in_one_go(name: str, value: str) -> None:
    assert isinstance(ids(name, value), list)
