"""The checks of validity: each is fine on a fine run, and fails on one that is spoilt in its way.

How often each is wrong on fine runs is measured by `benches/validity.py`; here seeds are fixed.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import cases
import numpy as np
import polars as pl
import pytest
from machine_results import machine, open_
from scipy.special import stdtrit

import thinktime as tt
from thinktime.stats import minimum_samples
from thinktime.validity import (
    DOUBTFUL,
    FINE,
    SPOILT,
    UNSEEN,
    percentiles,
    steadiness,
    validity_of,
)
from thinktime.validity.changing import change_of
from thinktime.validity.checks import CHECKS, judge
from thinktime.validity.evidence import Evidence, of_result
from thinktime.validity.finding import Unseen
from thinktime.validity.staying import session_s, stays_of
from thinktime.validity.student import quantile

ONE = cases.system(("fcfs", "exp(10ms)"))


@pytest.fixture(scope="module")
def fine() -> Evidence:
    """M/M/1 at 0.5, which is long for its memory."""
    return of_result(tt.simulate(cases.open_model(50), ONE, requests=40_000, rows="all"))


@pytest.fixture(scope="module")
def closed() -> Evidence:
    workload = cases.closed_model(20, "exp(300ms)")
    return of_result(tt.simulate(workload, ONE, requests=20_000, rows="all"))


def verdict(seen: Evidence, name: str) -> str:
    """What one check says of it."""
    return next(one.verdict for one in judge(seen) if one.name == name)


def rows_of(seen: Evidence) -> pl.DataFrame:
    return pl.DataFrame(seen.given_rows)


def series_of(seen: Evidence) -> pl.DataFrame:
    return pl.DataFrame(seen.given_series)


def test_nothing_is_doubted_in_a_fine_run(fine: Evidence, closed: Evidence) -> None:
    assert {one.name: one.verdict for one in judge(fine)} == {
        name: FINE
        for name in CHECKS
        if name not in ("generator", "link", "punctuality", "think times")
    }
    assert verdict(closed, "think times") == FINE
    assert "arrivals" not in {one.name for one in judge(closed)}, "clients do not arrive"


# ---- arrivals


@pytest.mark.parametrize(
    ("gaps", "expected"),
    [
        (lambda random, n: random.exponential(1 / 50, n), FINE),
        (lambda random, n: random.exponential(1 / 53, n), DOUBTFUL),  # 6 % more than promised
        (lambda random, n: random.gamma(4, 1 / 200, n), SPOILT),  # too even
        (lambda random, n: np.repeat(random.exponential(1 / 50, n // 2), 2), SPOILT),  # in pairs
        (lambda random, n: np.where(np.arange(n) % 1000 < 500, 1 / 75, 1 / 37.5)
         * random.exponential(1, n), DOUBTFUL),  # in bursts
    ],
)  # fmt: skip
def test_arrivals_that_are_not_the_promised_ones(fine: Evidence, gaps: Any, expected: str) -> None:
    rows = rows_of(fine)
    times = np.cumsum(gaps(np.random.default_rng(5), len(rows)))
    times *= 1e9
    moved = rows.sort("scheduled_ns").with_columns(scheduled_ns=pl.Series(times).cast(pl.Int64))
    end = {"warmup_s": 0.0, "duration_s": float(times[-1] * 1e-9)}
    spoilt = replace(fine, given_rows=moved, summary=fine.summary | end)
    found = verdict(spoilt, "arrivals")
    assert found == expected or {found, expected} == {DOUBTFUL, SPOILT}


@pytest.mark.parametrize("process", ["even", "erlang(3, 1s)", "uniform(1s, 3s)", "h2(1s, cv2=5)"])
def test_other_processes_are_known_from_one_another(process: str) -> None:
    made = of_result(
        tt.simulate(cases.open_model(50, process=process), ONE, requests=5000, rows="all")
    )
    assert verdict(made, "arrivals") == FINE
    taken = replace(made, workload=cases.open_model(50, process="erlang(2, 1s)"))
    assert verdict(taken, "arrivals") in (DOUBTFUL, SPOILT)


def test_what_is_sent_otherwise_than_planned_is_doubted(fine: Evidence) -> None:
    late = {"lateness_s": {"mean": 0.01, "p99": 0.05}, "kind": "run"}
    held = (pl.col("scheduled_ns") // 200_000_000 + 1) * 200_000_000  # five times a second
    rows = rows_of(fine).with_columns(sent_ns=held)
    seen = replace(fine, kind="run", summary=fine.summary | late, given_rows=rows)
    assert verdict(seen, "arrivals") == DOUBTFUL
    assert verdict(seen, "punctuality") == DOUBTFUL


def test_the_steady_start_of_sessions_is_no_arrival() -> None:
    workload = cases.partly_open_model(5, "geometric(10)", "exp(2s)")
    made = of_result(tt.simulate(workload, ONE, requests=20_000, rows="all"))
    assert rows_of(made).filter(pl.col("session") >= 2**40).height > 50
    assert {verdict(made, name) for name in ("arrivals", "think times", "load")} == {FINE}


def test_each_population_has_a_process_of_its_own() -> None:
    parts = "".join(
        f'[[population]]\nname = "{name}"\n[population.arrivals]\nmodel = "open"\n'
        f'rate = {rate}\nprocess = "{process}"\n'
        f'[[population.request]]\nname = "{name}"\nget = "/"\n'
        for name, rate, process in (("one", 30, "poisson"), ("two", 20, "even"))
    )
    made = of_result(
        tt.simulate(tt.Workload(f'name = "w"\n{parts}'), ONE, requests=5000, rows="all")
    )
    assert verdict(made, "arrivals") == FINE
    swapped = tt.Workload(f'name = "w"\n{parts}'.replace("rate = 30", "rate = 36"))
    assert verdict(replace(made, workload=swapped), "arrivals") in (DOUBTFUL, SPOILT)


# ---- think times


def test_other_think_times_are_doubted(closed: Evidence) -> None:
    for think in ("exp(330ms)", "const(300ms)", "erlang(2, 300ms)"):
        assert verdict(replace(closed, workload=cases.closed_model(20, think)), "think times") == (
            DOUBTFUL
        ), think


def test_rows_that_begin_after_a_wait_are_not_held_to_the_plan(
    fine: Evidence, closed: Evidence
) -> None:
    """Of a pool of connections rows say when a connection was free."""
    for seen, name in ((fine, "arrivals"), (closed, "think times")):
        assert verdict(seen, name) == FINE
        for most, expected in ((0.0, FINE), (0.2, UNSEEN)):
            waited = seen.summary | {"waiting_s": {"mean": most / 4, "max": most}}
            assert verdict(replace(seen, summary=waited), name) == expected


# ---- generator and punctuality


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, FINE),
        ({"cpu_share": 0.85}, DOUBTFUL),
        ({"cpu_share": 0.97}, SPOILT),
        ({"without_core_share": 0.2}, DOUBTFUL),
        ({"interface_share": 0.95}, SPOILT),
    ],
)
def test_a_generator_at_its_limits(fine: Evidence, change: dict[str, Any], expected: str) -> None:
    used = {"cpu_share": 0.1, "without_core_share": 0.0, "interface_share": None} | change
    seen = replace(fine, kind="run", summary=fine.summary | {"generator": used})
    assert verdict(seen, "generator") == expected


def test_a_generator_without_sockets(fine: Evidence) -> None:
    used = {"cpu_share": 0.1, "without_core_share": 0.0, "interface_share": None}
    for count, expected in ((1, DOUBTFUL), (4000, SPOILT)):
        more = {"generator": used, "errors_by_kind": {"no_free_port": count}}
        assert verdict(replace(fine, kind="run", summary=fine.summary | more), "generator") == (
            expected
        )
    dropped = fine.summary | {"generator": used, "dropped": 3}
    assert verdict(replace(fine, kind="run", summary=dropped), "generator") == DOUBTFUL


# ---- load and warm-up


def test_a_load_that_was_not_reached(fine: Evidence) -> None:
    assert verdict(replace(fine, asked_load=0.53), "load") == DOUBTFUL
    assert verdict(replace(fine, asked_load=0.501), "load") == FINE


@pytest.mark.parametrize("os", ["linux-2.6.22", "processor-sharing"])
def test_the_load_of_a_machine(os: str) -> None:
    """Whether it was asked for, or follows from rate and demand."""
    system = machine(os, cores=2)
    asked = of_result(tt.simulate(open_(50), system, load=0.6, requests=40_000))
    assert verdict(asked, "load") == FINE
    assert verdict(replace(asked, asked_load=0.65, theory=None), "load") == DOUBTFUL
    offered = replace(of_result(tt.simulate(open_(120), system, requests=40_000)), theory=None)
    (found,) = [one for one in judge(offered) if one.name == "load"]
    assert found.verdict == FINE
    assert found.found.endswith(", 0.600 was asked for")
    other = replace(offered, workload=open_(130))
    assert verdict(other, "load") == DOUBTFUL


def test_a_run_that_fills_up_slowly() -> None:
    """Sessions of two minutes, which begin with nobody there: the first request comes at once."""
    workload = cases.workload(
        'model = "partly-open"\nrate = 4\nstart = "empty"\n'
        '[session]\nrequests = "geometric(20)"\nthink = "exp(6s)"'
    )
    made = of_result(tt.simulate(workload, ONE, duration="400s", rows="all"))
    assert verdict(made, "warm-up") == DOUBTFUL
    assert verdict(made, "load") == DOUBTFUL
    found = {one.name: one for one in judge(made)}
    assert "--warmup" in found["warm-up"].advice
    later = of_result(tt.simulate(workload, ONE, duration="2400s", warmup="800s", rows="all"))
    assert verdict(later, "warm-up") == FINE
    assert verdict(later, "load") == FINE


@pytest.mark.parametrize(("start", "expected"), [("steady", FINE), ("empty", DOUBTFUL)])
def test_a_closed_population_that_begins_as_one(start: str, expected: str) -> None:
    """Who thinks a minute each time asks three times in 200 s, and not at the end: 0.4, not 0.5."""
    workload = cases.workload(
        f'model = "closed"\nclients = 3000\nstart = "{start}"\n[session]\nthink = "const(60s)"'
    )
    made = of_result(tt.simulate(workload, ONE, duration="200s", rows="all", warmup=0.0))
    assert verdict(made, "load") == expected


# ---- steady state


def test_overload_and_steps_are_no_steady_state(fine: Evidence) -> None:
    grown = of_result(tt.simulate(cases.open_model(110), ONE, duration="200s", rows="all"))
    assert verdict(grown, "steady state") == DOUBTFUL
    series = series_of(fine)
    late = pl.when(pl.col("start_s") > 500).then(1.5).otherwise(1.0)
    slow = series.with_columns(response_mean_s=pl.col("response_mean_s") * late)
    assert verdict(replace(fine, given_series=slow), "steady state") == DOUBTFUL


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


# ---- counts


@pytest.mark.parametrize(("factor", "expected"), [(1.0, FINE), (1.05, DOUBTFUL), (1.3, SPOILT)])
def test_counts_that_do_not_agree(fine: Evidence, factor: float, expected: str) -> None:
    station = fine.summary["stations"]["station-0"]
    wrong = station | {"queue_length_mean": factor * station["queue_length_mean"]}
    seen = replace(fine, summary=fine.summary | {"stations": {"station-0": wrong}})
    assert verdict(seen, "counts") == expected


def test_counts_of_a_real_server_come_from_the_series(fine: Evidence) -> None:
    seen = replace(fine, kind="run", system=None)
    assert verdict(seen, "counts") == FINE
    lost = series_of(fine).with_columns(pl.col("in_system") * 2)
    assert verdict(replace(seen, given_series=lost), "counts") == SPOILT


def test_counts_have_those_who_wait_at_their_clients() -> None:
    """Stations do not count who waits for a place, which is a part of response times."""
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


# ---- percentiles


def test_the_numbers_of_requests_that_percentiles_need() -> None:
    assert {
        name: minimum_samples(p) for name, p in percentiles.PERCENTILES.items()
    } == percentiles.NEEDED


def test_a_busy_server_backs_fewer_percentiles() -> None:
    short = of_result(tt.simulate(cases.open_model(90), ONE, requests=6000, rows="all"))
    assert verdict(short, "percentiles") == DOUBTFUL
    without_rows = replace(short, given_rows=None)
    assert verdict(without_rows, "percentiles") == DOUBTFUL


def test_a_mean_that_is_hardly_known_backs_few_percentiles(fine: Evidence) -> None:
    """Whatever the parts of the run say: its worth is (1.96 σ / half-width)², as σ is the mean."""
    times = fine.summary["response_time_s"]
    for half, weak in ((0.02, []), (0.3, ["p99", "p99.9"]), (0.5, ["p90", "p95", "p99", "p99.9"])):
        wide = times | {"ci95": half * times["mean"]}
        seen = replace(fine, summary=fine.summary | {"response_time_s": wide})
        found = percentiles.backing(seen)
        assert found.weak == weak
        if weak:
            worth = found.worth["p99"].number
            assert worth == pytest.approx((2.093 / half) ** 2, rel=0.1), "of the exponential law"


def test_long_parts_show_what_lasts_for_long() -> None:
    """A share that steps by 2 d in the middle varies as of p (1 - p) / d² of k - 1 independent."""
    half = np.repeat([0.45, 0.55], 20) * 100
    bins = pl.DataFrame({"many": np.full(40, 100), "p50": half})
    short, long = (percentiles._of_parts(bins, joined, 4000.0)["p50"] for joined in (2, 5))
    assert short.number == pytest.approx(0.25 / 0.05**2 * 19)
    assert long.number == pytest.approx(0.25 / 0.05**2 * 7)
    assert short.most == pytest.approx(1.729 * short.number, rel=0.001)
    assert long.most == pytest.approx(2.287 * long.number, rel=0.001)


def test_the_number_of_independent_requests_is_always_said(fine: Evidence) -> None:
    short = of_result(tt.simulate(cases.open_model(90), ONE, requests=6000, rows="all"))
    for seen in (fine, replace(fine, given_rows=None), short):
        (found,) = [one for one in judge(seen) if one.name == "percentiles"]
        assert re.search(
            r"p[\d.]+ is that of about [\d\u202f]+ independent ones \([\d\u202f]+ at most\), and "
            r"[\d\u202f]+ are needed", found.found,
        ), found.found  # fmt: skip


def test_replications_have_an_interval_of_few_means() -> None:
    """Of two, t has one degree of freedom and is 12.7: the interval is that wide by itself."""
    made = tt.simulate(cases.open_model(50), ONE, requests=20_000, replications=2)
    found = percentiles.backing(of_result(made))
    assert "p99" not in found.weak


# ---- results


def test_what_was_found_is_in_the_summary_file_and_read_back(tmp_path: Path) -> None:
    made = tt.simulate(cases.open_model(50), ONE, requests=2000, output=tmp_path / "r")
    written = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert written == made.summary
    assert [one["name"] for one in written["validity"]] == [one.name for one in made.validity]
    assert tt.Result.load(tmp_path / "r").validity == made.validity


def test_a_result_that_a_check_spoils_is_not_to_be_trusted(tmp_path: Path) -> None:
    made = tt.simulate(cases.open_model(50), ONE, requests=2000, output=tmp_path / "r")
    assert made.untrusted is None
    found = made.summary["validity"][0]
    made.summary["validity"][0] = found | {"verdict": SPOILT, "found": "it is wrong"}
    assert made.untrusted == "it is wrong"
    assert made.verdict.exit_status == 3


def test_a_file_that_is_damaged_there_is_looked_at_anew(tmp_path: Path) -> None:
    tt.simulate(cases.open_model(50), ONE, requests=2000, output=tmp_path / "r")
    place = tmp_path / "r" / "summary.json"
    whole = json.loads(place.read_text())
    place.write_text(json.dumps(whole | {"validity": [{"name": "load"}]}))
    again = tt.Result.load(tmp_path / "r")
    assert "validity" not in again.summary
    assert [one.as_dict() for one in again.validity] == whole["validity"]


@pytest.mark.parametrize("rows", ["all", "none"])
def test_hardly_any_request_is_no_trouble(rows: str) -> None:
    for requests in range(1, 9):
        made = tt.simulate(cases.open_model(50), ONE, requests=requests, rows=rows, warmup=0.0)
        found = {one.name: one for one in made.validity}
        assert len(found) >= 6
        if requests < 6 and found["percentiles"].verdict == FINE:
            assert found["percentiles"].found.startswith("none is shown")


def test_without_rows_a_check_says_that_it_could_not_look() -> None:
    made = tt.simulate(cases.open_model(50), ONE, requests=2000, rows="none")
    found = {one.name: one.verdict for one in validity_of(made)}
    assert found["arrivals"] == UNSEEN
    assert found["load"] == FINE
    sample = tt.simulate(cases.open_model(50), ONE, requests=2000, rows="1/4")
    assert {one.name: one.verdict for one in validity_of(sample)}["arrivals"] == UNSEEN


# ---- where the assumptions of a check do not hold


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
        except Unseen as why:
            told.append(str(why))
    assert len(told) >= 5
    assert all("so alike that a change cannot be told from chance" in one for one in told)


def test_a_queue_that_grows_is_found_however_alike_its_parts_are() -> None:
    growing = 1.0 + np.arange(20) ** 1.2
    assert change_of(growing).is_bounded
    found = steadiness.judged(growing, np.arange(20.0), "response time", str)
    assert found.verdict == DOUBTFUL
