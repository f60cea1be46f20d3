"""Reading the table of settings: secrets first, everything at once, nothing repeated."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_serverkit.config.settings import read_settings
from tests.serverkit.kit import KIT, VARIABLES, reading

SECRET = "tk_0123456789abcdefghij"


def _problem(environ: dict[str, str]) -> str:
    problems = reading(environ).problems
    assert len(problems) == 1, problems
    return problems[0]


def test_an_empty_environment_gives_the_defaults_and_not_a_word() -> None:
    read = reading({})
    assert read.problems == []
    assert read.warnings == []
    own = {name: value for name, value in read.values.items() if not name.startswith("approval_")}
    assert own == {
        "url": None,
        "token": None,
        "password": None,
        "name": "kit",
        "read_only": False,
        "allow_tools": (),
        "deny_tools": (),
        "insecure_tls": False,
        "ca_file": None,
        "timeout": 15,
        "log_level": "info",
        "elicitation": True,
    }


@pytest.mark.parametrize("value", ["", " ", "\t\n"])
def test_a_blank_value_is_an_unset_one(value: str) -> None:
    names = [variable.name for variable in VARIABLES if not variable.secret]
    read = reading(dict.fromkeys(names, value) | {"KIT_TOKEN": "", "KIT_PASSWORD": ""})
    assert read.problems == []
    assert read.values == reading({}).values


def test_values_are_trimmed_and_parsed() -> None:
    read = reading(
        {
            "KIT_URL": " https://kit.example/base/ ",
            "KIT_READ_ONLY": "\tYes\n",
            "KIT_TIMEOUT": " 600 ",
            "KIT_LOG_LEVEL": " Warning ",
            "KIT_ALLOW_TOOLS": " read_one , ,read_*,",
            "ELICITATION": " FALSE ",
        }
    )
    assert read.problems == []
    assert read.values["url"] == "https://kit.example/base"
    assert read.values["read_only"] is True
    assert read.values["timeout"] == 600
    assert read.values["log_level"] == "warning"
    assert read.values["allow_tools"] == ("read_one", "read_*")
    assert read.values["elicitation"] is False


def test_every_problem_is_told_at_once_and_secrets_are_gone_before() -> None:
    environ = {
        "KIT_URL": "ftp://x",
        "KIT_TIMEOUT": "0",
        "ELICITATION": "1",
        "KIT_TOKEN": "bad\x07token",
        "KIT_PASSWORD": "hunter2\x00",
    }
    read = read_settings(VARIABLES, "KIT", environ)
    assert {problem.partition(":")[0] for problem in read.problems} == set(environ) | {
        "KIT_TOKEN",
        "KIT_PASSWORD",
    }
    assert "KIT_TOKEN" not in environ
    assert "KIT_PASSWORD" not in environ
    assert "hunter2" not in "".join(read.problems)


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("KIT_TOKEN", f" {SECRET}\n", SECRET),
        ("KIT_PASSWORD", "ends in a blank ", "ends in a blank "),
        ("KIT_PASSWORD", " starts with one\r\n", " starts with one"),
        ("KIT_PASSWORD", "$Summer26", "$Summer26"),
        ("KIT_PASSWORD", "Pässwörd", "Pässwörd"),
        ("KIT_PASSWORD", "<ops@example.org>", "<ops@example.org>"),
        ("KIT_PASSWORD", "${not} whole", "${not} whole"),
        ("KIT_NAME", "<ops@example.org>", "<ops@example.org>"),
    ],
)
def test_what_belongs_to_a_value_stays(name: str, value: str, kept: str) -> None:
    read = reading({name: value})
    assert read.problems == []
    assert read.warnings == []
    assert kept in read.values.values()


@pytest.mark.parametrize("name", ["KIT_URL", "KIT_TOKEN", "KIT_PASSWORD", "KIT_NAME"])
@pytest.mark.parametrize(
    "value",
    ["${KIT}", "${input:token}", "${user_config.token}", "<your-token>", "<YOUR_URL>", "<your x>"],
)
def test_a_placeholder_that_was_not_filled_in_is_an_error_that_says_so(
    name: str, value: str
) -> None:
    assert "placeholder" in _problem({name: value})


@pytest.mark.parametrize("value", ["$NAME", "$KIT_TOKEN", "%KIT_TOKEN%", "%ABC%"])
@pytest.mark.parametrize(
    ("name", "error"),
    [("KIT_URL", True), ("KIT_TOKEN", True), ("KIT_PASSWORD", False), ("KIT_NAME", False)],
)
def test_a_variable_that_was_not_filled_in_is_an_error_for_tokens_and_a_warning_for_passwords(
    name: str, value: str, error: bool
) -> None:
    read = reading({name: value})
    told = read.problems if error else read.warnings
    assert told == [f"{name}: looks like a variable that the client did not fill in"]
    assert error or value in read.values.values()


@pytest.mark.parametrize("value", ["$ab", "$AB", "%AB%", "x$NAME", "$NAME/x", "$Name"])
def test_only_a_whole_upper_case_name_looks_like_a_variable(value: str) -> None:
    read = reading({"KIT_TOKEN": value})
    assert read.problems == []
    assert read.values["token"] == value


@pytest.mark.parametrize(("name", "field"), [("KIT_TOKEN", "token"), ("KIT_PASSWORD", "password")])
def test_a_secret_may_come_from_a_file(name: str, field: str, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(f"{SECRET}\n", encoding="utf-8")
    file.chmod(0o600)
    read = reading({f"{name}_FILE": f" {file} "})
    assert read.problems == []
    assert read.warnings == []
    assert read.values[field] == SECRET


def test_a_file_that_all_may_read_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(SECRET, encoding="utf-8")
    file.chmod(0o644)
    read = reading({"KIT_TOKEN_FILE": str(file)})
    assert read.values["token"] == SECRET
    assert read.warnings == ["KIT_TOKEN_FILE: the file can be read by every user of this machine"]


def test_a_secret_and_its_file_together_are_an_error(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(SECRET, encoding="utf-8")
    told = _problem({"KIT_TOKEN": "tk_other", "KIT_TOKEN_FILE": str(file)})
    assert told == "KIT_TOKEN: set either this or KIT_TOKEN_FILE, not both"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b" \r\n", "is empty"),
        (b"x" * (64 * 1024 + 1), "is larger than 64 KiB"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"tk_one\ntk_two", "character 7 of 13 is not visible ASCII"),
        (b"${TOKEN}", "placeholder"),
    ],
)
def test_a_file_of_no_use_is_an_error_with_the_reason(
    content: bytes, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "secret"
    file.write_bytes(content)
    file.chmod(0o600)
    told = _problem({"KIT_TOKEN_FILE": str(file)})
    assert "KIT_TOKEN_FILE" in told
    assert words in told
    assert str(tmp_path) not in told


RELATIVE = "; a relative path is looked up where the client starts the server"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("no/such/file", f"no such file{RELATIVE}"),
        ("/no/such/file", "no such file"),
        ("~/no/such/file", "no such file"),
        (".", f"is a directory{RELATIVE}"),
        ("/", "is a directory"),
        ("a\0b", f"not a path{RELATIVE}"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_with_the_reason_of_the_system(
    path: str, words: str
) -> None:
    assert _problem({"KIT_TOKEN_FILE": path}) == f"KIT_TOKEN_FILE: cannot be read: {words}"


def test_the_home_is_found_before_a_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    assert reading({"KIT_TOKEN_FILE": "~/secret"}).values["token"] == SECRET


@pytest.mark.requirement("F-21")
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("0", "0"),
        ("-1", "-1"),
        ("+5", "+5"),
        ("99999", "99999"),
        ("100000", "a value of 6 characters"),
        ("1.5", "a value of 3 characters"),
        ("ten", '"ten"'),
        ("%", "a value of 1 character"),
    ],
)
def test_a_number_that_is_refused_is_quoted_where_it_is_short(value: str, shown: str) -> None:
    told = _problem({"KIT_TIMEOUT": value})
    assert told == f"KIT_TIMEOUT: must be a whole number from 1 to 600, not {shown}"


@pytest.mark.requirement("F-21")
@pytest.mark.parametrize("ours", [{}, {"KIT_TOKEN": SECRET}, {"KIT_TOKEN_FILE": "/no/such/file"}])
def test_a_name_that_other_programs_use_is_pointed_out_where_ours_is_unset(
    ours: dict[str, str],
) -> None:
    table = [v._replace(elsewhere=("OTHER_TOKEN",)) if v.field == "token" else v for v in VARIABLES]
    told = read_settings(table, "KIT", {"OTHER_TOKEN": "tk_other", **ours}).warnings
    line = "OTHER_TOKEN is set and not read; this server reads KIT_TOKEN"
    assert told == ([] if ours else [line])


@pytest.mark.parametrize("path", ["${TOKEN_FILE}", "<your-token-file>"])
def test_a_file_name_that_is_a_placeholder_is_an_error_that_says_so(path: str) -> None:
    assert "placeholder" in _problem({"KIT_TOKEN_FILE": path})


@pytest.mark.parametrize("name", ["KIT_TOKEN", "KIT_PASSWORD"])
def test_a_secret_of_white_space_is_an_error(name: str) -> None:
    assert _problem({name: "   "}) == f"{name}: holds nothing but white space"


def test_a_ca_file_and_insecure_tls_exclude_each_other(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("-----BEGIN CERTIFICATE-----", encoding="utf-8")
    told = _problem({"KIT_CA_FILE": str(file), "KIT_INSECURE_TLS": "true"})
    assert told == "KIT_CA_FILE: has no use together with KIT_INSECURE_TLS"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("KIT_TOKN", "KIT_TOKEN"),
        ("KIT_TOKEN_FIEL", "KIT_TOKEN_FILE"),
        ("KIT_URLS", "KIT_URL"),
        ("kit_token", "KIT_TOKEN"),
        ("kit_tokn", "KIT_TOKEN"),
    ],
)
def test_a_mistyped_name_is_a_warning_that_shows_no_value(name: str, near: str) -> None:
    read = reading({name: SECRET})
    assert read.problems == []
    assert read.warnings == [f"{name}: is no variable of this server; did you mean {near}?"]


@pytest.mark.parametrize("name", ["KIT_SOMETHING_ELSE", "KITTEN", "OTHER_TOKN", "KIT", "kitten_x"])
def test_a_name_that_is_not_near_is_nobody_s_business(name: str) -> None:
    assert reading({name: SECRET}).warnings == []


@pytest.mark.parametrize("value", ["\nname", "name\n", "na\nme\r\n"])
def test_a_value_of_one_line_keeps_its_line_breaks_for_the_parser(value: str) -> None:
    assert reading({"KIT_NAME": value}).values["name"] == value


@given(
    st.text(
        st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Cc")),
        min_size=9,
        max_size=80,
    ),
    st.sampled_from([variable.name for variable in VARIABLES]),
)
def test_no_problem_and_no_warning_ever_repeats_a_value(value: str, name: str) -> None:
    # Longer than any word that may be quoted, and part of no text of ours.
    told = reading({name: f"q{value}q"})
    assert f"q{value}q".strip() not in "\n".join([*told.problems, *told.warnings])


def test_each_variable_is_described_for_people() -> None:
    names = [variable.name for variable in KIT.variables]
    assert len(set(names)) == len(names)
    assert all(v.meaning and v.kind and v.default for v in KIT.variables)
