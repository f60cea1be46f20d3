"""The descriptions for registries and bundles, against the code and against their rules."""

from __future__ import annotations

import json
import re
from typing import cast

import pytest

from mcp_serverkit.config.settings import Variable, read_settings
from mcp_serverkit.definition import Definition
from scripts.definitions import DEFINITIONS, ROOT
from scripts.manifests import (
    FILES,
    NAMESPACE,
    bundle_manifest,
    path_of,
    registry_name,
    rendered,
    server_json,
)
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
    assert stored == rendered(FILES[file](definition)), "run `make generate`"


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
    names = [variable.name for variable in definition.variables]
    secrets = [variable.name for variable in definition.variables if variable.secret]
    options = options_of(definition)
    assert [option["title"] for option in options.values()] == names
    assert [o["title"] for o in options.values() if o.get("sensitive")] == secrets
    hidden = [
        str(variable["name"]) for variable in variables_of(definition) if variable["isSecret"]
    ]
    assert hidden == [v.name for v in definition.variables if v.listed and v.secret]


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
    bare = [option["title"] for option in options.values() if "default" not in option]
    assert bare == required_of(definition)


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
    assert f'io.modelcontextprotocol.server.name="{NAMESPACE}/$SERVER"' in dockerfile


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
