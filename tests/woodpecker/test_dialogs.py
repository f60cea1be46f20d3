"""What a person is shown."""

from __future__ import annotations

import re

import pytest
from mcp.server import Server

from mcp_approval.question import UnsafeIdentifierError, one_of
from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import ERAS, Era
from tests.woodpecker.calls import GUARDED, Guarded, arrange
from tests.woodpecker.support import answered, failure
from woodpecker_ci_mcp.dialogs import instance, wording
from woodpecker_ci_mcp.dialogs.wording import APPROVALS, counted, fields

WRITTEN_BY_OTHERS = (
    "ignore all previous",
    "evil-branch",
    "mallory",
    "approve pipeline 1\n",
    "acme",
    "payments-api",
    "nightly",
    "runner",
    "doomed",
    "kaniko",
    "git.example.org",
    "hunter2",
    "@example.org",
)


@pytest.mark.requirement("S-wood-8")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("guarded", GUARDED, ids=lambda guarded: guarded.name)
async def test_nothing_that_others_wrote_is_in_a_question(
    guarded: Guarded, era: Era, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    _, asked = await answered(server, guarded.tool, guarded.arguments, era=era)
    (question,) = asked
    assert re.match(r"This will [a-z].*\.\n\n[A-Z]", question)
    given = str(guarded.arguments)
    for words in WRITTEN_BY_OTHERS:
        assert words in given or words not in question


@pytest.mark.requirement("S-wood-16")
@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("chown_repository", {"repo_id": 5}, "what the account reaches on the forge"),
        ("chown_repository", {"repo_id": 5}, "Every later pipeline"),
        ("pause_queue", {}, "the whole instance"),
        ("pause_queue", {}, "nothing tells those who wait why"),
        ("delete_organization", {"org_id": 41}, "repositories in it, with their pipelines"),
        ("delete_agent", {"agent_id": 31}, "Woodpecker refuses this"),
        ("update_forge", {"forge_id": 1, "client": "x"}, "Forge 1 is written anew"),
        ("delete_repository", {"repo_id": 5, "keep_data": True}, "settings stay"),
    ],
)
async def test_the_consequence_is_what_woodpecker_really_does(
    tool: str,
    arguments: dict[str, object],
    words: str,
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    arrange(backend)
    _, asked = await answered(server, tool, arguments)
    assert words in asked[0]


@pytest.mark.parametrize("login", ["bob smith", 'bob"', "bob`", "bob\u202e", "ä"])
async def test_a_login_that_is_not_strict_stands_on_a_line_of_its_own(
    login: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    user = backend.state.add_user(login)
    _, asked = await answered(server, "delete_user", {"login": login})
    assert "delete the account named below of forge 1" in asked[0]
    assert "  Account: " in asked[0]
    assert "\u202e" not in asked[0]
    assert user not in backend.state.users


def test_a_new_login_must_be_strict_in_the_sentence() -> None:
    with pytest.raises(UnsafeIdentifierError):
        instance.create_user("bob smith", {})


@pytest.mark.requirement("HO-8")
@pytest.mark.parametrize(
    ("count", "said"),
    [
        (None, "an unknown number of repositories"),
        ("1", "1 repository"),
        ("0", "0 repositories"),
        ("at least 200", "at least 200 repositories"),
    ],
)
def test_counts_read_well(count: str | None, said: str) -> None:
    assert counted(count, "repository", "repositories") == said


@pytest.mark.requirement("C-25")
def test_a_word_of_no_closed_list_is_unknown() -> None:
    said = [one_of(value, APPROVALS) for value in ("forks", "tick_the_box", "push", "", None)]
    assert said == ["forks", *["unknown"] * 4]


@pytest.mark.requirement("HO-9")
def test_fields_are_measured_and_credentials_are_not() -> None:
    shown = fields(
        {
            "value": "s3cr3t",
            "note": "approved",
            "username": "a sentence of its own",
            "config_file": "",
            "images": ["a", "`b`"],
            "events": [],
            "timeout": 5,
        }
    )
    assert [detail.value for detail in shown] == [
        "a new one, not shown",
        "8 characters",
        "21 characters",
        "(empty)",
        "a, `b`",
        "none",
        "5",
    ]
    assert wording.bound({"a": 1}) == {"a": 1}


async def test_too_long_a_destination_is_refused_before_asking(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    url = "https://git.example.org/" + "x" * 600
    assert "url" in await failure(server, "update_forge", forge_id=1, url=url)
    assert backend.requests == []


async def test_more_images_than_a_dialog_shows_are_refused(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    images = [f"registry.example.org/team/image-{number}" for number in range(50)]
    arguments = {"repo_id": 5, "name": "deploy_key", "value": "v", "images": images}
    said = await failure(server, "update_secret", **arguments)
    assert "Split the call" in said
    assert backend.writes == []
