"""What an operator may say of approvals outside the client, and what stops the start."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mcp_approval.environment import approval
from mcp_serverkit.definition import Definition
from scripts.definitions import DEFINITIONS
from tests.support.servers import reading_of

over_all = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda one: one.name)

PHONE = {
    "APPROVAL_REACH": "phone",
    "APPROVAL_NTFY_URL": "https://ntfy.example",
    "APPROVAL_NTFY_ASK_TOPIC": "ask-topic-8f2k",
    "APPROVAL_NTFY_ANSWER_TOPIC": "answer-topic-8f2k",
    "APPROVAL_NTFY_TOKEN": "tk_server00000000000000000000000",
    "APPROVAL_NTFY_BUTTON_TOKEN": "tk_button00000000000000000000000",
}
WINDOW = {"APPROVAL_REACH": "window"}
OFF = "asks nobody without APPROVAL_REACH"


def read(definition: Definition, environ: dict[str, str]) -> tuple[list[str], list[str]]:
    """Problems and warnings about approvals, those of the server's own variables apart."""
    reading = reading_of(definition, environ)
    about = ("APPROVAL", "ELICITATION")
    return (
        [line for line in dict.fromkeys(reading.problems) if line.startswith(about)],
        [line for line in dict.fromkeys(reading.warnings) if line.startswith(about)],
    )


@pytest.mark.requirement("A-1")
@over_all
@pytest.mark.parametrize("environ", [{}, PHONE, WINDOW], ids=["none", "phone", "window"])
def test_what_is_right_says_nothing(definition: Definition, environ: dict[str, str]) -> None:
    assert read(definition, environ) == ([], [])


@pytest.mark.requirement("A-1", "A-2")
@over_all
@pytest.mark.parametrize(
    ("environ", "problem"),
    [
        ({"APPROVAL_REACH": "phone2"}, "APPROVAL_REACH: entry 1 is none of phone, window"),
        ({"APPROVAL_REACH": "window, Window"}, "APPROVAL_REACH: names a way twice"),
        ({"APPROVAL_REACH": ","}, "APPROVAL_REACH: "),
        ({**WINDOW, "APPROVAL_REACH_WHEN": "never"}, "APPROVAL_REACH_WHEN: "),
        ({**WINDOW, "APPROVAL_APPROVER": "x" * 41}, "APPROVAL_APPROVER: must be 1 to 40"),
        ({**WINDOW, "APPROVAL_APPROVER": "anna\u202e"}, "APPROVAL_APPROVER: must be 1 to 40"),
        ({**WINDOW, "APPROVAL_WAIT_SECONDS": "601"}, "APPROVAL_WAIT_SECONDS: "),
        ({**WINDOW, "APPROVAL_EXPIRES_SECONDS": "59"}, "APPROVAL_EXPIRES_SECONDS: "),
        (
            {**WINDOW, "APPROVAL_WAIT_SECONDS": "100", "APPROVAL_EXPIRES_SECONDS": "60"},
            "APPROVAL_WAIT_SECONDS: is above APPROVAL_EXPIRES_SECONDS",
        ),
        (
            {**WINDOW, "ELICITATION": "false"},
            "ELICITATION: false asks nobody, and APPROVAL_REACH asks outside the client; unset "
            "one of them",
        ),
        (
            {**PHONE, "APPROVAL_NTFY_ANSWER_TOPIC": "ASK-topic-8f2k"},
            "APPROVAL_NTFY_ANSWER_TOPIC: is the same as APPROVAL_NTFY_ASK_TOPIC",
        ),
        (
            {**PHONE, "APPROVAL_NTFY_BUTTON_TOKEN": PHONE["APPROVAL_NTFY_TOKEN"]},
            "APPROVAL_NTFY_BUTTON_TOKEN: is the same as APPROVAL_NTFY_TOKEN",
        ),
        *(
            ({key: value for key, value in PHONE.items() if key != name}, f"{name}: is needed")
            for name in PHONE
            if name != "APPROVAL_REACH"
        ),
        ({"APPROVAL_REACHES": "phone"}, "APPROVAL_REACHES: "),
        ({"APPROVAL_RECORDS": "/tmp/x"}, "APPROVAL_RECORDS: "),
        ({"APPROVAL_RECORD": "record.jsonl"}, "APPROVAL_RECORD: must be an absolute path"),
        ({"APPROVAL_RECORD": "/no-such-folder-8f2k/r"}, "APPROVAL_RECORD: lies in a folder that"),
        ({"APPROVAL_RECORD": "/"}, "APPROVAL_RECORD: is no regular file"),
    ],
)
def test_each_mistake_stops_the_start_with_one_line_that_quotes_no_value(
    definition: Definition, environ: dict[str, str], problem: str
) -> None:
    problems, _ = read(definition, environ)
    assert len(problems) == 1, problems
    assert problems[0].startswith(problem)
    for value in environ.values():
        if len(value) > 5 and value not in {"phone", "window"}:
            assert value not in problems[0].partition(":")[2]


