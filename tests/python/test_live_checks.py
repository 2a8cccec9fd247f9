"""Checks on the data so far: each changes its verdict when its figure does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import page_subjects
import polars as pl
import pytest

from thinktime.monitor import points
from thinktime.monitor.checks import Cores
from thinktime.monitor.feed import Feed
from thinktime.monitor.frames import CheckInputs, Moments, RepeatedRuns, WatchedRun
from thinktime.monitor.history import Instant
from thinktime.monitor.live_page import Subject
from thinktime.operations.run_progress import Moment
from thinktime.present.table import Table
from thinktime.validity import DOUBTFUL, FINE, UNSEEN, Finding

RUN = WatchedRun(
    "run", "Running shop", "shop", None, 100.0, checks=CheckInputs("open", 100.0, dispersion=1.0)
)
RANDOM = np.random.default_rng(5)


def subject(
    seconds: int, begun: WatchedRun = RUN, late_s: float = 50e-6, rate: int = 100, spread: int = 8
) -> Subject:
    """A run of some seconds with response times of about 10 ms, drawn anew each second."""
    made = Subject(begun)
    counts: dict[int, int] = {}
    total_s = 0.0
    for second in range(1, seconds + 1):
        for place in RANDOM.integers(-106 - spread, -106 + spread, rate).tolist():
            counts[place] = counts.get(place, 0) + 1
            total_s += 2.0 ** (place / 16)
        take(made, second, rate * second, late_s, total_s, counts)
    return made


def take(
    made: Subject, second: float, over: int, late_s: float, total_s: float, counts: dict[int, int]
) -> None:
    moment = Moment(
        float(second), 1, over, over, 0.01, 0.02, late_s, {}, response_sum_s=total_s,
        response_buckets=tuple(sorted(counts.items())),
    )  # fmt: skip
    made.take(("moment", (moment, 2)))


def verdicts(made: Subject) -> dict[str, str]:
    return {one.name: one.verdict for one in made.validity}


def test_all_checks_that_can_be_told_are_there_from_the_first_moment_on() -> None:
    names = [
        "generator", "punctuality", "load", "warm-up", "steady state", "counts", "percentiles",
    ]  # fmt: skip
    young, old = subject(1), subject(40)
    assert list(verdicts(young)) == names == list(verdicts(old))
    assert verdicts(young)["load"] == UNSEEN == verdicts(young)["percentiles"]
    assert {verdicts(old)[name] for name in ("punctuality", "load", "percentiles")} == {FINE}


@pytest.mark.parametrize(
    ("late_s", "word"),
    [(50e-6, FINE), (150e-6, FINE), (5e-3, UNSEEN), (15e-3, DOUBTFUL), (2.0, DOUBTFUL)],
)
def test_lateness_is_judged_by_what_its_p99_can_tell(late_s: float, word: str) -> None:
    """At 10 ms on average 2 % are 200 µs: a p99 below them is fine, one above the mean is not."""
    assert verdicts(subject(12, late_s=late_s))["punctuality"] == word


def test_punctuality_turns() -> None:
    made = subject(12)
    assert verdicts(made)["punctuality"] == FINE
    counts = dict(made.moment.response_buckets) if made.moment else {}
    take(made, 13, 1300, 0.5, made.moment.response_sum_s if made.moment else 0.0, counts)
    assert verdicts(made)["punctuality"] == DOUBTFUL


def test_a_rate_that_is_not_reached_is_seen() -> None:
    assert verdicts(subject(30))["load"] == FINE
    slower = subject(30, rate=80)
    assert verdicts(slower)["load"] == DOUBTFUL
    (found,) = (one.found for one in slower.validity if one.name == "load")
    assert "100/s were asked for" in found


def test_the_wait_for_the_last_answers_is_no_part_of_a_run() -> None:
    made = subject(30, replace(RUN, end_s=30.0))
    assert made.moment is not None
    counts, total_s = dict(made.moment.response_buckets), made.moment.response_sum_s
    for second in range(31, 41):
        take(made, second, 3000, 50e-6, total_s, counts)
    assert verdicts(made)["load"] == FINE
    assert verdicts(made)["warm-up"] == FINE


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        (CheckInputs("closed", None, dispersion=None), UNSEEN),
        (CheckInputs("partly-open", 100.0, dispersion=1.0), UNSEEN),
        (
            CheckInputs("partly-open", 100.0, dispersion=1.0, session_length=Moments(4.0, 28.0)),
            FINE,
        ),
        (None, UNSEEN),
    ],
)
def test_what_has_no_rate_or_no_known_sessions_is_not_judged(
    asked: CheckInputs | None, word: str
) -> None:
    # By chance 12,000 requests in sessions of four are within 4.7 % in 19 of 20 runs.
    begun = replace(RUN, checks=asked, end_s=120.0)
    assert verdicts(subject(120, begun))["load"] == word


def test_percentiles_of_few_independent_requests_are_not_known() -> None:
    """Ten seconds of 20 ms, ten of 10 ms and so on: hundreds of requests say as much as a few."""
    made = Subject(RUN)
    counts: dict[int, int] = {}
    total_s = 0.0
    for second in range(1, 101):
        place = -90 if second // 10 % 2 else -106
        counts[place] = counts.get(place, 0) + 100
        total_s += 100 * 2.0 ** (place / 16)
        take(made, second, 100 * second, 50e-6, total_s, counts)
    assert verdicts(made)["percentiles"] == UNSEEN
    assert verdicts(subject(100))["percentiles"] == FINE


def test_the_tail_is_that_of_what_was_measured() -> None:
    made = page_subjects.watched()
    tail = next(one for one in made.page().sections if one.name == "tail")
    assert tail.drawing is not None
    trace = tail.drawing.panels[0].figure.series[0]
    assert made.moment is not None
    counts = dict(made.moment.response_buckets)
    whole = sum(counts.values())
    drawn = dict(zip(trace.x, trace.y, strict=True))
    for place in (-90, -70, -50):
        share = sum(count for other, count in counts.items() if other > place) / whole
        assert drawn[2.0 ** (place / 16)] == pytest.approx(share)


# ---- several runs


def test_each_of_several_runs_begins_anew_beside_those_that_are_over() -> None:
    runs = Table("runs", "Runs", "run", (), [])
    made = Subject(RUN)
    made.take(("several", RepeatedRuns(1, 2, None, None)))
    assert made.page().headline.sentence == "Run 1 of 2. Nothing is known yet."
    assert made.share == 0.0
    for second in range(1, 51):
        take(made, second, 100 * second, 50e-6, second, {-106: 100 * second})
    assert made.share == pytest.approx(0.25)
    agreement = Finding("agreement", DOUBTFUL, "runs settle on different values")
    made.take(("several", RepeatedRuns(2, 2, runs, agreement)))
    assert made.page().headline.sentence == "Run 2 of 2. Nothing is known yet."
    assert [table.name for table in made.page().tables] == ["runs", "agreement"]
    assert made.share == 0.5
    take(made, 1, 100, 50e-6, 1.0, {-106: 100})
    assert [table.name for table in made.page().tables] == ["runs", "agreement"]
    assert made.page().details[0].name == "now"
    assert made.page().headline.sentence.startswith("Run 2 of 2. 1")
    assert made.history.end_s == 1.0


def test_a_second_run_looks_at_its_cores_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    cores, ran = Cores(1), iter([10, 11, 20, 24])
    monkeypatch.setattr(Cores, "_threads", lambda _: {"1": (next(ran) * 10**9, 0)})
    assert cores.look(5.0) is None
    assert cores.look(7.0) == {"cpu_share": 0.5, "without_core_share": 0.0}
    assert cores.look(0.1) is None  # another run
    assert cores.look(8.1) == {"cpu_share": 0.5, "without_core_share": 0.0}


# ---- points


def test_points_have_their_checks_as_they_come() -> None:
    """In their row, and above all tables if one is in doubt."""
    found = Finding("load", DOUBTFUL, "a load of 0.7 was reached, 0.9 was asked for")
    swept = page_subjects.swept(measured=True)
    rows = pl.DataFrame([row | {"validity": [found.as_dict()]} for row in swept.table.to_dicts()])
    begun = WatchedRun("sweep", "Sweeping shop", "shop")
    made = points.page_of(begun, ("swept", (replace(swept, table=rows), 6, 6)))
    assert any("a load of 0.7 was reached" in doubt for doubt in made.headline.doubts)
    cells = [cell for line in made.details[0].lines for cell in line.cells]
    assert any(cell.text == DOUBTFUL for cell in cells)


# ---- simulations, which tell how many requests are over and in the system


SIMULATED = WatchedRun(
    "simulate",
    "Simulating shop",
    "shop",
    None,
    None,
    checks=CheckInputs("open", 100.0, dispersion=1.0),
)
STEP_S = 100.0
"""The part of a simulation's own time that passes each second."""


