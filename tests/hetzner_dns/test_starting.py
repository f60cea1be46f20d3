"""What the environment may say, and what the server says about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetzner_dns_mcp.definition import HETZNER_DNS
from hetzner_dns_mcp.guards import decides_who_answers
from hetzner_dns_mcp.settings import LIMITS
from mcp_serverkit.config.settings import Reading
from mcp_serverkit.instructions import Asking, Offered
from mcp_serverkit.runtime.cli import read
from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer, refuse_to_answer
from tests.hetzner_dns.support import record
from tests.support.clients import ERAS, Era, call, connect, structured, text

TOKEN = "x" * 64
READ_TOOLS = [
    "list_zones",
    "get_zone",
    "export_zonefile",
    "list_rrsets",
    "get_rrset",
    "list_zone_actions",
    "get_zone_action",
]


def settings(**environ: str) -> Reading:
    return read(HETZNER_DNS, {"HETZNER_API_TOKEN": TOKEN, **environ})


def offered(**environ: str) -> list[str]:
    reading = settings(**environ)
    assert reading.problems == []
    return list(HETZNER_DNS.select(reading.values).names)


@pytest.mark.requirement("T-hetzner-1")
@pytest.mark.parametrize("era", ERAS)
async def test_without_a_token_tools_are_listed_and_calls_say_what_is_missing(
    era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(HETZNER_API_TOKEN=""), era) as client:
        assert len((await client.list_tools()).tools) == 22
        result = await call(client, "list_zones")
        guarded = await call(client, "delete_zone", {"zone": "example.com"})
    assert "HETZNER_API_TOKEN is not set" in text(result)
    assert "HETZNER_API_TOKEN is not set" in text(guarded)
    assert backend.requests == []


@pytest.mark.requirement("T-hetzner-2")
def test_a_malformed_token_ends_the_start_without_being_shown(
    capfd: pytest.CaptureFixture[str],
) -> None:
    reading = settings(HETZNER_API_TOKEN="abcd\nefghijkl")
    assert len(reading.problems) == 1
    said = capfd.readouterr().err
    assert "HETZNER_API_TOKEN" in said
    assert "character 5 of 13" in said
    assert "abcd" not in said


@pytest.mark.parametrize(
    ("token", "words"), [("short", "8 to 512"), ("x" * 513, "8 to 512"), ("a b" * 9, "character 2")]
)
def test_a_token_of_the_wrong_shape_is_refused(token: str, words: str) -> None:
    assert words in settings(HETZNER_API_TOKEN=token).problems[0]


def test_a_token_of_the_old_console_is_pointed_out() -> None:
    reading = settings(HETZNER_API_TOKEN="o" * 32)
    assert reading.problems == []
    assert "old DNS console" in reading.warnings[0]


@pytest.mark.requirement("T-hetzner-3")
@pytest.mark.parametrize("value", ["off", "1", "yes"])
def test_elicitation_takes_two_words_only(value: str) -> None:
    [problem] = settings(ELICITATION=value).problems
    assert "true" in problem
    assert "false" in problem


@pytest.mark.requirement("T-hetzner-3")
def test_elicitation_off_is_read_in_any_case_and_has_its_line() -> None:
    assert settings(ELICITATION=" FALSE ").values["elicitation"] is False
    assert HETZNER_DNS.off_line == (
        "hetzner-dns-mcp: ELICITATION=false — guarded tools fall back to the two-call token"
    )


@pytest.mark.requirement("T-hetzner-4")
def test_a_value_that_may_be_a_secret_is_not_repeated(capfd: pytest.CaptureFixture[str]) -> None:
    assert settings(ELICITATION="q" * 64).problems
    assert "qqqq" not in capfd.readouterr().err


@pytest.mark.requirement("T-hetzner-5")
def test_the_base_url_is_https_or_on_this_machine() -> None:
    name = "HETZNER_API_BASE_URL"
    assert settings(**{name: "http://api.hetzner.cloud/v1"}).problems
    local = settings(**{name: "http://127.0.0.2:8080/v1///"})
    assert local.values["base_url"] == "http://127.0.0.2:8080/v1"
    assert settings(**{name: "http://dns.localhost:1/v1"}).problems == []
    [problem] = settings(**{name: "ht tp://u:s3cret@h"}).problems
    assert "s3cret" not in problem
    queried = settings(**{name: "https://api.hetzner.cloud/v1?x=1"})
    assert queried.values["base_url"] == "https://api.hetzner.cloud/v1"
    assert "query" in queried.warnings[0]
    elsewhere = settings(**{name: "https://proxy.example.net/v1"})
    assert "proxy.example.net" in elsewhere.warnings[0]


@pytest.mark.requirement("T-hetzner-6")
@pytest.mark.parametrize("era", ERAS)
async def test_read_only_leaves_seven_tools_and_the_rest_is_unknown(
    era: Era, make_server: MakeServer
) -> None:
    async with connect(make_server(HETZNER_READ_ONLY="1"), era) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == set(READ_TOOLS)
        with pytest.raises(Exception, match="Unknown tool: delete_zone"):
            await call(client, "delete_zone", {"zone": "example.com"})


@pytest.mark.requirement("T-hetzner-6")
def test_a_mistyped_switch_ends_the_start() -> None:
    assert settings(HETZNER_READ_ONLY="ture").problems


@pytest.mark.requirement("T-hetzner-7")
def test_tools_are_chosen_by_name_prefix_and_preset() -> None:
    assert sorted(offered(HETZNER_ALLOW_TOOLS="list_*")) == [
        "list_rrsets",
        "list_zone_actions",
        "list_zones",
    ]
    assert settings(HETZNER_ALLOW_TOOLS="*_zone").problems
    essential = offered(HETZNER_ALLOW_TOOLS="essential", HETZNER_READ_ONLY="true")
    assert len(essential) == 5
    assert set(essential) <= set(READ_TOOLS)
    assert settings(HETZNER_DENY_TOOLS="*").problems


@pytest.mark.requirement("T-hetzner-8")
@pytest.mark.parametrize("era", ERAS)
async def test_what_is_filtered_out_does_not_come_back_through_create_zone(
    era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    server = make_server(HETZNER_DENY_TOOLS="import_zonefile,change_primary_nameservers")
    new = {"name": "new.example"}
    async with connect(server, era, refuse_to_answer) as client:
        file = {**new, "mode": "primary", "zonefile": "www 60 IN A 198.51.100.1"}
        assert "zonefile" in text(await call(client, "create_zone", file))
        servers = [{"address": "198.51.100.2"}]
        primaries = {**new, "mode": "secondary", "primary_nameservers": servers}
        assert "primary_nameservers" in text(await call(client, "create_zone", primaries))
    assert backend.requests == []


def test_a_filter_that_leaves_the_effect_in_is_pointed_out() -> None:
    warnings = settings(HETZNER_DENY_TOOLS="delete_rrset,create_*").warnings
    assert any("remove_records" in warning for warning in warnings)
    assert any("add_records" in warning for warning in warnings)
    assert settings(HETZNER_DENY_TOOLS="delete_rrset,remove_records").warnings == []


def test_the_start_says_what_is_out_of_the_ordinary() -> None:
    values = settings(
        HETZNER_READ_ONLY="on",
        HETZNER_INSECURE_TLS="true",
        HETZNER_VALIDATION="warn",
        HETZNER_ZONE_ALLOWLIST="example.com,42",
    ).values
    said = "\n".join(HETZNER_DNS.start_lines(values))
    for part in ("READ_ONLY", "INSECURE_TLS", "VALIDATION=warn", "allows 2 zones", "targeting"):
        assert part in said
    assert HETZNER_DNS.instance(values) == "api.hetzner.cloud"


def test_a_typo_of_the_fence_is_pointed_out() -> None:
    [problem] = settings(HETZNER_ZONES_ALLOWLIST="example.com").problems
    assert "HETZNER_ZONE_ALLOWLIST" in problem


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HETZNER_ZONE_ALLOWLIST", "exa mple.com"),
        ("HETZNER_ZONE_ALLOWLIST", ",".join(f"z{n}.example" for n in range(257))),
        ("HETZNER_ASK_ALSO", "a b"),
        ("HETZNER_ASK_ALSO", ",".join(f"n{n}" for n in range(65))),
        ("HETZNER_ACTION_WAIT", "301"),
        ("HETZNER_VALIDATION", "lax"),
        ("HETZNER_BACKUP_DIR", "/nonexistent-directory"),
    ],
)
def test_a_value_that_is_not_accepted_is_named(name: str, value: str) -> None:
    assert settings(**{name: value}).problems[0].startswith(f"{name}: ")


def test_a_backup_directory_must_be_writable(tmp_path: Path) -> None:
    assert settings(HETZNER_BACKUP_DIR=str(tmp_path)).problems == []
    assert settings(HETZNER_BACKUP_DIR=__file__).problems


def test_zones_of_the_fence_are_brought_to_their_normal_form() -> None:
    values = settings(HETZNER_ZONE_ALLOWLIST="MÜNCHEN.de., 42").values
    assert values["zone_allowlist"] == ("xn--mnchen-3ya.de", "42")


def test_ask_also_adds_triggers_and_says_when_renewals_are_hit() -> None:
    values = settings(HETZNER_ASK_ALSO="A,_dmarc,mail*").values
    also = values["ask_also"]
    assert isinstance(also, tuple)
    assert decides_who_answers("www", "A", also)
    assert decides_who_answers("_dmarc", "TXT", also)
    assert decides_who_answers("mail2", "TXT", also)
    assert not decides_who_answers("www", "AAAA", also)
    assert not decides_who_answers("_acme-challenge", "TXT", also)
    for trigger in ("TXT", "_acme*", "_acme-challenge"):
        assert any("renewals" in line for line in settings(HETZNER_ASK_ALSO=trigger).warnings)


@pytest.mark.parametrize("era", ERAS)
async def test_ask_also_makes_a_plain_record_ask(
    era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(HETZNER_ASK_ALSO="A"), era) as client:
        result = await call(client, "create_rrset", record("A"))
    assert 'confirm_token="' in text(result)
    assert backend.writes == []


@pytest.mark.parametrize("era", ERAS)
async def test_a_new_zone_with_content_asks_only_where_the_operator_wants_it(
    era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    file = "$TTL 300\n@ IN MX 10 mx.example.net.\n"
    arguments = {"name": "new.example", "mode": "primary", "zonefile": file}
    server = make_server(HETZNER_ASK_ALSO="create_zone_content")
    async with connect(server, era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert "confirm_token" in tools["create_zone"].input_schema["properties"]
        prompt = text(await call(client, "create_zone", arguments))
        assert "  @/MX (new set): 10 mx.example.net." in prompt
        broken = await call(client, "create_zone", {**arguments, "zonefile": "x IN A y"})
        assert "could not be read here" in text(broken)
        servers = [{"address": "198.51.100.2"}]
        secondary = {"name": "new.example", "mode": "secondary", "primary_nameservers": servers}
        assert "  server 1: 198.51.100.2" in text(await call(client, "create_zone", secondary))
        assert backend.writes == []
        structured(await call(client, "create_zone", {"name": "new.example", "mode": "primary"}))
    async with connect(make_server(), era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert "confirm_token" not in tools["create_zone"].input_schema["properties"]


def test_a_request_has_thirty_seconds() -> None:
    assert settings().values["timeout"] == 30


TEN = [Offered(f"tool_{number}", False, "always") for number in range(10)]


@pytest.mark.parametrize("how", ["dialog", "reach", "token"])
def test_the_instructions_follow_the_setting(how: Asking) -> None:
    said = HETZNER_DNS.instructions(TEN, how)
    assert ("ask a person" in said) is (how != "token")
    assert "Ten tools" in said


def test_a_dialog_holds_fifty_records_with_comments() -> None:
    assert (LIMITS.lines, LIMITS.value_chars, LIMITS.total_chars) == (120, 1_000, 32_000)
