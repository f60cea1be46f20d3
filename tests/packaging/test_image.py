"""The image, as far as it can be seen without a container engine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from mcp_serverkit.definition import Definition
from scripts.commands import run
from scripts.definitions import DEFINITIONS, ROOT
from tests.packaging.commands import default_tools, listed_tools
from tests.packaging.replay import DOCKERFILE, Replay, instructions

CONFINED = (
    "mount -o remount,bind,ro / && ! touch /read-only 2>/dev/null && "
    'exec setpriv --reuid "$0" --regid "$0" --clear-groups --no-new-privs --bounding-set -all "$@"'
)
"""A read-only root, a number for a user, and no capability, as the documented run line has it."""


@pytest.fixture(scope="module", params=DEFINITIONS, ids=lambda definition: definition.name)
def definition(request: pytest.FixtureRequest) -> Definition:
    return cast("Definition", request.param)


@pytest.fixture(scope="module")
def image(definition: Definition) -> Iterator[Replay]:
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)  # the image's user must get there
        replay = Replay(Path(name), definition.name)
        replay.build()
        yield replay


def confined(image: Replay) -> list[str]:
    """The command of a confined container, the server being its first process."""
    tools = all(shutil.which(name) for name in ("unshare", "setpriv", "mount"))
    probe = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c"]
    if not tools or subprocess.run([*probe, "true"], capture_output=True, check=False).returncode:
        pytest.skip("platform: namespaces cannot be made here")
    return [*probe, CONFINED, image.user, *image.entry_point]


def test_the_linter_of_dockerfiles_has_nothing_to_say(tools: Path) -> None:
    run([tools / "hadolint", DOCKERFILE])


def test_the_backends_file_follows_the_compose_specification(tools: Path) -> None:
    schema = "vendor.compose-spec"
    run([tools / "check-jsonschema", "--builtin-schema", schema, ROOT / "docker" / "compose.yaml"])


def test_the_last_stage_starts_a_command_without_a_shell_as_a_numbered_user() -> None:
    steps = instructions(DOCKERFILE.read_text(encoding="utf-8"))
    words = [step.word for step in steps]
    assert words.count("FROM") == 2
    assert not {"EXPOSE", "HEALTHCHECK", "CMD", "SHELL"} & set(words)
    assert steps[-1].word == "ENTRYPOINT"
    assert steps[-1].rest.startswith("[")
    (user,) = (step.rest for step in steps if step.word == "USER")
    assert user.replace(":", "").isdigit()


@pytest.mark.requirement("C-26")
def test_what_builds_the_image_is_pinned_by_hash() -> None:
    """Docker checks what the lock pins: every build requirement of a package, and uv."""
    pinned = (ROOT / "docker" / "build-requirements.lock").read_text(encoding="utf-8")
    names = re.findall(r"^([a-z0-9-]+)==[0-9.]+ \\\n    --hash=sha256:", pinned, re.MULTILINE)
    assert len(names) == pinned.count("==")
    (uv,) = re.findall(r"^UV_VERSION := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert f"uv=={uv} " in pinned
    for file in [*ROOT.glob("packages/*/pyproject.toml"), *ROOT.glob("shared/*/pyproject.toml")]:
        wanted = tomllib.loads(file.read_text(encoding="utf-8"))["build-system"]["requires"]
        assert {re.split("[<>=~!]", one)[0] for one in wanted} <= set(names)
    lines = DOCKERFILE.read_text(encoding="utf-8")
    assert "pip install --no-cache-dir --require-hashes -r build-requirements.lock" in lines
    assert "--constraints requirements.lock --build-constraints build-requirements.lock" in lines


def test_the_built_environment_lists_the_tools(image: Replay, definition: Definition) -> None:
    listed, _ = listed_tools(image.entry_point, cwd=image.root, env=image.env)
    assert listed == default_tools(definition)
    assert not (image.root / "source").exists()
    installed = {path.name for path in image.root.glob("*/bin/*")}
    assert "python" in installed
    assert not installed & {"uv", "uvx", "pip", "pip3"}
    assert list((image.root / "app" / "lib").rglob(f"{definition.package}/**/*.pyc"))


def test_a_confined_container_lists_the_tools(image: Replay, definition: Definition) -> None:
    listed, _ = listed_tools(confined(image), cwd=image.root, env=image.env)
    assert listed == default_tools(definition)


def test_a_confined_container_loads_everything_and_calls_a_tool(
    image: Replay, definition: Definition
) -> None:
    tool = next(tool for tool in definition.registry() if tool.annotations.read_only).name
    done = run(confined(image), cwd=image.root, env=image.env, stdin=calling(tool))
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["id"] == 2
    assert answer["result"]["content"]


def test_sigterm_ends_the_first_process_of_a_container(image: Replay) -> None:
    command = confined(image)
    command[1:1] = ["--kill-child=SIGTERM"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(HELLO)
        process.stdin.flush()
        assert b"serverInfo" in process.stdout.readline()
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        os.kill(int(children.read_text(encoding="ascii")), 15)
        assert process.wait(timeout=30) == 0


HELLO = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n'
)


def calling(tool: str) -> str:
    ready = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    call = (
        '{"jsonrpc":"2.0","id":2,"method":"tools/call",'
        f'"params":{{"name":"{tool}","arguments":{{}}}}}}\n'
    )
    return HELLO.decode() + ready + call
