"""What the tests against real things need, what of it is here, and how the rest is brought.

A program is named by a variable, or lies in the folder `.live` under the name given here.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.live import desktop, dovecot, mail_tools, postfix, rspamd

FOLDER = Path(__file__).parents[2] / ".live"


class Program(NamedTuple):
    """A program that the system's packages do not bring.

    Attributes:
        variable: Names its path.
        file: Its name in the folder.
    """

    variable: str
    file: str

    def path(self) -> str | None:
        """Where it is, if it is here."""
        file = FOLDER / self.file
        return os.environ.get(self.variable) or (str(file) if file.is_file() else None)

    def missing(self) -> str:
        """How to bring it; empty when it is here."""
        return "" if self.path() else f"set {self.variable}, or put it at .live/{self.file}"


NTFY = Program("NTFY_TEST_BIN", "ntfy")
NTFY_URL = "NTFY_TEST_URL"
WOODPECKER = (
    Program("WOODPECKER_TEST_SERVER_BIN", "woodpecker-server"),
    Program("WOODPECKER_TEST_AGENT_BIN", "woodpecker-agent"),
)
HCLOUD = Program("HCLOUD_CLI", "hcloud")
EXIM = Program("EXIM_TEST_BIN", "exim4")
NSD = Program("NSD_TEST_BIN", "nsd")
WEASYPRINT = Program("WEASYPRINT", "weasyprint")


def _variables(*names: str) -> Callable[[], str]:
    def missing() -> str:
        absent = [name for name in names if not os.environ.get(name)]
        return f"set {', '.join(absent)}" if absent else ""

    return missing


def _commands(package: str, *names: str) -> Callable[[], str]:
    def missing() -> str:
        absent = [name for name in names if shutil.which(name) is None]
        return f"install {', '.join(absent)} (Debian: {package})" if absent else ""

    return missing


def _all(*parts: Callable[[], str]) -> Callable[[], str]:
    return lambda: "; ".join(filter(None, (part() for part in parts)))


def nsd() -> str | None:
    """The name server NSD, from its variable or the system's packages."""
    return NSD.path() or shutil.which("nsd")


def _nsd() -> str:
    return "" if nsd() else f"{NSD.missing()}, or install nsd (Debian: nsd)"


def _ntfy() -> str:
    return "" if os.environ.get(NTFY_URL) else NTFY.missing()


SERVICES: dict[str, Callable[[], str]] = {
    "ntfy": _ntfy,
    "woodpecker": _all(*(program.missing for program in WOODPECKER)),
    "hcloud": HCLOUD.missing,
    "hetzner": _variables("HETZNER_LIVE_TOKEN", "HETZNER_LIVE_ZONE"),
    "dovecot": dovecot.missing,
    "postfix": postfix.missing,
    "exim": _all(EXIM.missing, lambda: mail_tools.missing("Exim")),
    "rspamd": rspamd.missing,
    "weasyprint": _all(WEASYPRINT.missing, _commands("poppler-utils", "pdftotext")),
    "desktop": desktop.missing,
    "zenity": _commands("zenity xvfb xdotool", "zenity", "Xvfb", "xdotool"),
    "nsd": _nsd,
    "bind": _commands("bind9-utils", "named-checkzone"),
}
"""Each thing to how it is brought; empty where it is here."""
