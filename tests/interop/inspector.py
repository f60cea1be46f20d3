"""`python -m tests.interop.inspector SERVER`: what the MCP Inspector says of a server.

All that it prints is shown, and then a line of verdict for each run. It declares no
elicitation, so a guarded call must end with the token prompt, whatever era it speaks; a
server that asked it all the same would leave it hanging, which the bound of each run ends.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from io import TextIOWrapper
from typing import cast

from scripts.servers import UnknownServerError, find
from tests.interop.clients import Done, run
from tests.interop.subjects import SUBJECTS, Subject
from tests.interop.tools import INSPECTOR, NODE

ERAS = ("legacy", "auto", "modern")
METHODS = ("initialize", "tools/list", "tools/call")

TOOL_ERROR = 5
"""Its exit code where a tool's result is an error."""

HUNG = Done(-1, "", "It did not come to an end, and was killed.\n")


async def inspect(subject: Subject, method: str, era: str, **environ: str) -> Done:
    """Run it once: it starts the server, makes one request, and ends both.

    Args:
        subject: The server.
        method: One of `METHODS`; the call is the subject's guarded one.
        era: One of `ERAS`.
        **environ: Further settings of the server.
    """
    tool, arguments = subject.guarded
    more = {
        "tools/list": ["--strict"],
        "tools/call": ["--tool-name", tool, "--tool-args-json", json.dumps(arguments)],
    }
    settings = [f"{name}={value}" for name, value in {**subject.environ, **environ}.items()]
    try:
        return await run(
            [
                *(str(NODE), str(INSPECTOR), "--cli", sys.executable, "-m", subject.module),
                *(word for setting in settings for word in ("-e", setting)),
                *("--method", method, *more.get(method, [])),
                *("--protocol-era", era),
            ]
        )
    except TimeoutError:
        return HUNG


def judged(subject: Subject, method: str, done: Done) -> tuple[bool, str]:
    """Tell whether a run went as it must, and what it showed."""
    wanted = TOOL_ERROR if method == "tools/call" else 0
    if done.code != wanted:
        return False, f"it ended with code {done.code}, not {wanted}"
    if method == "tools/call":
        written = subject.writes()
        if written:
            return False, f"nobody agreed, and this happened: {', '.join(written)}"
        if "confirm_token=" not in done.stdout:
            return False, "no token was given"
        return True, f"{subject.guarded[0]} gave a token, and nothing happened"
    printed = cast("Mapping[str, object]", json.loads(done.stdout))
    if method == "tools/list":
        count = len(cast("list[object]", printed["tools"]))
        if count != subject.tools:
            return False, f"{count} tools, not {subject.tools}"
        return True, f"{count} tools, and no fault in a schema"
    told = cast("Mapping[str, object]", printed["serverInfo"])
    found = f"{told['name']} {told['version']} speaks {printed['protocolVersion']}"
    return told["name"] == subject.name, found


async def report(name: str) -> bool:
    """Show all runs and their verdicts; tell whether all went as they must."""
    verdicts: list[tuple[bool, str]] = []
    shown: dict[tuple[str, str], str] = {}
    async with SUBJECTS[name]() as subject:
        for era in ERAS:
            for method in METHODS:
                print(f"\n== {method}, {era}", flush=True)
                done = await inspect(subject, method, era)
                printed = done.stdout + done.stderr
                same = shown.setdefault((method, printed), era)
                print(printed if same == era else f"the same as {same}", flush=True)
                good, found = judged(subject, method, done)
                verdicts.append((good, f"{era:<6}  {method:<10}  {found}"))
    print()
    for good, line in verdicts:
        print(f"{'ok   ' if good else 'WRONG'}  {line}")
    return all(good for good, _ in verdicts)


def main(arguments: list[str]) -> int:
    """Run the command; 1 where a verdict is bad."""
    # What a server says is UTF-8, whatever the terminal is.
    cast("TextIOWrapper", sys.stdout).reconfigure(errors="backslashreplace")
    try:
        server = find(arguments[0] if arguments else "ntfy")
        return 0 if asyncio.run(report(server.short[0])) else 1
    except UnknownServerError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nended before its end", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
