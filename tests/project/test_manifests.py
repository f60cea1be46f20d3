"""The descriptions for registries and bundles, against the code and against their rules."""

from __future__ import annotations

import json
import re
import struct
from typing import cast

import pytest

from mcp_serverkit.config.settings import Variable, read_settings
from mcp_serverkit.definition import Definition
from scripts import icons
from scripts.bundle import pinned
from scripts.definitions import DEFINITIONS, ROOT, package_of
from scripts.manifests import (
    FILES,
    ICON,
    bundle_manifest,
    distribution,
    option_key,
    path_of,
    registry_name,
    rendered,
    server_json,
)
from scripts.release import RELEASE
from tests.support.servers import reading_of

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)

SECRET = "t" * 64
"""What passes for a secret of any of the servers."""

RELAY = {"SMTP_HOST": "127.0.0.1", "SMTP_AUTH": "none"}
"""The way of using a mail server that needs least."""


SHORT = {
    "ntfy-mcp": ("NTFY_URL*", "NTFY_TOKEN", "NTFY_TOPICS", "NTFY_READ_ONLY", "NTFY_ALLOW_TOOLS"),
    "smtp-mcp": (
        "SMTP_FROM*",
        "SMTP_PROVIDER",
        "SMTP_HOST",
        "SMTP_USER",
        "SMTP_PASSWORD",
        "SMTP_ALLOW_SEND",
        "SMTP_ALLOWED_RECIPIENTS",
        "SMTP_READ_ONLY",
        "SMTP_ALLOW_TOOLS",
    ),
    "hetzner-dns-mcp": (
        "HETZNER_API_TOKEN*",
        "HETZNER_ZONE_ALLOWLIST",
        "HETZNER_READ_ONLY",
        "HETZNER_ALLOW_TOOLS",
    ),
    "woodpecker-ci-mcp": (
        "WOODPECKER_URL*",
        "WOODPECKER_TOKEN*",
        "WOODPECKER_READ_ONLY",
        "WOODPECKER_ALLOW_TOOLS",
    ),
}
"""What a registry's client asks for, each variable being a question; a star marks the required."""


def required_of(definition: Definition) -> list[str]:
    return [variable.name for variable in definition.variables if variable.required]


def sample(variable: Variable) -> str:
    """A value for a variable that must be set."""
    return variable.example or SECRET


def variables_of(definition: Definition) -> list[dict[str, object]]:
    packages = cast("list[dict[str, object]]", server_json(definition)["packages"])
    return cast("list[dict[str, object]]", packages[0]["environmentVariables"])


def options_of(definition: Definition) -> dict[str, dict[str, object]]:
    return cast("dict[str, dict[str, object]]", bundle_manifest(definition)["user_config"])


@by_name
@pytest.mark.parametrize("file", FILES)
def test_a_stored_description_is_what_the_code_says(definition: Definition, file: str) -> None:
    stored = path_of(definition, file).read_text(encoding="utf-8")
    assert stored == rendered(FILES[file](definition, RELEASE)), "run `make generate`"


@by_name
def test_a_registry_takes_names_texts_and_versions(definition: Definition) -> None:
    described = server_json(definition)
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", registry_name(definition))
    assert 0 < len(str(described["title"])) <= 100
    assert 0 < len(str(described["description"])) <= 100
    assert re.fullmatch(r"\d+\.\d+\.\d+", definition.version)
    formats = {variable["format"] for variable in variables_of(definition)}
    assert formats <= {"string", "number", "boolean", "filepath"}


@pytest.mark.requirement("F-11")
@by_name
def test_a_registrys_description_asks_for_little(definition: Definition) -> None:
    described = [
        f"{variable['name']}{'*' * bool(variable['isRequired'])}"
        for variable in variables_of(definition)
    ]
    assert sorted(described) == sorted(SHORT[definition.name])


@by_name
def test_a_bundle_describes_every_variable_and_secrets_are_hidden(definition: Definition) -> None:
    options = options_of(definition)
    assert options.keys() == {option_key(variable) for variable in definition.variables}
    secrets = {option_key(variable) for variable in definition.variables if variable.secret}
    assert {key for key, option in options.items() if option.get("sensitive")} == secrets
    hidden = [
        str(variable["name"]) for variable in variables_of(definition) if variable["isSecret"]
    ]
    assert hidden == [v.name for v in definition.variables if v.listed and v.secret]


@pytest.mark.requirement("F-12", "HO-20")
@by_name
def test_a_bundles_page_begins_with_what_most_people_set_in_plain_words(
    definition: Definition,
) -> None:
    listed = [option_key(variable) for variable in definition.variables if variable.listed]
    options = options_of(definition)
    assert list(options)[: len(listed)] == listed
    for variable in definition.variables:
        option = options[option_key(variable)]
        assert option["title"] == variable.title
        assert str(option["description"]).endswith(f" Sets {variable.name}.")
        assert re.fullmatch(r"[A-Z][A-Za-z0-9':, -]{3,49}", variable.title)
    titles = [option["title"] for option in options.values()]
    assert len(titles) == len(set(titles))


