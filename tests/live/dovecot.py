"""A real Dovecot for tests: folders by IMAP and submission, its files in one folder.

Needs root and the Debian packages dovecot-imapd, dovecot-submissiond and openssl; no systemd.
What it takes by submission goes to the one port on this machine that it is given.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import imaplib
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.live import mail_tools
from tests.live.mail_tools import PATH, SECONDS, free_ports, make_certificate, wait_for

USER = "tester"
PASSWORD = "a secret, with ü"
SENT_FOLDER = "Sent Items"
"""The one that is marked as it."""

OTHER_FOLDER = "Gesendete Übersicht"
DRAFTS_FOLDER = "Entwürfe"
"""The one that is marked for drafts."""


_NOBODY = 65534
_TOKEN_KEY = b"the key that tokens of the tests are signed with"

_MAIN = """\
base_dir = {root}/run
state_dir = {root}/state
log_path = {root}/dovecot.log
auth_verbose = yes
protocols = imap submission
listen = 127.0.0.1
ssl = yes
ssl_cert = <{root}/cert.pem
ssl_key = <{root}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2 oauthbearer
mail_location = maildir:{root}/mail/%n
mail_plugins =
mailbox_list_index = no
first_valid_uid = 100
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {root}/oauth2.conf
}}
passdb {{
  driver = passwd-file
  mechanisms = plain login
  args = scheme=PLAIN {root}/users
}}
userdb {{
  driver = static
  args = uid={nobody} gid={nobody} home={root}/mail/%n
}}
namespace inbox {{
  inbox = yes
  mailbox "{sent}" {{
    auto = create
    special_use = \\Sent
  }}
  mailbox "{other}" {{
    auto = create
  }}
  mailbox "{drafts}" {{
    auto = create
    special_use = \\Drafts
  }}
}}
hostname = submission.test
submission_relay_host = 127.0.0.1
submission_relay_port = {relay}
service imap-login {{
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
  }}
}}
service submission-login {{
  inet_listener submission {{
    port = {submission}
  }}
}}
"""

_TOKENS = """\
introspection_mode = local
local_validation_key_dict = fs:posix:prefix={root}/keys/
username_attribute = sub
"""


def missing() -> str:
    """Say why no Dovecot can be started here; empty when one can."""
    absent = mail_tools.missing("Dovecot", "dovecot", "openssl")
    parts = [Path("/usr/lib/dovecot") / name for name in ("imap-login", "submission-login")]
    if not absent and not all(part.exists() for part in parts):
        return "not installed: dovecot-imapd or dovecot-submissiond"
    return absent


@dataclass(frozen=True)
class Dovecot:
    """A running Dovecot.

    Attributes:
        root: Its folder.
        imap: Port of IMAP, with STARTTLS for those who want it.
        imaps: Port of IMAP that speaks TLS at once.
        submission: Port of submission, with STARTTLS for those who want it.
    """

    root: Path
    imap: int
    imaps: int
    submission: int

    @property
    def certificate(self) -> Path:
        """Its certificate, which is its own authority; it names localhost."""
        return self.root / "cert.pem"

    @property
    def log(self) -> str:
        """Its log."""
        return (self.root / "dovecot.log").read_text(encoding="utf-8", errors="replace")

    def logged(self, words: str, count: int) -> int:
        """Count words in the log, waiting until they are there so often."""
        give_up = time.monotonic() + SECONDS
        while self.log.count(words) < count and time.monotonic() < give_up:
            time.sleep(0.05)
        return self.log.count(words)

    def newest(self, folder: str) -> tuple[bytes, bytes]:
        """The newest message of a folder; its flags and structure, both in lower case."""
        client = imaplib.IMAP4("127.0.0.1", self.imap)
        try:
            client.authenticate("PLAIN", lambda _: f"\0{USER}\0{PASSWORD}".encode())
            _, [count] = client.select(f'"{_on_the_wire(folder)}"', readonly=True)
            assert count
            _, found = client.fetch(count.decode(), "(BODY.PEEK[] FLAGS BODYSTRUCTURE)")
            content = next(part[1] for part in found if isinstance(part, tuple))
            told = b" ".join(part if isinstance(part, bytes) else part[0] for part in found if part)
            return content, told.lower()
        finally:
            client.logout()


def token(*, lifetime: int = 3600) -> str:
    """An access token that this Dovecot takes as long as it lives."""
    now = int(time.time())
    head = {"alg": "HS256", "typ": "JWT"}
    claims = {"sub": USER, "iat": now - 60, "exp": now + lifetime}
    signed = ".".join(_encoded(json.dumps(part).encode()) for part in (head, claims))
    signature = hmac.new(_TOKEN_KEY, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{_encoded(signature)}"


@contextlib.contextmanager
def started(relay: int) -> Iterator[Dovecot]:
    """Start a Dovecot that hands mail to a port on this machine, and stop it."""
    with tempfile.TemporaryDirectory(prefix="dovecot-live-") as name:
        root = Path(name)
        server = Dovecot(root, *free_ports(3))
        _configure(server, relay)
        command = ["dovecot", "-F", "-c", str(root / "dovecot.conf")]
        process = subprocess.Popen(command, env={"PATH": PATH, "LC_ALL": "C"})
        try:
            for port in (server.imap, server.imaps, server.submission):
                wait_for(port)
            yield server
        finally:
            process.terminate()
            process.wait(timeout=20)


def _configure(server: Dovecot, relay: int) -> None:
    root = server.root
    root.chmod(0o755)
    for name in ("mail", "state", "keys/default/HS256"):
        (root / name).mkdir(parents=True)
    os.chown(root / "mail", _NOBODY, _NOBODY)
    make_certificate(root)
    text = _MAIN.format(
        root=root,
        nobody=_NOBODY,
        sent=SENT_FOLDER,
        other=OTHER_FOLDER,
        drafts=DRAFTS_FOLDER,
        relay=relay,
        imap=server.imap,
        imaps=server.imaps,
        submission=server.submission,
    )
    (root / "dovecot.conf").write_text(text, encoding="utf-8")
    (root / "oauth2.conf").write_text(_TOKENS.format(root=root), encoding="utf-8")
    (root / "users").write_text(f"{USER}:{PASSWORD}\n", encoding="utf-8")
    key = root / "keys/default/HS256/default"
    key.write_bytes(base64.b64encode(_TOKEN_KEY))


def _on_the_wire(folder: str) -> str:
    return folder.replace("Ü", "&ANw-").replace("ü", "&APw-")


def _encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")