def simulation(
    numbers: np.ndarray, begun: WatchedRun = SIMULATED, rate: np.ndarray | float = 100.0
) -> Subject:
    """A simulation with one report for each mean number in the system."""
    made = Subject(begun)
    came = np.cumsum(RANDOM.poisson(STEP_S * rate, len(numbers)))
    for place, number in enumerate(numbers):
        over, inside, time_s = int(came[place] - number), round(number), STEP_S * (place + 1)
        if place < len(numbers) - 1:  # checks use data that is known only at the end
            made.history.take(Instant(time_s, over, over, inside, 40, mean=float(number)))
    made.take(("progress", (over, time_s, inside, 40, float(number))))
    return made


def level(seconds: int, mean: float = 4.0) -> np.ndarray:
    """Means of twenty looks at M/M/1, whose number in the system is geometric."""
    return RANDOM.geometric(1 / (1 + mean), (seconds, 20)).mean(axis=1) - 1


def test_a_simulation_has_its_checks_from_the_first_moment_on() -> None:
    names = ["load", "warm-up", "steady state", "counts", "percentiles"]
    young, old = simulation(level(3)), simulation(level(60))
    assert list(verdicts(young)) == names == list(verdicts(old))
    assert set(verdicts(young).values()) == {UNSEEN}
    assert [verdicts(old)[name] for name in names] == [FINE, FINE, FINE, UNSEEN, UNSEEN]
    (shown,) = [table for table in old.page().details if table.name == "validity"]
    assert [cell.text for line in shown.groups[0].lines for cell in line.cells][:3] == [FINE] * 3


