"""The commands of the README make an instance by which a person can be asked, and no other can."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from scripts.definitions import ROOT
from tests.live.ntfy_server import binary, started_server
from tests.support.process import spawn

pytestmark = pytest.mark.live("ntfy")

BINARY = binary()

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = textwrap.dedent(
    "".join(re.findall(r"^    ntfy .*\n", README.partition("## Asking a person outside")[2], re.M))
)
ASK, ANSWERS = re.findall(r"ntfy access server +(\S+)", COMMANDS)
PASSWORD = "a-password-of-the-tests"


@dataclass
class Instance:
    """A real ntfy that was set up as the README says."""

    url: str
    environ: dict[str, str]
    tokens: dict[str, str] = field(default_factory=dict)

    def run(self, commands: str) -> str:
        done = subprocess.run(
            ["sh", "-ec", commands], env=self.environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Instance]:
    if BINARY is None:
        pytest.skip("its commands need the program, not a server that runs elsewhere")
    (tmp_path / "ntfy").symlink_to(BINARY)
    database = str(tmp_path / "user.db")
    options = {"auth-file": database, "auth-default-access": "deny-all"}
    with started_server(BINARY, options=options) as server:
        environ = {
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "NTFY_AUTH_FILE": database,
            "NTFY_AUTH_DEFAULT_ACCESS": "deny-all",
            "NTFY_PASSWORD": PASSWORD,
        }
        found = Instance(server.url, environ)
        said = found.run(COMMANDS)
        found.tokens = {who: token for token, who in re.findall(r"(tk_\w+) .*user (\w+)", said)}
        yield found


async def check(at: Instance) -> tuple[int, list[str]]:
    given = {
        "NTFY_URL": at.url,
        "APPROVAL_REACH": "phone",
        "APPROVAL_NTFY_URL": at.url,
        "APPROVAL_NTFY_ASK_TOPIC": ASK,
        "APPROVAL_NTFY_ANSWER_TOPIC": ANSWERS,
        "APPROVAL_NTFY_TOKEN": at.tokens["server"],
        "APPROVAL_NTFY_BUTTON_TOKEN": at.tokens["button"],
    }
    async with spawn("ntfy_mcp", given, arguments=("--check",)) as server:
        code = await server.exit_code()
        lines = (await server.rest()).decode().splitlines()
    return code, [line for line in lines if line.startswith("phone")]


@pytest.mark.requirement("A-20")
async def test_what_the_readme_says_is_enough(at: Instance) -> None:
    assert await check(at) == (
        0,
        ["phone: the topics are closed, answers are heard, a test was sent"],
    )
    async with httpx.AsyncClient(base_url=at.url, trust_env=False) as http:
        seen = (await http.get(f"/{ASK}/json?poll=1", auth=("anna", PASSWORD))).json()
        refused = await http.get(f"/{ASK}/json?poll=1")
    assert seen["message"] == "Nothing is asked."
    assert refused.status_code == 403


@pytest.mark.requirement("A-12", "A-20")
@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (f"server {ASK} read-write", "the server's token can read the questions"),
        (f"server {ANSWERS} read-write", "the server's token can write answers"),
        (f"everyone {ASK} read-only", "anybody can read the questions"),
        (f"everyone {ANSWERS} write-only", "anybody can write answers"),
    ],
)
async def test_each_right_too_many_is_found(at: Instance, rule: str, told: str) -> None:
    at.run(f"ntfy access {rule}")
    assert await check(at) == (1, [f"phone: the topics are not closed: {told}"])
