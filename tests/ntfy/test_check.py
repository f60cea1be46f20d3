"""`--check`: what the login may read, told by position; and whether answers of people work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcp_serverkit.runtime.cli import main
from ntfy_mcp.definition import NTFY
from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import login

OPS = ("ops", "ops-password")
NAMES = ("first-secret", "second-secret", "replies-secret")


@pytest.fixture
def closed() -> Iterator[NtfyBackend]:
    """An instance on which nobody may do anything that is not granted."""
    with NtfyBackend(default_access="deny-all") as backend:
        backend.add_user(*OPS)
        backend.grant("ops", "first-secret", "read-write")
        backend.grant("ops", "second-secret", "write-only")
        yield backend


def checked(
    backend: NtfyBackend, capsys: pytest.CaptureFixture[str], **environ: str
) -> tuple[int, list[str]]:
    """Run the check as an account of its own; return the code and the lines."""
    code = main(NTFY, ["--check"], {"NTFY_URL": backend.url, **login(*OPS), **environ})
    out = capsys.readouterr().out
    assert not [name for name in NAMES if name in out.replace(backend.url, "")]
    return code, out.splitlines()


@pytest.mark.requirement("N-16")
def test_each_topic_is_told_by_its_position(
    closed: NtfyBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = checked(closed, capsys, NTFY_TOPICS="first-secret,second-secret")
    assert code == 0
    assert lines[-2:] == [
        "topic 1 may be read",
        "topic 2 may not be read (publishing may still be allowed)",
    ]
    assert [request.path for request in closed.requests] == [
        "/v1/account",
        "/first-secret/auth",
        "/second-secret/auth",
    ]


@pytest.mark.requirement("N-16")
@pytest.mark.parametrize("name", ["docs", "v1"])
def test_a_reserved_topic_ends_with_1_and_the_others_are_told(
    name: str, closed: NtfyBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = checked(closed, capsys, NTFY_TOPICS=f"{name},first-secret")
    assert code == 1
    assert lines[-2:] == ["topic 2 may be read", "failed: topic 1 is reserved on this instance"]


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (401, "topic 1 was not shown: the login was refused"),
        (500, "topic 1 could not be asked about: HTTP 500"),
    ],
)
def test_another_refusal_ends_the_asking(
    status: int, told: str, closed: NtfyBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    closed.respond_next(status, {}, path="*/auth")
    code, lines = checked(closed, capsys, NTFY_TOPICS="first-secret,second-secret")
    assert (code, lines[-1]) == (1, f"failed: {told}")
    assert len(closed.requests) == 2


def test_no_answer_is_told_as_that(closed: NtfyBackend, capsys: pytest.CaptureFixture[str]) -> None:
    # Once for each repeat of a reading.
    closed.drop_next(path="*/auth", times=9)
    code, lines = checked(closed, capsys, NTFY_TOPICS="first-secret")
    assert (code, lines[-1]) == (1, "failed: topic 1 could not be asked about: no answer")


def test_ten_topics_are_asked_about(
    closed: NtfyBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ",".join(f"t{number}" for number in range(12))
    code, lines = checked(closed, capsys, NTFY_TOPICS=names)
    assert code == 0
    assert [line.split()[1] for line in lines if line.startswith("topic ")] == [
        str(number) for number in range(1, 11)
    ]


def replies(backend: NtfyBackend, right: str, role: str = "user") -> dict[str, str]:
    """Settings of answers, and a login for buttons with a right to them."""
    backend.add_user("button", "button-password", "admin" if role == "admin" else "user")
    backend.grant("button", "replies-secret", right)
    token = backend.add_token("button")
    return {
        "NTFY_EXTRAS": "true",
        "NTFY_REPLY_TOPIC": "replies-secret",
        "NTFY_REPLY_TOKEN": token,
    }


def test_answers_that_work_are_one_line(
    closed: NtfyBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    closed.grant("ops", "replies-secret", "read-only")
    code, lines = checked(closed, capsys, **replies(closed, "write-only"))
    assert (code, lines[-1]) == (0, "answers of people can be heard")


def test_a_login_of_buttons_that_can_read_is_warned_of(
    closed: NtfyBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    closed.grant("ops", "replies-secret", "read-only")
    code, lines = checked(closed, capsys, **replies(closed, "read-write"))
    assert code == 0
    assert lines[-1] == "warning: give the reply token write-only access to NTFY_REPLY_TOPIC"


def test_answers_that_cannot_be_heard_end_with_1(
    closed: NtfyBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = checked(closed, capsys, **replies(closed, "write-only"))
    told = "failed: NTFY_REPLY_TOPIC may not be read, so no answer could be heard"
    assert (code, lines[-1]) == (1, told)


def test_buttons_of_an_admin_end_with_1(
    closed: NtfyBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    closed.grant("ops", "replies-secret", "read-only")
    code, lines = checked(closed, capsys, **replies(closed, "write-only", role="admin"))
    assert (code, lines[-2]) == (1, "answers of people can be heard")
    assert lines[-1].startswith("failed: NTFY_REPLY_TOKEN belongs to an admin")


def test_a_login_of_buttons_that_is_refused_ends_with_1(
    closed: NtfyBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    closed.grant("ops", "replies-secret", "read-only")
    environ = {**replies(closed, "write-only"), "NTFY_REPLY_TOKEN": "tk_unknown"}
    code, lines = checked(closed, capsys, **environ)
    assert code == 1
    assert "NTFY_REPLY_TOKEN: ntfy refused GET /v1/account: HTTP 401" in lines[-1]
    assert "tk_unknown" not in str(lines)


def test_without_a_login_of_buttons_only_the_hearing_is_tried(
    closed: NtfyBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    closed.grant("ops", "replies-secret", "read-only")
    given = {"NTFY_EXTRAS": "true", "NTFY_REPLY_TOPIC": "replies-secret"}
    assert checked(closed, capsys, **given)[0] == 0
    assert [request.path for request in closed.requests] == ["/v1/account", "/replies-secret/auth"]
