"""What holds for any log and any document."""

from __future__ import annotations

import asyncio
import base64
import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from mcp_serverkit.tools.results import size
from woodpecker_ci_mcp.logs import Log, around, cost_of, decode_line, head, read_log, tail
from woodpecker_ci_mcp.redaction import REDACTED, redacted
from woodpecker_ci_mcp.result_size import OBJECT_BYTES, fit_list, fit_object

LINES = st.lists(st.text(max_size=60), max_size=40)
SECRET = "hunter2-hunter2"
KEYS = st.sampled_from(["token", "my-password", "apiKey", "client_secret", "name", "tokens"])
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.just(SECRET))
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def log_of(lines: list[str]) -> Log:
    rows = [
        {"line": index, "data": base64.b64encode(line.encode("utf-8", "replace")).decode()}
        for index, line in enumerate(lines)
    ]
    return asyncio.run(read_log(json.dumps(rows)))


@given(st.binary(max_size=300))
def test_any_bytes_become_one_clean_line_but_for_its_own_breaks(content: bytes) -> None:
    shown = decode_line(base64.b64encode(content).decode())
    controls = {char for char in shown if unicodedata.category(char) in {"Cc", "Cs", "Cf"}}
    assert controls <= {"\n", "\t"}


@given(st.text(max_size=100))
def test_any_text_in_place_of_base64_is_survived(data: str) -> None:
    assert isinstance(decode_line(data), str)


@given(LINES, st.integers(1, 50), st.integers(0, 50), st.integers(200, 2_000))
def test_any_window_fits_and_is_a_part_of_the_log(
    lines: list[str], limit: int, offset: int, budget: int
) -> None:
    log = log_of(lines)
    for window in (
        head(log, limit, offset, budget),
        tail(log, limit, offset, budget),
        around(log, offset + 1, limit, budget),
    ):
        numbers = [line.number for line in window.lines]
        assert len(numbers) <= limit
        assert sum(cost_of(line.text) for line in window.lines) <= budget
        assert all(1 <= number <= len(lines) for number in numbers)
        if not window.cut:
            assert (
                numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True
            )


@given(st.permutations(range(12)))
def test_any_order_of_entries_is_put_right(order: list[int]) -> None:
    rows = [
        {"line": line, "time": line, "data": base64.b64encode(b"%d" % line).decode()}
        for line in order
    ]
    log = asyncio.run(read_log(json.dumps(rows)))
    window = head(log, 50, 0, 10_000)
    assert [line.text for line in window.lines] == [str(number) for number in range(12)]
    assert [line.seconds for line in window.lines] == list(range(12))


@given(DOCUMENTS)
def test_no_credential_survives_at_any_depth(document: object) -> None:
    shown = redacted(document)

    def check(original: object, value: object, key: str) -> None:
        if isinstance(original, dict) and isinstance(value, dict):
            assert list(original) == list(value)
            for name in original:
                check(original[name], value[name], name)
        elif isinstance(original, list) and isinstance(value, list):
            for left, right in zip(original, value, strict=True):
                check(left, right, "")
        elif original == SECRET and key not in {"", "name", "tokens"}:
            assert value == REDACTED
        else:
            assert value == original

    check(document, shown, "")


@given(
    st.lists(st.text(max_size=3_000), max_size=60),
    st.lists(st.lists(st.text(max_size=400), max_size=30), max_size=12),
)
def test_any_object_is_made_to_fit(texts: list[str], lists: list[list[str]]) -> None:
    document: dict[str, object] = {"texts": texts, "lists": lists}
    before = size(document)
    shown = fit_object(document)
    assert size(shown) <= OBJECT_BYTES
    assert ("truncated" in shown) is (before > OBJECT_BYTES - 2_000)


@given(st.lists(st.text(max_size=3_000), max_size=120))
def test_any_list_is_made_to_fit_by_whole_entries(entries: list[str]) -> None:
    shown = fit_list({"entries": list(entries)}, "entries")
    kept = shown["entries"]
    assert kept == entries[: len(kept)]
    assert size(shown) <= OBJECT_BYTES
