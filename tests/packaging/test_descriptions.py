"""The descriptions for registries and bundles, against the tools of those who read them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import cast

import pytest

from mcp_serverkit.definition import Definition
from scripts.bundle import assemble, packed, pinned
from scripts.commands import SHARED, UV, run
from scripts.definitions import DEFINITIONS
from scripts.manifests import ENTRY_POINT, ICON, distribution, option_key, path_of
from tests.packaging.commands import default_tools, listed_tools
from tests.project.test_manifests import sample

needs_node = pytest.mark.skipif(shutil.which("npm") is None, reason="platform: npm is not here")

MCPB = "@anthropic-ai/mcpb@2.1.2"
CONFIGURE = """
import { readFileSync } from "node:fs";
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";
const { folder, chosen } = JSON.parse(readFileSync(0, "utf8"));
const manifest = JSON.parse(readFileSync(`${folder}/manifest.json`, "utf8"));
const config = await getMcpConfigForManifest({
  manifest, extensionPath: folder, systemDirs: {}, userConfig: chosen, pathSeparator: "/",
});
console.log(JSON.stringify(config ?? null));
"""
"""What a host does with a manifest and with what a person chose on its settings page."""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bundle tools of the hosts."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    run(["npm", "install", "--silent", "--ignore-scripts", "--no-audit", MCPB], cwd=folder)
    (folder / "configure.js").write_text(CONFIGURE, encoding="utf-8")
    return folder


@pytest.fixture(params=DEFINITIONS, ids=lambda definition: definition.name)
def definition(request: pytest.FixtureRequest) -> Definition:
    return cast("Definition", request.param)


@pytest.fixture
def bundle(dist: Path, tmp_path: Path, definition: Definition) -> Path:
    """A bundle laid out as a host unpacks it."""
    assemble(definition, dist, tmp_path / "bundle")
    return tmp_path / "bundle"


def configured(host: Path, bundle: Path, chosen: dict[str, str]) -> dict[str, object] | None:
    question = json.dumps({"folder": str(bundle), "chosen": chosen})
    answer = run(["node", "configure.js"], cwd=host, stdin=question).stdout
    return cast("dict[str, object] | None", json.loads(answer))


def test_a_registrys_schema_takes_the_description(tools: Path, definition: Definition) -> None:
    pattern = "lib/python*/site-packages/skillsaw/schemas/mcp_registry/v2025_12_11/*.json"
    (schema,) = tools.parent.glob(pattern)
    described = path_of(definition, "server.json")
    run([tools / "check-jsonschema", "--schemafile", schema, described])


@needs_node
def test_a_host_takes_the_bundle(host: Path, bundle: Path, tmp_path: Path) -> None:
    mcpb = host / "node_modules" / ".bin" / "mcpb"
    run([mcpb, "validate", bundle / "manifest.json"])
    made = packed(bundle, tmp_path / "made.mcpb")
    run([mcpb, "unpack", made, tmp_path / "unpacked"])
    assert (tmp_path / "unpacked" / ENTRY_POINT).is_file()
    assert (tmp_path / "unpacked" / ICON).is_file()


@pytest.mark.requirement("F-10", "F-12")
@needs_node
def test_a_host_starts_a_bundle_in_which_only_the_required_options_are_set(
    host: Path, bundle: Path, definition: Definition
) -> None:
    chosen = {option_key(v): sample(v) for v in definition.variables if v.required}
    assert configured(host, bundle, {}) is None
    config = configured(host, bundle, chosen)
    assert config is not None
    command = [str(config["command"]), *cast("list[str]", config["args"])]
    env = {**cast("dict[str, str]", config["env"]), "PATH": f"{UV.parent}:{os.environ['PATH']}"}
    listed, errors = listed_tools(command, cwd=bundle, env=env)
    assert listed == default_tools(definition)
    assert "placeholder" not in errors
    locked = {tuple(one.partition(" ;")[0].split("==")) for one in pinned(named(definition))}
    assert installed_in(bundle) - locked == {
        (name, definition.version) for name in (named(definition), *SHARED)
    }


def named(definition: Definition) -> str:
    return distribution(definition).name


def installed_in(folder: Path) -> set[tuple[str, ...]]:
    """Names and versions of what a host's uv put beside a bundle."""
    found = folder.glob(".venv/lib/python*/site-packages/*.dist-info")
    return {tuple(path.stem.replace("_", "-").rsplit("-", 1)) for path in found}
