from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.backends.smtp import Certificates, SmtpBackend
from tests.smtp.support import Desk


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.make(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
async def backend() -> AsyncIterator[SmtpBackend]:
    async with SmtpBackend() as running:
        yield running


@pytest.fixture
def desk(backend: SmtpBackend, tmp_path: Path) -> Desk:
    folder = tmp_path / "attachments"
    folder.mkdir()
    return Desk(backend, folder)


@pytest.fixture
async def secure(certificates: Certificates) -> AsyncIterator[SmtpBackend]:
    """A stand-in with STARTTLS."""
    async with SmtpBackend(tls=certificates.good) as running:
        yield running


@pytest.fixture
async def implicit(certificates: Certificates) -> AsyncIterator[SmtpBackend]:
    """A stand-in that speaks TLS from the first byte."""
    async with SmtpBackend(tls=certificates.good, implicit=True) as running:
        yield running


@pytest.fixture
def trusting(certificates: Certificates) -> dict[str, str]:
    return {"SMTP_TLS": "starttls", "SMTP_CA_FILE": str(certificates.ca_file)}


@pytest.fixture
def drafts(tmp_path: Path) -> Path:
    """The directory of drafts."""
    folder = tmp_path / "drafts"
    folder.mkdir()
    return folder
