"""The checks of validity: each is fine on a fine run, and fails on one that is spoilt in its way.

`benches/validity.py` measures the share of wrong verdicts on fine runs; here seeds are fixed. Runs
that must not be doubted are in test_validity_false_alarms.py.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cases
import numpy as np
import polars as pl
import pytest
from machine_results import machine, open_
from validity_runs import ONE, rows_of, series_of, verdict

import thinktime as tt
from thinktime.present.percentile import NEEDED
from thinktime.results import independent_requests
from thinktime.stats import minimum_samples
from thinktime.validity import DOUBTFUL, FINE, SPOILT, UNSEEN
from thinktime.validity.checks import judge
from thinktime.validity.evidence import Evidence, of_result

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
    """Whether the user set it, or it follows from rate and demand."""
    system = machine(os, cores=2)
    asked = of_result(tt.simulate(open_(50), system, load=0.6, requests=40_000))
    assert verdict(asked, "load") == FINE
    assert verdict(replace(asked, asked_load=0.65, theory=None), "load") == DOUBTFUL
    offered = replace(of_result(tt.simulate(open_(120), system, requests=40_000)), theory=None)
    (found,) = [one for one in judge(offered) if one.name == "load"]
    assert found.verdict == FINE
    assert ", 0.600 was asked for; " in found.found
    other = replace(offered, workload=open_(130))
    assert verdict(other, "load") == DOUBTFUL


def test_a_run_that_fills_up_slowly() -> None:
    """Sessions of two minutes, which begin empty: the first request comes at once."""
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


# ---- steady state


def test_overload_and_steps_are_no_steady_state(fine: Evidence) -> None:
    grown = of_result(tt.simulate(cases.open_model(110), ONE, duration="200s", rows="all"))
    assert verdict(grown, "steady state") == DOUBTFUL
    series = series_of(fine)
    late = pl.when(pl.col("start_s") > 500).then(1.5).otherwise(1.0)
    slow = series.with_columns(response_mean_s=pl.col("response_mean_s") * late)
    assert verdict(replace(fine, given_series=slow), "steady state") == DOUBTFUL


def test_a_run_of_seconds_beyond_the_capacity_says_so() -> None:
    """A run at 150/s against a server of 95/s had no finding: ten intervals were needed."""
    made = of_result(tt.simulate(cases.open_model(150), ONE, duration="8s", rows="all"))
    found = next(one for one in judge(made) if one.name == "steady state")
    assert found.verdict == DOUBTFUL
    assert "more came than can be served" in found.found


@pytest.mark.parametrize("demand", ["const(3s)", "const(6s)"])
def test_slow_answers_alone_are_no_overload(demand: str) -> None:
    many = cases.system(("fcfs", demand, 2000))
    made = of_result(tt.simulate(cases.open_model(100), many, duration="8s", rows="all"))
    assert verdict(made, "steady state") != DOUBTFUL


def test_short_runs_below_the_capacity_are_no_overload() -> None:
    """107 requests more than at half time, 4 standard deviations of a Poisson difference, would be
    there at a load of 0.9 with a probability of 0.9^107, 1e-5, at any time.
    """
    for seed in range(40):
        done = tt.simulate(cases.open_model(90), ONE, duration="8s", rows="all", seed=seed)
        found = next(one for one in judge(of_result(done)) if one.name == "steady state")
        assert "more came" not in found.found


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


# ---- failures


@pytest.mark.parametrize(
    ("failed", "expected", "words"),
    [
        (0, FINE, "0 of 1,000 requests failed"),
        (500, FINE, "500 of 1,000 requests failed"),
        (648, DOUBTFUL, "648 of 1,000 requests failed, so every time is one of the 352 requests "
         "that survived"),
        (1000, DOUBTFUL, "1,000 of 1,000 requests failed"),
    ],
)  # fmt: skip
def test_times_of_a_few_survivors_are_called_that(
    fine: Evidence, failed: int, expected: str, words: str
) -> None:
    seen = replace(fine, summary=fine.summary | {"requests": 1000, "errors": failed})
    found = next(one for one in judge(seen) if one.name == "failures")
    assert (found.verdict, found.found) == (expected, words)


def test_a_result_whose_requests_mostly_failed_says_so_in_its_verdict() -> None:
    """Of an M/M/1 queue at 0.95 with a mean of 200 ms, hardly one in ten takes less than 20 ms."""
    text = cases.open_model(95).to_toml() + '[[request]]\nname = "a"\ntimeout = "20ms"\n'
    made = tt.simulate(tt.Workload(text), ONE, requests=5000)
    assert (made.verdict.status, made.verdict.exit_status) == ("done", 0)
    assert "that survived" in made.verdict.sentence
    lost = tt.simulate(tt.Workload(text + '[slo]\nerrors = "1%"\n'), ONE, requests=5000).verdict
    assert (lost.status, lost.exit_status) == ("not met", 1)
    assert lost.sentence.startswith("the SLO is not met: ")
    assert "that survived" in lost.sentence
    late = tt.simulate(tt.Workload(text + '[slo]\np90 = "1s"\n'), ONE, requests=5000)
    assert late.verdict.status == "not met", "those given up are later than any limit"
    assert late.summary["response_time_s"]["p90"] < 0.02


# ---- percentiles


def worth(seen: Evidence, number: float | None) -> Evidence:
    """The same with this number of independent requests."""
    return replace(seen, summary=seen.summary | {independent_requests.KEY: number})


def test_the_numbers_of_requests_that_percentiles_need() -> None:
    shares = {name: float(name[1:]) / 100 for name in NEEDED}
    assert {name: minimum_samples(p) for name, p in shares.items()} == NEEDED


@pytest.mark.parametrize(
    ("number", "known", "expected"),
    [
        (None, "too short to tell how alike", UNSEEN),
        (5.0, "p50, p90, p95, p99 and p99.9 are not known; p99 needs 368", UNSEEN),
        (367.0, "enough for p50, p90 and p95: p99 and p99.9 are not known", UNSEEN),
        (368.0, "enough for p50, p90, p95 and p99: p99.9 is not known", FINE),
        (3688.0, "enough for p50, p90, p95, p99 and p99.9", FINE),
    ],
)
def test_percentiles_that_are_not_known_are_named(
    fine: Evidence, number: float | None, known: str, expected: str
) -> None:
    found = next(one for one in judge(worth(fine, number)) if one.name == "percentiles")
    assert found.verdict == expected
    assert known in found.found
    assert ("times as long" in found.found) == (expected == UNSEEN and number is not None)


def test_a_mean_that_is_hardly_known_is_worth_few_independent_requests() -> None:
    """That is (2.093 σ / half-width)² of twenty batches, as σ is the mean of an exponential law."""
    shares = np.diff(-np.exp(-np.linspace(0, 20, 20_001)))
    bins = [(0.0005 + 0.001 * n, float(many)) for n, many in enumerate(1e9 * shares)]
    summary = {"response_time_s": {"ci95": 0.3}, "replication_means_s": [1.0]}
    assert independent_requests.counted(summary, bins) == pytest.approx(
        (2.093 / 0.3) ** 2, rel=0.01
    )
    two = summary | {"replication_means_s": [1.0, 1.0]}
    assert independent_requests.counted(two, bins) == pytest.approx((12.71 / 0.3) ** 2, rel=0.01)
    assert independent_requests.counted(summary, []) is None
    assert independent_requests.counted(summary, [(1.0, 50)]) == 50, "times that are all alike"


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


@pytest.mark.parametrize("law", ["const(0)", "discrete(0.5: 0, 0.5: 0)", "const(0.4)"])
def test_sessions_have_a_request_at_least(law: str) -> None:
    workload = tt.Workload(
        f'name = "w"\n[arrivals]\nmodel = "partly-open"\nrate = 5\n'
        f'[session]\nrequests = "{law}"\nthink = "1s"\n'
    )
    system = tt.System('name = "s"\n[[station]]\nname = "s"\ndemand = "exp(10ms)"\n')
    found = tt.simulate(workload, system, requests=2000, seed=1)
    assert found.summary["sessions"] == found.summary["requests"]


@pytest.mark.parametrize(("rate", "looks"), [("90/s", True), ("9/s", False)])
def test_a_small_population_that_changes_over_time_switches_no_check_off(
    rate: str, looks: bool, tmp_path: Path
) -> None:
    request = [{"name": "page", "get": "/"}]
    (tmp_path / "starts.csv").write_text("start_s\n" + "\n".join(map(str, range(1, 500))) + "\n")
    people = {"name": "people", "arrivals": {"model": "open", "rate": rate}, "request": request}
    trace = {"model": "open", "process": f"trace({tmp_path / 'starts.csv'})", "rate": "1/s"}
    batch = {"name": "batch", "arrivals": trace, "request": request}
    found = tt.simulate(
        {"name": "w", "population": [people, batch]},
        {"name": "s", "station": [{"name": "s", "demand": "exp(2ms)"}]},
        requests=330 * int(rate[:-2]), output=tmp_path / "result",
    )  # fmt: skip
    verdicts = {one.name: one.verdict for one in found.validity}
    assert {verdicts["warm-up"], verdicts["steady state"]} == {FINE if looks else UNSEEN}
