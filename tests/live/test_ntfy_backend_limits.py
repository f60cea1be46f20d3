"""What happens when a visitor asks too much: stand-in and real server agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest

from tests.backends.ntfy import Limits, NtfyBackend
from tests.live.ntfy_sites import KINDS, Site, code, document, new_topic, real, release_of, stand_in

if TYPE_CHECKING:
    from collections.abc import Iterator

FEW = Limits(requests=8, messages_per_day=3, new_topics=5, subscriptions=2)


@pytest.fixture(params=KINDS)
def few(request: pytest.FixtureRequest) -> Iterator[Site]:
    """A fresh server on which every limit is near."""
    if request.param == "real":
        options = {
            "visitor-request-limit-exempt-hosts": "",
            "visitor-request-limit-burst": "8",
            "visitor-message-daily-limit": "3",
            "visitor-topic-creation-limit-burst": "5",
            "visitor-subscription-limit": "2",
        }
        with real(options=options) as found:
            yield found
    else:
        with stand_in(NtfyBackend(release_of(request.param), limits=FEW)) as found:
            yield found


def test_the_request_bucket_runs_dry(few: Site) -> None:
    # The probe for the release used up to two of the eight requests.
    topic = new_topic()
    answers = [few.client.get(f"/{topic}/auth") for _ in range(10)]
    answer = answers[-1]
    assert answers[5].status_code == 200
    assert (answer.status_code, code(answer)) == (429, 42901)
    assert "retry-after" not in answer.headers
    assert code(few.publish(topic)) == 42901
    assert code(few.client.options("/")) == 42901
    # These are free of charge.
    assert few.client.get("/v1/health").is_success
    assert few.client.get("/v1/account").is_success
    assert few.as_admin("GET", "/v1/users").is_success
    assert few.client.get(f"/{topic}").is_success
    assert code(few.client.get("/no/such/path")) == 40401
    assert code(few.client.post("/", content="{")) == 40024
    assert code(few.publish("docs")) == 40010
    # All logins without a tier of their own share the bucket of the address.
    assert code(few.request("GET", f"/{topic}/auth", few.admin)) == 42901
    login = few.new_user(tier="pro")
    assert few.request("GET", f"/{topic}/auth", login).is_success


def test_the_daily_messages_run_out(few: Site) -> None:
    topic = new_topic()
    stats = document(few.client.get("/v1/account"))["stats"]
    assert isinstance(stats, dict)
    for _ in range(int(stats["messages_remaining"])):
        document(few.publish(topic))
    answer = few.publish(topic)
    assert (answer.status_code, code(answer)) == (429, 42908)
    assert code(few.publish(topic, priority=9)) == 40007
    stats = document(few.client.get("/v1/account"))["stats"]
    assert isinstance(stats, dict)
    assert (stats["messages"], stats["messages_remaining"]) == (3, 0)
    if few.version >= (2, 16):
        assert code(few.client.delete(f"/{topic}/x")) == 42908


def test_failed_logins_close_the_door_for_logins_only(few: Site) -> None:
    bad = ("", "tk_" + "x" * 29)
    for _ in range(30):
        assert code(few.request("GET", "/v1/health", bad)) == 40101
    answer = few.request("GET", "/v1/health", bad)
    assert (answer.status_code, code(answer)) == (429, 42909)
    assert code(few.request("GET", "/v1/account", few.admin)) == 42909
    assert code(few.request("GET", "/no/such/path", few.admin)) == 42909
    assert document(few.client.get("/v1/account"))["username"] == "*"
    assert few.publish(new_topic()).is_success


def test_new_topics_are_rationed_in_newer_releases(few: Site) -> None:
    answers = [few.client.get(f"/{new_topic()}/auth") for _ in range(6)]
    answer = answers[-1]
    if few.version >= (2, 23):
        assert (answer.status_code, code(answer)) == (429, 42911)
    else:
        assert answer.is_success


def test_open_streams_are_counted(few: Site) -> None:
    topic = new_topic()
    with httpx.Client(base_url=few.client.base_url, trust_env=False) as client:
        url = f"/{topic}/json"
        with client.stream("GET", url) as one, client.stream("GET", url) as two:
            # A line iterator that is dropped would close its stream.
            lines = [one.iter_lines(), two.iter_lines()]
            for each in lines:
                next(each)
            answer = few.client.get(url)
            assert (answer.status_code, code(answer)) == (429, 42903)
            assert code(few.client.get(f"{url}?poll=1")) == 42903
            assert few.client.get(f"/{topic}/auth").is_success
