"""Writes one page of all dialogs, hostile values included: rendered beside their plain text.

    python -m tests.dialogs.page FOLDER

The left half is what GitHub's renderer makes of a message, the right half what a client
shows that renders nothing.
"""

from __future__ import annotations

import asyncio
import html
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from mcp_approval.limits import Limits
from mcp_approval.question import Detail, Marked, Question, TooMuchToShowError
from tests.dialogs.calls import ASKING, Asking, asking_client, served
from tests.support.dialog_guard import HOSTILE, look, looking
from tests.support.rendered import rendered

HEAD = """<!doctype html>
<meta charset="utf-8">
<title>Dialogs</title>
<style>
body { font: 15px sans-serif; margin: 2em }
section { display: grid; grid-template-columns: 1fr 1fr; gap: 2em; border-top: 1px solid #ccc }
h2 { font-size: 1em }
pre { white-space: pre-wrap }
</style>
"""


async def question_of(asking: Asking) -> tuple[Question, Limits]:
    """Make a call against its stand-in, and take the question."""
    async with served(asking.server) as (server, _), asking_client(server) as made:
        with looking() as seen:
            await made(asking.tool, asking.arguments)
    question, limits, _ = seen[0]
    return question, limits


def hostile(question: Question, start: int) -> Question:
    """Put a hostile text into each line of a question."""

    def put(index: int, detail: Detail) -> Detail:
        if isinstance(detail.value, Marked):
            return detail
        return replace(detail, value=HOSTILE[(start + index) % len(HOSTILE)])

    return replace(
        question, details=tuple(put(index, one) for index, one in enumerate(question.details))
    )


def section(title: str, message: str) -> str:
    """Show a message twice."""
    return (
        f"<h2>{html.escape(title)}</h2>\n<section><div>{rendered(message)}</div>"
        f"<pre>{html.escape(message)}</pre></section>\n"
    )


async def sections() -> list[str]:
    """All messages, each call as it is and with three rounds of hostile values."""
    made = []
    for number, asking in enumerate(ASKING):
        question, limits = await question_of(asking)
        made.append(section(str(asking), look(question, limits)))
        for start in (number, number + 7, number + 14) if question.details else ():
            with suppress(TooMuchToShowError):
                message = look(hostile(question, start), limits)
                made.append(section(f"{asking}, hostile", message))
    return made


def main(folder: Path) -> None:
    """Write the page."""
    folder.mkdir(parents=True, exist_ok=True)
    made = asyncio.run(sections())
    page = folder / "dialogs.html"
    page.write_text(HEAD + "".join(made), encoding="utf-8")
    print(f"{len(made)} dialogs in {page}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