def test_a_rate_that_a_simulation_does_not_reach_is_seen() -> None:
    assert verdicts(simulation(level(60), rate=97.0))["load"] == DOUBTFUL


def test_a_simulation_that_still_fills_up_is_seen() -> None:
    rising = 100.0 * (1 - np.exp(-np.arange(60) / 8))
    assert verdicts(simulation(level(60), rate=rising))["warm-up"] == DOUBTFUL


@pytest.mark.parametrize(
    "numbers",
    [np.linspace(4, 80, 60), np.where(np.arange(60) < 40, 4.0, 20.0)],
    ids=["a queue that grows", "a step"],
)
def test_a_number_in_the_system_that_changes_is_seen_and_said(numbers: np.ndarray) -> None:
    made = simulation(numbers + level(60))
    assert verdicts(made)["steady state"] == DOUBTFUL
    (found,) = (one.found for one in made.validity if one.name == "steady state")
    assert found.startswith("the mean number of requests in the system went from ")


def test_a_level_is_rarely_doubted() -> None:
    """Two tests at 0.25 % in each of 200 simulations: 5 doubts or more come once in 270 times."""
    doubts = sum(
        verdicts(simulation(level(40)))["steady state"] == DOUBTFUL for _ in range(200)
    )  # fmt: skip
    assert doubts <= 4


def test_the_first_quarter_of_a_simulation_is_left_out() -> None:
    filling = np.concatenate([np.linspace(0, 40, 15), 40 + level(60)])
    assert verdicts(simulation(filling))["steady state"] == FINE


@pytest.mark.parametrize(
    ("begun", "name"),
    [
        (replace(SIMULATED, replications=4), "load"),
        (replace(SIMULATED, replications=4), "steady state"),
        (replace(SIMULATED, steady=False), "steady state"),
        (replace(SIMULATED, checks=None), "load"),
        (replace(SIMULATED, checks=CheckInputs("closed", None, dispersion=None)), "load"),
        (replace(SIMULATED, checks=CheckInputs("partly-open", 100.0, dispersion=1.0)), "load"),
    ],
)
def test_what_cannot_be_told_of_a_simulation_is_not_judged(begun: WatchedRun, name: str) -> None:
    assert verdicts(simulation(level(60), begun))[name] == UNSEEN


def test_a_feed_tells_the_mean_of_all_its_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, object]] = []
    due = iter([False, False, True, True])
    feed = Feed.__new__(Feed)
    feed._looks = []
    monkeypatch.setattr(Feed, "_is_due", lambda _: next(due))
    monkeypatch.setattr(Feed, "tell", lambda _, kind, thing: told.append((kind, thing)))
    for done, number in enumerate((2, 9, 4, 1)):
        feed.progress(done, float(done), number)
    assert told == [("progress", (2, 2.0, 4, 9, 5.0)), ("progress", (3, 3.0, 1, 1, 1.0))]
