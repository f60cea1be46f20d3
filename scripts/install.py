"""Install the servers for every day, and say how a client starts them.

python3 scripts/install.py install [NAME]       all servers, or one; a second run updates
python3 scripts/install.py uninstall [NAME]

Each server gets an environment of its own from `uv tool install`, and a command in uv's
folder for commands. Started from there it needs no network.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict, cast

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.servers import Server, chosen

ROOT = Path(__file__).parents[1]
UV = ROOT / ".tools" / "bin" / "uv"

SHARED = ("mcp-approval", "mcp-serverkit")


ALSO = {"woodpecker-ci-mcp": {"WOODPECKER_EXTRAS": "true"}}
"""Set besides: what answers why a build failed is a tool that is off by default."""


class Described(TypedDict, total=False):
    """A variable as `server.json` describes it."""

    name: str
    isSecret: bool
    placeholder: str


def install(server: Server) -> None:
    """Install a server, or bring an installed one to what the checkout holds.

    Raises:
        subprocess.CalledProcessError: uv could not; it has said why.
    """
    # Without naming them, uv keeps the shared packages as they were at the first install.
    again = [f"--reinstall-package={name}" for name in (*SHARED, server.distribution)]
    _uv(
        *("tool", "install", "--quiet", "--python", sys.executable),
        *("--constraints", "requirements.lock"),
        *again,
        f"./packages/{server.folder}",
    )


def uninstall(server: Server) -> bool:
    """Remove a server; tell whether it was there."""
    listed = _uv("tool", "list", capture=True).splitlines()
    if not any(line.split()[:1] == [server.distribution] for line in listed):
        return False
    _uv("tool", "uninstall", "--quiet", server.distribution)
    return True


def command_of(server: Server) -> Path:
    """The absolute path of an installed server's command."""
    folder = _uv("tool", "dir", "--bin", capture=True).strip()
    name = f"{server.command}.exe" if os.name == "nt" else server.command
    return Path(folder).absolute() / name


def variables_of(server: Server) -> dict[str, str]:
    """What a client's configuration sets: the listed variables, with values to start from.

    A secret stands in a file, which the variable with `_FILE` names.
    """
    text = (ROOT / "packages" / server.folder / "server.json").read_text(encoding="utf-8")
    described = cast("list[Described]", json.loads(text)["packages"][0]["environmentVariables"])
    chosen_values = {}
    for variable in described:
        name = variable["name"]
        if variable.get("isSecret"):
            file = name.lower().replace("_", "-")
            chosen_values[f"{name}_FILE"] = f"/path/to/{file}"
        elif variable.get("placeholder"):
            chosen_values[name] = variable["placeholder"]
    return {**chosen_values, **ALSO.get(server.folder, {})}


def claude_code(server: Server, command: str) -> str:
    """The line that registers a server with Claude Code."""
    settings = [f"{name}={value}" for name, value in variables_of(server).items()]
    flags = [part for setting in settings for part in ("-e", setting)]
    name = server.short[0]
    return shlex.join(["claude", "mcp", "add", name, "-s", "user", *flags, "--", command])


def entry(server: Server, command: str) -> str:
    """The entry for a client with a file of `mcpServers`."""
    described = {"command": command, "env": variables_of(server)}
    return json.dumps({"mcpServers": {server.short[0]: described}}, indent=2)


def told(server: Server) -> str:
    """What a person needs to register an installed server."""
    command = str(command_of(server))
    return (
        f"{server.command}\n\n  {command}\n\n"
        f"Claude Code:\n\n  {claude_code(server, command)}\n\n"
        "Clients with an mcpServers file:\n\n"
        + "\n".join(f"  {line}" for line in entry(server, command).splitlines())
        + "\n"
    )


def unfindable(folder: Path) -> bool:
    """Tell whether a folder for commands is not where a shell looks."""
    found = [Path(part).absolute() for part in os.environ.get("PATH", "").split(os.pathsep) if part]
    return folder not in found


def _uv(*arguments: str, capture: bool = False) -> str:
    done = subprocess.run(
        [str(UV), *arguments],
        cwd=ROOT,
        check=True,
        text=True,
        stdout=subprocess.PIPE if capture else None,
        stderr=subprocess.DEVNULL if capture else None,
    )
    return done.stdout if capture else ""


def main(arguments: Sequence[str]) -> int:
    """Do as the command line says."""
    action, name = [*arguments, "", ""][:2]
    if action not in {"install", "uninstall"}:
        print("takes install or uninstall, and a server's name", file=sys.stderr)
        return 2
    try:
        servers = chosen(name)
        if action == "uninstall":
            for server in servers:
                print(f"{server.command}: {'removed' if uninstall(server) else 'not installed'}")
            return 0
        for server in servers:
            install(server)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as error:
        return error.returncode
    for server in servers:
        print(told(server))
    folder = command_of(servers[0]).parent
    if unfindable(folder):
        print(f"{folder} is not on your PATH: a client needs the whole path, as above.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
