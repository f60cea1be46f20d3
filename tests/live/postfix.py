"""A real Postfix for tests: its own configuration, queue and mailboxes in one folder.

Needs root and the Debian packages postfix, sasl2-bin, libsasl2-modules and openssl; no systemd.
Nothing it takes can leave the machine.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.live import mail_tools
from tests.live.mail_tools import SECONDS, free_ports, make_certificate, run, wait_for

USER = "tester"
PASSWORD = "a secret, with ü"
REALM = "mx.test"
SIZE_LIMIT = 1_048_576

_PACKAGED = Path("/etc/postfix")
_COPIED = ("postfix-files", "postfix-files.d", "dynamicmaps.cf", "dynamicmaps.cf.d")

_MAIN = """\
compatibility_level = 3.6
queue_directory = {root}/queue
data_directory = {root}/data
mail_owner = postfix
setgid_group = postdrop
myhostname = mx.test
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
maillog_file = {root}/mail.log
maillog_file_prefixes = {root}
virtual_mailbox_domains = example.test, xn--bcher-kva.test
virtual_mailbox_maps = inline:{{ {{alice@example.test = alice/}} {{bob@example.test = bob/}} \
{{grey@example.test = grey/}} {{kim@xn--bcher-kva.test = kim/}} }}
virtual_mailbox_base = {root}/mail
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
virtual_minimum_uid = 100
recipient_delimiter = +
message_size_limit = {limit}
default_transport = error:5.1.2 nothing leaves the tests
relay_transport = error:5.1.2 nothing leaves the tests
smtpd_relay_restrictions = reject_unauth_destination
smtpd_recipient_restrictions = check_recipient_access inline:{{ {{grey@example.test = \
450 4.7.1 try later}} }}, permit
smtpd_end_of_data_restrictions = check_sender_access inline:{{ {{late@sender.test = 451 4.3.0 \
later}} {{nope@sender.test = 554 5.7.1 content}} }}
smtpd_tls_cert_file = {root}/cert.pem
smtpd_tls_key_file = {root}/key.pem
smtpd_sasl_type = cyrus
smtpd_sasl_path = smtpd
cyrus_sasl_config_path = {root}/etc/sasl
smtpd_sasl_local_domain = {realm}
notify_classes =
alias_maps =
alias_database =
"""

_MASTER = """\
127.0.0.1:{plain} inet n - n - - smtpd
127.0.0.1:{starttls} inet n - n - - smtpd
  -o smtpd_tls_security_level=encrypt -o smtpd_sasl_auth_enable=yes
  -o smtpd_client_restrictions=permit_sasl_authenticated,reject
127.0.0.1:{implicit} inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes -o smtpd_sasl_auth_enable=yes
  -o smtpd_client_restrictions=permit_sasl_authenticated,reject
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""

_SASL = """\
pwcheck_method: auxprop
auxprop_plugin: sasldb
sasldb_path: {root}/etc/sasldb2
mech_list: PLAIN LOGIN CRAM-MD5
"""


def missing() -> str:
    """Say why no Postfix can be started here; empty when one can."""
    return mail_tools.missing("Postfix", "postfix", "saslpasswd2", "openssl")


@dataclass(frozen=True)
class Postfix:
    """A running Postfix.

    Attributes:
        root: Its folder.
        plain: Port without encryption and login.
        starttls: Port that demands STARTTLS and a login.
        implicit: Port that speaks TLS at once and demands a login.
    """

    root: Path
    plain: int
    starttls: int
    implicit: int

    @property
    def certificate(self) -> Path:
        """Its certificate, which is its own authority; it names localhost."""
        return self.root / "cert.pem"

    @property
    def log(self) -> str:
        """Its log."""
        return (self.root / "mail.log").read_text(encoding="utf-8", errors="replace")

    def forget(self) -> None:
        """Empty all mailboxes."""
        for path in self._delivered("*"):
            path.unlink()

    def welcome_grey(self) -> None:
        """Take mail for the address that was put off until now."""
        main = self.root / "etc/main.cf"
        text = main.read_text(encoding="utf-8")
        main.write_text(text.replace("450 4.7.1 try later", "OK"), encoding="utf-8")
        _postfix(self.root, "reload")

    def mailbox(self, name: str, count: int = 1) -> list[bytes]:
        """Return the messages of a mailbox, waiting until so many have arrived."""
        give_up = time.monotonic() + SECONDS
        while time.monotonic() < give_up:
            found = self._delivered(name)
            if len(found) >= count:
                return [path.read_bytes() for path in found]
            time.sleep(0.05)
        raise AssertionError(f"only {len(self._delivered(name))} messages arrived\n{self.log}")

    def logged(self, words: str, count: int) -> int:
        """Count words in the log, waiting until they are there so often."""
        give_up = time.monotonic() + SECONDS
        while self.log.count(words) < count and time.monotonic() < give_up:
            time.sleep(0.05)
        return self.log.count(words)

    def _delivered(self, name: str) -> list[Path]:
        return sorted((self.root / "mail").glob(f"{name}/new/*"))


@contextlib.contextmanager
def started() -> Iterator[Postfix]:
    """Start a Postfix with a fresh configuration, and stop it."""
    with tempfile.TemporaryDirectory(prefix="postfix-live-") as name:
        root = Path(name)
        server = Postfix(root, *free_ports(3))
        _configure(server)
        _postfix(root, "start")
        try:
            for port in (server.plain, server.starttls, server.implicit):
                wait_for(port)
            yield server
        finally:
            _postfix(root, "stop")


def _configure(server: Postfix) -> None:
    root = server.root
    root.chmod(0o755)
    for name in ("etc/sasl", "queue", "data", "mail"):
        (root / name).mkdir(parents=True)
    shutil.chown(root / "data", "postfix")
    os.chown(root / "mail", 65534, 65534)
    for name in _COPIED:
        source = _PACKAGED / name
        if source.is_dir():
            shutil.copytree(source, root / "etc" / name)
        elif source.exists():
            shutil.copy(source, root / "etc" / name)
    ports = {"plain": server.plain, "starttls": server.starttls, "implicit": server.implicit}
    main = _MAIN.format(root=root, limit=SIZE_LIMIT, realm=REALM)
    (root / "etc/main.cf").write_text(main, encoding="utf-8")
    (root / "etc/master.cf").write_text(_MASTER.format(**ports), encoding="utf-8")
    (root / "etc/sasl/smtpd.conf").write_text(_SASL.format(root=root), encoding="utf-8")
    make_certificate(root)
    _add_user(root / "etc/sasldb2")


def _add_user(database: Path) -> None:
    command = ["saslpasswd2", "-p", "-c", "-f", str(database), "-u", REALM, USER]
    run(command, given=PASSWORD.encode())
    shutil.chown(database, group="postfix")
    database.chmod(0o640)


def _postfix(root: Path, verb: str) -> None:
    run(["postfix", "-c", str(root / "etc"), verb])
