"""Correct runs, and cases that a check cannot judge, are not doubted by the checks of validity.

`benches/validity.py` measures the share of wrong verdicts on fine runs; here seeds are fixed, and
tests of chance give their probability of failure with others.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cases
import numpy as np
import polars as pl
import pytest
from scipy.special import stdtrit
from validity_runs import ONE, rows_of, verdict

import thinktime as tt
from thinktime.numerics.student import quantile
from thinktime.results.finding import NoData
from thinktime.validity import DOUBTFUL, FINE, SPOILT, UNSEEN, steadiness, validity_of
from thinktime.validity.checks import CHECKS, judge
from thinktime.validity.evidence import Evidence, of_result
from thinktime.validity.level_changes import change_of
from thinktime.validity.session_length import session_s, stays_of

QUICK = cases.system(("fcfs", "exp(1ms)"))

NOT_FOR_IT = ("generator", "learned model", "link", "mix", "profile", "punctuality")
"""Checks of runs, of learned servers, of several populations, and of rates that change."""


def test_nothing_is_doubted_in_a_fine_run(fine: Evidence, closed: Evidence) -> None:
    assert {one.name: one.verdict for one in judge(fine)} == {
        name: FINE for name in CHECKS if name not in (*NOT_FOR_IT, "think times")
    }
    assert verdict(closed, "think times") == FINE
    assert "arrivals" not in {one.name for one in judge(closed)}, "clients do not arrive"


def test_the_steady_start_of_sessions_is_no_arrival() -> None:
    workload = cases.partly_open_model(5, "geometric(10)", "exp(2s)")
    made = of_result(tt.simulate(workload, ONE, requests=40_000, rows="all"))
    assert rows_of(made).filter(pl.col("session") >= 2**40).height > 50
    assert {verdict(made, name) for name in ("arrivals", "think times", "load")} == {FINE}


def test_a_think_time_with_a_probability_of_its_own_is_kept() -> None:
    """A learned law may have people who ask again at once. Doubted by chance for one of 200 seeds;
    with a law of 10 % of such people it is doubted."""
    law = "mix(0.04: const(0s), 0.96: exp(2s))"
    workload = cases.partly_open_model(5, "geometric(4)", law)
    made = of_result(tt.simulate(workload, ONE, requests=40_000, rows="all"))
    assert verdict(made, "think times") == FINE
    other = cases.partly_open_model(
        5, "geometric(4)", law.replace("0.04", "0.1").replace("0.96", "0.9")
    )
    assert verdict(replace(made, workload=other), "think times") == DOUBTFUL


def test_rows_that_begin_after_a_wait_are_not_held_to_the_plan(
    fine: Evidence, closed: Evidence
) -> None:
    """With a pool of connections, rows show when a connection was free."""
    for seen, name in ((fine, "arrivals"), (closed, "think times")):
        assert verdict(seen, name) == FINE
        for most, expected in ((0.0, FINE), (0.2, UNSEEN)):
            waited = seen.summary | {"waiting_s": {"mean": most / 4, "max": most}}
            assert verdict(replace(seen, summary=waited), name) == expected


@pytest.mark.parametrize(("start", "expected"), [("steady", FINE), ("empty", DOUBTFUL)])
def test_a_closed_population_that_begins_as_one(start: str, expected: str) -> None:
    """A client who thinks a minute each time asks three times in 200 s, and not at the end: 0.4,
    not 0.5."""
    workload = cases.workload(
        f'model = "closed"\nclients = 3000\nstart = "{start}"\n[session]\nthink = "const(60s)"'
    )
    made = of_result(tt.simulate(workload, ONE, duration="200s", rows="all", warmup=0.0))
    assert verdict(made, "load") == expected


def test_a_rate_that_is_to_change_is_not_looked_at() -> None:
    workload = cases.open_model(50, profile="ramp(from=0.1, to=1, over=100s)")
    made = of_result(tt.simulate(workload, ONE, duration="200s", rows="all"))
    assert {verdict(made, name) for name in ("steady state", "warm-up", "arrivals")} == {UNSEEN}


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 19, 1000])
def test_students_quantile_is_that_of_scipy(degrees: int) -> None:
    assert quantile(degrees) == pytest.approx(stdtrit(degrees, 0.975), rel=2e-3)


def test_a_step_is_found_where_it_is_and_noise_is_none() -> None:
    random = np.random.default_rng(1)
    stepped = change_of(random.standard_normal(20) + 4.0 * (np.arange(20) >= 12))
    assert (stepped.place, stepped.step_p) == (12, pytest.approx(1 / 2001))
    # At 0.5 % each, 3 or more of 100 have a probability of 1.4 %.
    p_values = np.array([change_of(random.standard_normal(20)).step_p for _ in range(100)])
    assert (p_values <= 0.005).sum() <= 2


def test_counts_have_those_who_wait_at_their_clients() -> None:
    """Stations do not count requests that wait for a place, which is a part of response times."""
    text = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "70/s"\n[clients]\nconcurrency = 1\n'
    system = 'name = "s"\n[[station]]\nname = "a"\nservers = 4\ndemand = "exp(10ms)"\n'
    seen = of_result(tt.simulate(tt.Workload(text), tt.System(system), requests=20_000))
    # An M/M/1 queue: its server is the place.
    waited_s = 0.7 / (100 - 70)
    assert seen.waited_mean_s == pytest.approx(waited_s, rel=0.1)
    assert verdict(seen, "counts") == FINE
    wrong = seen.summary | {"waiting_s": seen.summary["waiting_s"] | {"mean": waited_s / 2}}
    assert verdict(replace(seen, summary=wrong), "counts") == SPOILT


def test_requests_that_are_tried_again_are_in_no_count() -> None:
    text = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "50/s"\n[[request]]\nname = "a"\n'
    text += 'get = "/"\ntimeout = "20ms"\nretry = { attempts = 9, backoff = "const(50ms)" }\n'
    system = 'name = "s"\n[[station]]\nname = "a"\ndemand = "exp(4ms)"\n'
    seen = of_result(tt.simulate(tt.Workload(text), tt.System(system), requests=10_000))
    assert seen.summary["retries"] > 0 == seen.summary["errors"]
    assert verdict(seen, "counts") == UNSEEN


def test_a_replication_is_held_to_its_own_length() -> None:
    """Sessions of very different lengths: the first of five replications, whose rows are examined,
    lasts for longer or shorter than their mean. By chance two of twelve are doubted once in 160
    times, as each is once in 100."""
    workload = cases.partly_open_model(10, "bounded_pareto(shape=1.2, lo=1, hi=3000)", "exp(10ms)")
    given = {"requests": 20_000, "replications": 5, "warmup": "0s", "rows": "all"}
    made = [tt.simulate(workload, QUICK, seed=seed, **given) for seed in range(1, 13)]
    doubted = [verdict(of_result(one), "arrivals") != FINE for one in made]
    assert sum(doubted) <= 1


@pytest.mark.parametrize("rows", ["all", "none"])
def test_hardly_any_request_is_no_trouble(rows: str) -> None:
    for requests in range(1, 9):
        made = tt.simulate(cases.open_model(50), ONE, requests=requests, rows=rows, warmup=0.0)
        found = {one.name: one for one in made.validity}
        assert len(found) >= 6
        assert found["percentiles"].verdict == UNSEEN


PAGE = (
    '[[request]]\nname = "home"\nobjects = { count = "geometric(12)", of = { a = 1 } }\n'
    '[[request]]\nname = "a"\n'
)
SESSIONS = '[session]\nrequests = "geometric(4)"\nthink = "exp(1s)"\n'
EVEN = 'model = "open"\nprocess = "even"\n'


@pytest.mark.parametrize(
    ("arrivals", "rest", "given"),
    [
        (f'{EVEN}rate = "10/s"\n', "", {"duration": "10s"}),
        (f'{EVEN}rate = "1/s"\n', "", {"duration": "60s"}),
        (f'{EVEN}rate = "1/s"\n', PAGE, {"duration": "20s"}),
        ('model = "open"\nrate = "1/s"\n', PAGE, {"duration": "20s"}),
        ('model = "partly-open"\nrate = "1/s"\n', SESSIONS + PAGE, {"duration": "20s"}),
        *(('model = "open"\nrate = "10/s"\n', "", {"requests": n}) for n in (1, 2, 3, 10)),
        *(('model = "closed"\nclients = 3\n', '[session]\nthink = "const(1s)"\n', {"requests": n})
          for n in (1, 2, 3, 50)),
    ],
)  # fmt: skip
def test_short_and_even_runs_and_pages_are_not_doubted(
    arrivals: str, rest: str, given: dict[str, Any]
) -> None:
    """The levels of `warm-up` and `steady state` are 0.75 % together, and these runs have too few
    sessions for `arrivals`. So three of twelve are doubted once in 10,000 times."""
    workload = tt.Workload(f'name = "w"\n[arrivals]\n{arrivals}{rest}')
    made = (tt.simulate(workload, QUICK, seed=seed, rows="all", **given) for seed in range(1, 13))
    found = [one for each in made for one in each.validity if one.verdict in (DOUBTFUL, SPOILT)]
    assert len(found) <= 2, found


def test_without_rows_a_check_says_that_it_could_not_look() -> None:
    made = tt.simulate(cases.open_model(50), ONE, requests=5000, rows="none")
    found = {one.name: one.verdict for one in validity_of(made)}
    assert found["arrivals"] == UNSEEN
    assert found["load"] == FINE
    sample = tt.simulate(cases.open_model(50), ONE, requests=2000, rows="1/4")
    assert {one.name: one.verdict for one in validity_of(sample)}["arrivals"] == UNSEEN


LONG_SESSIONS = (
    'name = "long"\n[arrivals]\nmodel = "partly-open"\nrate = "2.5/s"\n'
    '[session]\nrequests = "geometric(20)"\nthink = "exp(2s)"\n'
)


def test_how_long_sessions_last_is_told_by_the_workload() -> None:
    (stay,) = stays_of(tt.Workload(LONG_SESSIONS))
    assert (stay.requests, stay.thinking_s) == (pytest.approx(20), pytest.approx(40))
    assert session_s([stay], 0.5) == pytest.approx(50)
    assert stays_of(cases.open_model(50)) == () == stays_of(cases.closed_model(5, "1s"))
    assert session_s((), 1.0) == 0.0
    two = tt.Workload(
        'name = "two"\n[[population]]\nname = "few"\n[population.arrivals]\nmodel = "partly-open"\n'
        'rate = "0.01/s"\n[population.session]\nrequests = "5"\nthink = "1h"\n'
        '[[population]]\nname = "many"\n[population.arrivals]\nmodel = "partly-open"\n'
        'rate = "5/s"\n[population.session]\nthink = "1s"\n[[population.request]]\nname = "a"\n'
        'next = { b = 1 }\nthink = "2s"\n[[population.request]]\nname = "b"\n'
        'next = { a = 0.5, end = 0.5 }\n'
    )  # fmt: skip
    (stay,) = stays_of(two)
    assert stay.requests == pytest.approx(4)
    assert stay.thinking_s == pytest.approx(6)


def test_parts_that_share_sessions_are_taken_as_alike() -> None:
    """A bend that 20 independent values do not have is nothing where a session lasts two parts."""
    random = np.random.default_rng(8)
    rows = random.standard_normal((400, 40))
    for n in range(1, 40):
        rows[:, n] = 0.8 * rows[:, n - 1] + 0.6 * rows[:, n]
    rows = rows[:, 20:]
    apart, allowed = (
        sum(change_of(row, least).step_p <= 0.0025 for row in rows[:150]) for least in (0.0, 0.8)
    )
    # At 0.25 % each four or more of 150 come once in 1,600 times.
    assert allowed <= 3 < apart


def test_sessions_longer_than_the_run_cannot_be_looked_at() -> None:
    system = cases.system(("ps", "exp(10ms)"))
    workload = tt.Workload(LONG_SESSIONS.replace("exp(2s)", "exp(20s)"))
    short = of_result(tt.simulate(workload, system, duration="400s", warmup="100s", rows="all"))
    (found,) = (one for one in judge(short) if one.name == "steady state")
    assert found.verdict == UNSEEN
    assert found.found.startswith("sessions last for ")
    long = of_result(tt.simulate(tt.Workload(LONG_SESSIONS), system, requests=40_000, rows="all"))
    assert verdict(long, "steady state") == FINE


def test_what_wanders_is_no_level() -> None:
    """A random walk of 20 values: no change is certain, and no level is there either."""
    random = np.random.default_rng(12)
    told = []
    for _ in range(40):
        walk = 10 + np.cumsum(random.standard_normal(20)) * 0.3
        try:
            steadiness.judged(walk, np.arange(20.0), "response time", str)
        except NoData as why:
            told.append(str(why))
    assert len(told) >= 5
    assert all("so alike that a change cannot be told from chance" in one for one in told)


def test_a_queue_that_grows_is_found_however_alike_its_parts_are() -> None:
    growing = 1.0 + np.arange(20) ** 1.2
    assert change_of(growing).is_bounded
    found = steadiness.judged(growing, np.arange(20.0), "response time", str)
    assert found.verdict == DOUBTFUL


@pytest.mark.parametrize(("seconds", "expected"), [(12, FINE), (3600, SPOILT)])
def test_few_looks_at_an_idle_server_say_little(seconds: int, expected: str) -> None:
    """In 4 % of looks a request is there: of 12 all find none in 6 of 10 runs, of 3600 never."""
    made = tt.simulate(
        cases.open_model(30), cases.system(("ps", "exp(1.3ms)")), duration=f"{seconds}s",
        warmup=0.0, rows="all",
    )  # fmt: skip
    seen = of_result(made)
    nobody = pl.DataFrame(seen.given_series).with_columns(in_system=pl.lit(0, pl.UInt64))
    times = np.arange(seconds, dtype=float)
    every_second = pl.concat([nobody.head(1)] * seconds).with_columns(
        start_s=pl.Series(times), interval_s=pl.lit(1.0)
    )
    assert verdict(replace(seen, kind="run", system=None, given_series=every_second), "counts") == (
        expected
    )


@pytest.mark.parametrize(("process", "expected"), [("even", UNSEEN), ("poisson", SPOILT)])
def test_looks_that_keep_step_with_arrivals_say_nothing(process: str, expected: str) -> None:
    """At 2/s a request begins whenever the run looks, each whole second."""
    made = tt.simulate(
        tt.Workload(
            'name = "w"\n[arrivals]\nmodel = "partly-open"\nrate = "2/s"\n'
            f'process = "{process}"\n[session]\nrequests = "geometric(2)"\nthink = "exp(1s)"\n'
        ),
        cases.system(("ps", "exp(1.3ms)")), duration="60s", warmup=0.0, rows="all",
    )  # fmt: skip
    seen = of_result(made)
    times = np.arange(60, dtype=float)
    somebody = pl.DataFrame(seen.given_series).head(1).with_columns(in_system=pl.lit(1, pl.UInt64))
    every_second = pl.concat([somebody] * 60).with_columns(
        start_s=pl.Series(times), interval_s=pl.lit(1.0)
    )
    assert verdict(replace(seen, kind="run", system=None, given_series=every_second), "counts") == (
        expected
    )


def test_a_long_request_at_the_end_of_a_replay_is_no_miscount(tmp_path: Path) -> None:
    """It is in the mean, but not in the system, since the run ends with the last one to come."""
    line = '10.0.0.1 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "x"\n'
    (tmp_path / "a.log").write_text(line * 50)
    file = tmp_path / "w.toml"
    system = tt.System('name = "s"\n[[station]]\nname = "a"\ndemand = "h2(10ms, cv2=8)"\n')
    for model in ('"open"', '"closed"\nclients = 2'):
        file.write_text(f'name = "w"\n[arrivals]\nmodel = {model}\nprocess = "trace(a.log)"\n')
        for seed in range(1, 20):
            made = tt.simulate(tt.Workload.load(file), system, seed=seed, rows="all")
            assert verdict(of_result(made), "counts") != SPOILT
