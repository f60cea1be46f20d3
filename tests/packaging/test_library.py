"""The approval library from its own wheel: the example starts, lists, asks and acts."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.session import ElicitationFnT
from mcp.client.stdio import StdioServerParameters, stdio_client

from scripts.commands import run
from tests.library.servers import FASTMCP, FRAMEWORKS, SDK, example_text
from tests.library.test_guard import yes
from tests.packaging.commands import install, new_environment
from tests.packaging.test_wheels import wheel_of
from tests.support.clients import ERAS, Era, call, text, token_in

FASTMCP_ALLOWED = "fastmcp==4.2.*"


@pytest.fixture(scope="module")
def commands(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folder of commands of an environment with nothing but the wheel, and with FastMCP."""
    made = {}
    for framework, more in ((SDK, []), (FASTMCP, [FASTMCP_ALLOWED])):
        made[framework] = new_environment(tmp_path_factory.mktemp(framework) / "venv")
        install(made[framework], wheel_of(dist, "mcp-approval"), *more)
    return made


@pytest.fixture(scope="module")
def examples(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The example as the source distribution has it, and as it is for FastMCP."""
    folder = tmp_path_factory.mktemp("examples")
    (source,) = dist.glob("mcp_approval-*.tar.gz")
    with tarfile.open(source) as archive:
        name = next(name for name in archive.getnames() if name.endswith("examples/shop.py"))
        published = archive.extractfile(name)
        assert published is not None
        assert published.read().decode() == example_text(SDK)
    paths = {framework: folder / f"{framework}.py" for framework in FRAMEWORKS}
    for framework, path in paths.items():
        path.write_text(example_text(framework), encoding="utf-8")
    return paths


@pytest.mark.requirement("L-1")
@pytest.mark.parametrize("answer", [yes, None], ids=["dialogs", "no dialogs"])
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_the_example_starts_lists_asks_and_acts(
    framework: str,
    era: Era,
    answer: ElicitationFnT | None,
    commands: dict[str, Path],
    examples: dict[str, Path],
    tmp_path: Path,
) -> None:
    started = StdioServerParameters(
        command=str(commands[framework] / "python"),
        args=[str(examples[framework])],
        env={"APPROVAL_RECORD": str(tmp_path / "record.jsonl")},
        cwd=tmp_path,
    )
    mode = "legacy" if era == "2025-11-25" else era
    async with Client(stdio_client(started), mode=mode, elicitation_callback=answer) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["delete_branch"]
        arguments = {"branch": "main"}
        if answer is None:
            asked = await call(client, "delete_branch", arguments)
            arguments["confirm_token"] = token_in(asked)
        assert text(await call(client, "delete_branch", dict(arguments))) == "deleted main"
    record = tmp_path / "record.jsonl"
    said = run([commands[framework] / "mcp-approval", "verify", record], cwd=tmp_path).stdout
    assert said.startswith("ok: 4 records in 1 file")


@pytest.mark.requirement("L-10")
def test_fastmcp_is_not_brought_along(commands: dict[str, Path]) -> None:
    asked = "import importlib.util as u; print(u.find_spec('fastmcp') is not None)"
    found = {name: run([at / "python", "-c", asked]).stdout for name, at in commands.items()}
    assert found == {SDK: "False\n", FASTMCP: "True\n"}
