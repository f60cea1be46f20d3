"""What each server says at its start, and on which stream."""

from __future__ import annotations

import pytest

from mcp_serverkit.definition import Definition
from scripts.definitions import DEFINITIONS
from tests.support.process import spawn

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)

START_LINES = {
    "ntfy-mcp": "ntfy-mcp: ELICITATION=false — guarded tools fall back to the two-call token",
    "smtp-mcp": "smtp-mcp: ELICITATION=false — send_mail, reply_mail and forward_mail fall back to "
    "the two-call token, which a model can satisfy on its own",
    "hetzner-dns-mcp": "hetzner-dns-mcp: ELICITATION=false — guarded tools fall back to the "
    "two-call token",
    "woodpecker-ci-mcp": "woodpecker-ci-mcp: ELICITATION=false — guarded tools fall back to the "
    "two-call token",
}


def first_tool(definition: Definition) -> str:
    return next(iter(definition.registry())).name


@pytest.mark.requirement("R-21")
@by_name
@pytest.mark.parametrize(
    ("variable", "value", "code"),
    [
        ("", "", 0),
        ("ELICITATION", "false", 0),
        ("{prefix}_INSECURE_TLS", "true", 0),
        ("{prefix}_URL", "http://service.example.net", 0),
        ("{prefix}_ALLOW_TOOLS", "no_such_tool", 1),
        ("ELICITATION", "1", 1),
        ("PYTHONWARNINGS", "always", 0),
        ("PYTHONASYNCIODEBUG", "1", 0),
    ],
)
async def test_stdout_carries_nothing_but_json_rpc(
    definition: Definition, variable: str, value: str, code: int
) -> None:
    environ = {variable.format(prefix=definition.prefix): value} if variable else {}
    async with spawn(definition.package, environ) as server:
        if code == 0:
            await server.initialize()
            call: dict[str, object] = {"name": first_tool(definition), "arguments": {"nonsense": 1}}
            await server.request(2, "tools/call", call)
            await server.close_stdin()
        assert await server.exit_code() == code
        assert await server.rest() == b""
        errors = await server.errors()
        assert "Traceback" not in errors
        if code == 1:
            assert all(line.startswith(f"{definition.name}: ") for line in errors.splitlines())


@pytest.mark.requirement("S-all-14", "S-smtp-11")
@by_name
async def test_the_start_line_is_exact_in_any_locale_and_at_any_log_level(
    definition: Definition,
) -> None:
    environ = {
        "ELICITATION": "false",
        "PYTHONIOENCODING": "ascii",
        "LC_ALL": "C",
        f"{definition.prefix}_LOG_LEVEL": "error",
        f"{definition.prefix}_READ_ONLY": "1",
    }
    async with spawn(definition.package, environ) as server:
        await server.close_stdin()
        assert await server.exit_code() == 0
        lines = (await server.errors()).splitlines()
        assert lines.count(START_LINES[definition.name]) == 1


@by_name
async def test_no_start_line_is_printed_while_dialogs_are_on(definition: Definition) -> None:
    async with spawn(definition.package) as server:
        await server.close_stdin()
        assert await server.exit_code() == 0
        assert "ELICITATION" not in await server.errors()


@by_name
@pytest.mark.parametrize("option", ["--help", "--version"])
async def test_help_and_version_need_no_configuration(definition: Definition, option: str) -> None:
    async with spawn(definition.package, arguments=(option,)) as server:
        assert await server.exit_code() == 0
        said = (await server.rest()).decode()
        assert definition.name in said
        if option == "--help":
            assert all(variable.name in said for variable in definition.variables)


@by_name
async def test_an_unknown_option_is_refused_with_code_two(definition: Definition) -> None:
    async with spawn(definition.package, arguments=("--verbose",)) as server:
        assert await server.exit_code() == 2
        assert await server.rest() == b""