@pytest.mark.requirement("A-2")
@over_all
@pytest.mark.parametrize(
    ("environ", "warnings"),
    [
        ({"APPROVAL_APPROVER": "anna"}, [f"APPROVAL_APPROVER: {OFF}"]),
        ({"APPROVAL_WAIT_SECONDS": "10"}, [f"APPROVAL_WAIT_SECONDS: {OFF}"]),
        ({"APPROVAL_NTFY_TOKEN": "tk_x"}, [f"APPROVAL_NTFY_TOKEN: {OFF}"]),
        (
            {"APPROVAL_RECORD_TEXT": "true"},
            ["APPROVAL_RECORD_TEXT: keeps nothing without APPROVAL_RECORD"],
        ),
        (
            {**WINDOW, "APPROVAL_RECORD_TEXT": "yes"},
            ['APPROVAL_RECORD_TEXT: "yes" leaves it off; only true turns it on'],
        ),
        (
            {**PHONE, "APPROVAL_NTFY_URL": "http://ntfy.example"},
            ["APPROVAL_NTFY_URL: is http://, so questions and answers travel in clear"],
        ),
        (
            {**PHONE, "APPROVAL_NTFY_URL": "http://127.0.0.1:2586"},
            ["APPROVAL_NTFY_URL: is this machine's own address; no phone can reach its buttons"],
        ),
    ],
)
def test_what_does_not_help_is_a_warning(
    definition: Definition, environ: dict[str, str], warnings: list[str]
) -> None:
    assert read(definition, environ) == ([], warnings)


@pytest.mark.requirement("A-2")
@over_all
def test_a_near_miss_of_another_name_is_a_warning(definition: Definition) -> None:
    problems, warnings = read(definition, {**WINDOW, "APPROVAL_APROVER": "anna"})
    assert problems == []
    assert len(warnings) == 1
    assert "APPROVAL_APPROVER" in warnings[0]


@pytest.mark.requirement("A-2")
def test_ntfy_keeps_its_topics_and_its_token_apart_from_those_of_approvals() -> None:
    [ntfy] = [one for one in DEFINITIONS if one.name == "ntfy-mcp"]
    environ = {**PHONE, "NTFY_TOPICS": "alerts,Ask-topic-8f2k", "NTFY_URL": "https://ntfy.example"}
    environ["NTFY_TOKEN"] = PHONE["APPROVAL_NTFY_TOKEN"]
    assert read(ntfy, environ)[0] == [
        "APPROVAL_NTFY_ASK_TOPIC: is also listed in NTFY_TOPICS",
        "APPROVAL_NTFY_TOKEN: is the same as NTFY_TOKEN",
    ]


@pytest.mark.requirement("D-2")
@pytest.mark.skipif(os.name == "nt", reason="platform: modes of files")
def test_a_record_that_others_may_write_stops_the_start(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.touch(mode=0o600)
    os.chmod(path, 0o620)
    (tmp_path / "link").symlink_to(path)
    (tmp_path / "open").mkdir()
    os.chmod(tmp_path / "open", 0o777)
    for name, problem in (
        ("record.jsonl", "may be written by others"),
        ("link", "is a link"),
        ("open/r", "lies in a folder in which anybody may write"),
    ):
        problems, _ = read(DEFINITIONS[0], {"APPROVAL_RECORD": str(tmp_path / name)})
        assert problems == [f"APPROVAL_RECORD: {problem}"]
    os.chmod(tmp_path / "open", 0o1777)
    assert read(DEFINITIONS[0], {"APPROVAL_RECORD": str(tmp_path / "open/r")}) == ([], [])


@pytest.mark.requirement("A-3")
@pytest.mark.parametrize(
    ("when", "told"),
    [
        ("no_dialog", "where the client shows no dialog"),
        ("instead", "instead of the client's dialog"),
        ("always", "beside the client's dialog"),
    ],
)
def test_the_start_line_says_when_a_person_is_asked(when: str, told: str) -> None:
    environ = {"APPROVAL_REACH": "window", "APPROVAL_REACH_WHEN": when}
    values = reading_of(DEFINITIONS[0], environ).values
    assert approval.start_lines("ntfy-mcp", values) == [
        f"ntfy-mcp: approvals in a window (a person), {told}; no two-call token"
    ]
