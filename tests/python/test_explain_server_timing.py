"""Service demands that `explain` learns from the server's own times in responses.

The measurements are simulated here, with fixed seeds: the server's own time is the response time of
a simulation, which includes all waiting, and the client's time is somewhat longer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cases
import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.explain import explain_result
from thinktime.explain.demands import of_server_timing
from thinktime.explain.explanation import LEARNED
from thinktime.explain.server_timing import UnusableTimesError
from thinktime.present import units

pytestmark = pytest.mark.usefixtures("one_question")

OUTSIDE_S = 2e-4
"""The part of each response time that is not the server's."""

Told = Callable[[np.ndarray], np.ndarray]
"""The server's report, from its own times of requests."""


def whole(took_s: np.ndarray) -> np.ndarray:
    return took_s


def measured(
    folder: Path,
    told: Told = whole,
    *,
    system: tt.System | None = None,
    rate: float = 70,
    requests: int = 8000,
) -> tt.Result:
    """A result whose responses report the server's own time, its queue included."""
    server = system or cases.system(("fcfs", "exp(10ms)"))
    tt.simulate(
        cases.open_model(rate), server, requests=requests, rows="all", warmup=0.0, output=folder
    )
    rows = pl.read_parquet(folder / "requests.parquet")
    took_s = 1e-9 * (rows["done_ns"] - rows["sent_ns"]).to_numpy()
    times = pl.Series("server_time_s", told(took_s)).fill_nan(None)
    later = pl.col("done_ns") + round(1e9 * OUTSIDE_S)
    rows.with_columns(times, done_ns=later).write_parquet(folder / "requests.parquet")
    file = folder / "summary.json"
    summary = json.loads(file.read_text())
    summary["server_timed"] = times.count()
    file.write_text(json.dumps(summary))
    return tt.Result.load(folder)


def mean_demand_s(system: str | None) -> float:
    """Of the one station of a model."""
    assert system is not None
    demand = tt.System(system).stations[0].demand
    assert demand is not None
    return float(demand.mean)


@pytest.mark.parametrize("policy", ["fcfs", "ps"])
def test_demands_are_those_of_requests_that_found_the_server_idle(
    policy: str, tmp_path: Path
) -> None:
    """At a load of 0.7 responses tell 33 ms on average, of which 10 ms are demands. Of 8,000
    requests some 2,400 find the server idle; most of these are interrupted. Five standard errors
    of the mean of 1,000 demands are 16 %."""
    result = measured(tmp_path / "measured", system=cases.system((policy, "exp(10ms)")))
    known = of_server_timing(result, 100_000)
    assert tt.Distribution(known.law).mean == pytest.approx(0.010, rel=0.16)
    assert len(set(known.variants(8))) == 8
    found = explain_result(result)
    assert found.demands == known.source
    those = "requests of the result that found the server idle, by its `Server-Timing`"
    assert those in found.sentence
    assert found.left_aside == ""
    assert 500 < int(found.demands.split()[2].replace(",", "")) < 2500
    assert found.kind == policy, found.sentence
    assert mean_demand_s(found.system) == pytest.approx(tt.Distribution(known.law).mean, rel=0.02)


@pytest.mark.parametrize(
    ("kind", "system", "rate"),
    [
        ("ps", cases.system(("ps", "h2(10ms, cv2=4)")), 70),
        ("row", cases.system(("fcfs", "exp(10ms)"), ("fcfs", "exp(6ms)")), 65),
    ],
)
def test_what_is_told_takes_no_model_away(
    kind: str, system: tt.System, rate: float, tmp_path: Path
) -> None:
    """Long requests are never alone to their end; and demands do not identify two stations."""
    result = measured(tmp_path / "measured", system=system, rate=rate)
    known = of_server_timing(result, 100_000)
    found = explain_result(result)
    assert found.kind == kind, found.sentence
    assert found.demands == LEARNED
    assert found.left_aside == f"with demands that are {known.source}, no model fits"


def missing(took_s: np.ndarray) -> np.ndarray:
    return np.where(np.arange(len(took_s)) % 20 == 0, np.nan, took_s)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (missing, f"{units.percent(0.05)} of the responses have none"),
        (lambda took: 1.5 * took, "are longer than the whole response"),
        (lambda took: np.floor(took / 0.1) * 0.1, "they are in steps of 100 ms"),
        (np.zeros_like, "they are in steps of"),
        (lambda took: took / 2, "the rest is the network's, or unnamed"),
    ],
)
def test_what_is_no_demand_is_left_aside(told: Told, words: str, tmp_path: Path) -> None:
    with pytest.raises(UnusableTimesError, match=words):
        of_server_timing(measured(tmp_path / "measured", told), 100_000)


