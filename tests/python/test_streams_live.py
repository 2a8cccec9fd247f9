"""Times to first events during a run: in moments, objectives, tiles and metrics."""

from __future__ import annotations

import cases
import pytest
from event_server import event_server, events
from prometheus_client.parser import text_string_to_metric_families

import thinktime as tt
from thinktime.cli.live_view import View
from thinktime.monitor.frames import WatchedRun
from thinktime.monitor.live_page import Subject
from thinktime.monitor.metrics import text_of
from thinktime.monitor.objectives import judged
from thinktime.operations.run_progress import Moment, ObjectiveMoment, StreamMoment

GAPS_S = (0.02, 0.01, 0.01)

WORKLOAD = """
[[request]]
name = "chat"
get = "/chat"
stream = "sse"
[[request]]
name = "plain"
get = "/plain"
[slo]
first_event_p99 = "30s"
p99 = "60s"
[slo.chat]
first_event_p50 = "10s"
"""

QUICK, SLOW = -64, 0
"""Buckets of times up to 62.5 ms and up to 1 s."""


def streams(quick: int, slow: int = 0, failed: int = 0) -> StreamMoment:
    buckets = tuple((at, many) for at, many in ((QUICK, quick), (SLOW, slow)) if many)
    whole = quick + slow
    return StreamMoment(whole + failed, whole, 3 * whole, 0.05, 0.06, 0.05 * whole, buckets)


def moment(time_s: float, seen: StreamMoment | None, *objectives: ObjectiveMoment) -> Moment:
    """Responses that take up to a second, whatever their first event takes."""
    many = 100 if seen is None else seen.requests
    return Moment(
        time_s, 1, many, many, 0.9, 1.0, 1e-5, {}, objectives=objectives,
        response_sum_s=0.9 * many, response_buckets=((SLOW, many),), streams=seen,
    )  # fmt: skip


def test_moments_of_a_run_have_the_times_of_its_events() -> None:
    sessions = 'model = "closed"\nclients = 4\n[session]\nthink = "1ms"\n'
    seen: list[Moment] = []
    with event_server(lambda *_: events(*GAPS_S)) as url:
        run = cases.workload(sessions, requests=WORKLOAD)
        result = tt.run(run, url, duration="2s", monitor=seen.append)
    assert seen
    for one in seen:
        found = one.streams
        assert found is not None
        assert found.measured == found.succeeded == found.requests <= one.requests
        assert found.events == len(GAPS_S) * found.requests
        if found.requests:
            assert found.first_event_p50_s is not None
            assert found.first_event_p50_s >= GAPS_S[0]
            mean_s = found.first_event_sum_s / found.measured
            assert GAPS_S[0] <= mean_s <= result.summary["first_event_s"]["max"]
        values = {(each.name, each.of): each.value for each in one.objectives}
        assert set(values) == {
            ("first_event_p99", None), ("p99", None), ("first_event_p50", "chat"),
        }  # fmt: skip
        assert values["first_event_p99", None] == found.first_event_p99_s
        assert values["first_event_p50", "chat"] == found.first_event_p50_s
    last = seen[-1].streams
    assert last is not None
    assert 0 < last.requests <= result.summary["by_request"]["chat"]["requests"]


@pytest.mark.parametrize(
    ("quick", "slow", "failed", "independent", "expected"),
    [
        (10_000, 0, 0, 10_000.0, "met"),
        (10_000, 0, 0, 300.0, "cannot tell"),  # 368 bound a p99
        (9_000, 1_000, 0, 10_000.0, "not met"),
        (10_000, 0, 1_000, 10_000.0, "not met"),  # those that failed are later than any limit
    ],
)
def test_an_objective_of_first_events_is_judged_by_their_times(
    quick: int, slow: int, failed: int, independent: float, expected: str
) -> None:
    objective = ObjectiveMoment("first_event_p99", None, 0.25, 0.06)
    whole = moment(10.0, streams(quick, slow, failed), objective)
    summary = {"requests": whole.requests, "errors": 0, "independent_requests": independent}
    (found,) = judged(whole, summary)
    assert found.state == expected


def test_a_mean_of_first_events_is_known_at_the_end_alone() -> None:
    objective = ObjectiveMoment("first_event_mean", None, 0.25, 0.06)
    summary = {"requests": 5, "errors": 0, "independent_requests": 5.0}
    (found,) = judged(moment(10.0, streams(5), objective), summary)
    assert found.state == "cannot tell"


def subject(seen: list[Moment]) -> Subject:
    made = Subject(WatchedRun("run", "chat", "Running chat", end_s=60.0))
    for one in seen:
        made.take(("moment", (one, 1)))
    return made


def test_the_page_shows_the_first_events_of_the_last_seconds() -> None:
    page = subject([moment(20.0, streams(10_000)), moment(30.0, streams(10_000, 1_000))]).page()
    tile = next(one for one in page.tiles if one.name.startswith("First event"))
    assert tile.name == "First event, p99 of the last 10 s"
    assert tile.value == "1.00 s", "those of the last stretch alone"
    (now, *_) = page.details
    names = [line.name for group in now.groups for line in group.lines]
    assert names == ["all", "first event"]
    without = subject([moment(20.0, None)]).page()
    assert not [one for one in without.tiles if one.name.startswith("First event")]


def test_metrics_and_terminal_have_them() -> None:
    made = subject([moment(20.0, streams(900, 100))])
    families = {one.name: one for one in text_string_to_metric_families(text_of(made).decode())}
    values = {
        one.name: one.value
        for one in families["thinktime_first_event_seconds"].samples
        if one.name.endswith(("_count", "_sum")) or one.labels.get("le") == "0.0625"
    }
    assert values == {
        "thinktime_first_event_seconds_bucket": 900.0,
        "thinktime_first_event_seconds_count": 1000.0,
        "thinktime_first_event_seconds_sum": pytest.approx(50.0),
    }
    (events_seen,) = families["thinktime_events"].samples
    assert events_seen.value == 3000.0
    view = View("chat", None, 60.0)
    view.take(moment(20.0, streams(900, 100)))
    assert "first event p50 50 ms, p99 60 ms" in view.line()