@pytest.mark.requirement("F-12")
@by_name
def test_a_bundle_says_where_to_read_and_to_ask(definition: Definition) -> None:
    manifest = bundle_manifest(definition)
    folder = package_of(definition).relative_to(ROOT)
    readme = (package_of(definition) / "README.md").read_text(encoding="utf-8")
    (policy,) = cast("list[str]", manifest["privacy_policies"])
    page, _, heading = policy.partition("#")
    assert page == RELEASE.address(f"{folder}/README.md")
    assert f"\n## {heading.replace('-', ' ').capitalize()}\n" in readme
    assert manifest["homepage"] == RELEASE.repository
    assert manifest["documentation"] == RELEASE.address(f"{folder}#readme")
    assert manifest["support"] == f"{RELEASE.repository}/issues"


@pytest.mark.requirement("F-12")
@by_name
def test_a_bundle_pins_what_its_server_needs_and_nothing_else(definition: Definition) -> None:
    constraints = pinned(distribution(definition).name)
    names = {constraint.partition("==")[0] for constraint in constraints}
    assert {"mcp", "pydantic-core", "certifi", "pywin32", "cryptography"} <= names
    others = {"pytest", "mypy", "ruff", "fastmcp", "regex", "aiosmtpd", "uv", "pluggy", "rich"}
    assert not names & others
    assert ("nh3" in names) == (definition.name == "smtp-mcp")
    assert ("dnspython" in names) == (definition.name == "hetzner-dns-mcp")
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert all(f"{constraint} \\\n" in lock for constraint in constraints)


@pytest.mark.requirement("F-12")
@by_name
def test_an_icon_shows_what_is_drawn(definition: Definition) -> None:
    file = (package_of(definition) / ICON).read_bytes()
    drawing = icons.DRAWINGS[definition.name]
    assert icons.decoded(file) == (icons.palette(drawing), icons.shades(drawing)), "make generate"
    assert struct.unpack(">II", file[16:24]) == (512, 512)
    assert len(file) < 10_000


@pytest.mark.requirement("HO-20")
@by_name
def test_an_example_is_a_value_that_the_server_takes(definition: Definition) -> None:
    environ = {v.name: v.example for v in definition.variables if v.example}
    reading = reading_of(definition, environ)
    assert len(environ) > 2
    assert reading.problems == reading.warnings == []
    assert definition.select(reading.values).problems == ()


@pytest.mark.requirement("F-11")
@by_name
def test_a_server_starts_where_every_question_is_answered_with_nothing(
    definition: Definition,
) -> None:
    environ = {str(variable["name"]): "" for variable in variables_of(definition)}
    reading = reading_of(definition, environ)
    assert reading.problems == []


@by_name
def test_a_default_that_a_client_fills_in_changes_nothing(definition: Definition) -> None:
    filled = {str(v["name"]): str(v["default"]) for v in variables_of(definition) if "default" in v}
    untouched = read_settings(definition.variables, definition.prefix, {})
    reading = read_settings(definition.variables, definition.prefix, filled)
    assert filled
    assert reading.values == untouched.values
    assert reading.problems == reading.warnings == []


@by_name
def test_a_bundles_host_leaves_no_placeholder_in_an_option_that_may_stay_empty(
    definition: Definition,
) -> None:
    options = options_of(definition)
    bare = {key for key, option in options.items() if "default" not in option}
    assert bare == {name.lower() for name in required_of(definition)}


@pytest.mark.requirement("HO-20")
@by_name
def test_nothing_is_missing_once_the_required_variables_are_set(definition: Definition) -> None:
    required = required_of(definition)
    least = RELAY if definition.prefix == "SMTP" else {}
    samples = {**least, **{v.name: sample(v) for v in definition.variables if v.required}}
    for absent in ("", *required):
        environ = {name: value for name, value in samples.items() if name != absent}
        reading = read_settings(definition.variables, definition.prefix, environ)
        assert reading.problems == []
        missing = definition.missing(reading.values)
        assert absent in missing
        assert bool(missing) == bool(absent)


def test_the_image_carries_the_servers_versions_and_registry_names() -> None:
    dockerfile = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
    assert {definition.version for definition in DEFINITIONS} == set(
        re.findall(r"^ARG VERSION=(.+)$", dockerfile, re.MULTILINE)
    )
    assert f'io.modelcontextprotocol.server.name="{RELEASE.namespace}/$SERVER"' in dockerfile


def test_the_backends_to_try_things_on_are_reachable_from_this_machine_only() -> None:
    compose = (ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8")
    published = re.findall(r'^ +- "(\S+:\d+)"$', compose, re.MULTILINE)
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)
    assert "network_mode: host" not in compose


def test_the_listing_file_names_its_schema_and_a_maintainer() -> None:
    listing = json.loads((ROOT / "glama.json").read_text(encoding="utf-8"))
    assert listing["$schema"] == "https://glama.ai/mcp/schemas/server.json"
    assert listing["maintainers"]