def test_the_times_alone_are_used_then_and_it_is_said_why(tmp_path: Path) -> None:
    result = measured(tmp_path / "measured", missing)
    with pytest.raises(UnusableTimesError) as why:
        of_server_timing(result, 100_000)
    found = explain_result(result)
    assert found.kind == "fcfs", found.sentence
    assert found.demands == LEARNED
    assert found.left_aside == str(why.value)
    assert f"the times of `Server-Timing` are left aside: {found.left_aside}" in found.sentence


@pytest.mark.parametrize(("rate", "many"), [(30, 8000), (70, 8000)])
def test_a_time_that_is_taken_behind_a_queue_is_left_aside(
    rate: float, many: int, tmp_path: Path
) -> None:
    """A worker reports its working time, and not the request's time in its queue."""
    server = cases.system(("fcfs", "exp(10ms)"))
    known = tt.simulate(
        cases.open_model(rate), server, requests=many, rows="all", warmup=0.0
    ).requests
    rows = pl.DataFrame(known)
    taken_ns = pl.max_horizontal("sent_ns", pl.col("done_ns").shift(1, fill_value=0))
    worked_s = 1e-9 * rows.select(pl.col("done_ns") - taken_ns)["done_ns"].to_numpy()
    result = measured(
        tmp_path / "measured", lambda _: worked_s, system=server, rate=rate, requests=many
    )
    with pytest.raises(UnusableTimesError, match="requests that found others took ") as why:
        of_server_timing(result, 100_000)
    assert "longer on average, and it names none of that" in str(why.value) or (
        "of that: it leaves out waiting" in str(why.value)
    )


def test_a_few_responses_without_a_time_do_no_harm(tmp_path: Path) -> None:
    def few(took_s: np.ndarray) -> np.ndarray:
        return np.where(np.arange(len(took_s)) % 150 == 0, np.nan, took_s)

    known = of_server_timing(measured(tmp_path / "measured", few), 100_000)
    assert tt.Distribution(known.law).mean == pytest.approx(0.010, rel=0.16)


def test_too_few_requests_that_were_alone_are_left_aside(tmp_path: Path) -> None:
    result = measured(tmp_path / "measured", rate=97, requests=2000)
    with pytest.raises(
        UnusableTimesError, match="found the server idle and were alone to their end"
    ):
        of_server_timing(result, 100_000)


def test_of_more_requests_the_first_ones_are_looked_at(tmp_path: Path) -> None:
    """The times of the later ones would be left out."""

    def later(took_s: np.ndarray) -> np.ndarray:
        return np.where(np.arange(len(took_s)) > 7000, 3 * took_s, took_s)

    result = measured(tmp_path / "measured", later)
    assert of_server_timing(result, 6000).source.startswith("those of ")
    with pytest.raises(UnusableTimesError):
        of_server_timing(result, 100_000)


def test_what_is_given_goes_before(tmp_path: Path) -> None:
    result = measured(tmp_path / "measured")
    low = tt.simulate(
        cases.open_model(10), cases.system(("fcfs", "exp(10ms)")), requests=6000, rows="all"
    )
    assert explain_result(result, "exp(10ms)").demands == "given"
    assert "the result at low load" in explain_result(result, low_load=low).demands


def test_nothing_changes_where_nothing_is_told() -> None:
    result = tt.simulate(
        cases.open_model(70), cases.system(("fcfs", "exp(10ms)")), requests=3000, rows="all"
    )
    assert explain_result(result) == explain_result(result, server_timing=False)


def test_the_command_can_leave_it_aside(tmp_path: Path) -> None:
    measured(tmp_path / "measured")
    for words, source in (((), "by its `Server-Timing`"), (("--no-server-timing",), LEARNED)):
        done = CliRunner().invoke(app, ["explain", str(tmp_path / "measured"), *words, "--json"])
        assert done.exit_code == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["kind"] == "fcfs"
        assert source in found["demands"]
        assert found["left_aside"] == ""
