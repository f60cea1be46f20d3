"""The requirements manifest: one sentence for each id that a test may name.

`S-all-3` and its kin are sentences of the founding texts; `T-ntfy-9` is something that goes wrong
easily, `AP-41` an attempt against an approval, `R-20` a reported case; `C-9` is a rule. A test
carries the id of each sentence that it holds.
"""

from __future__ import annotations

from tests.project.manifest import (
    approval,
    founding,
    hetzner_dns,
    house,
    ntfy,
    reported,
    smtp,
    woodpecker_ci,
)

PARTS: tuple[dict[str, str], ...] = (
    founding.COMMON,
    founding.NTFY,
    founding.SMTP,
    founding.HETZNER,
    founding.WOODPECKER,
    ntfy.TRAPS,
    ntfy.RULES,
    smtp.TRAPS,
    smtp.RULES,
    hetzner_dns.TRAPS,
    hetzner_dns.RULES,
    woodpecker_ci.TRAPS,
    woodpecker_ci.RULES,
    approval.ADVERSARIAL,
    approval.SHARED,
    approval.REACH,
    approval.RECORD,
    approval.LIBRARY,
    house.HOUSE,
    house.FIRST_USE,
    reported.REPORTED,
)

MANIFEST: dict[str, str] = {name: sentence for part in PARTS for name, sentence in part.items()}
