"""Service demands that `explain` knows from other sources: the server's log, or low load.

The measurements are simulated here, with fixed seeds. Logs are written from the rows of
simulations, with the times of the server alone.
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
from thinktime.candidates.survival import survival
from thinktime.candidates.visits import Visits
from thinktime.cli import app
from thinktime.explain import explain_result
from thinktime.explain.demands import of_log
from thinktime.explain.laws import law_of_survival
from thinktime.explain.visits import network_s
from thinktime.present import units

START_S = 1_790_000_000


def measured(demand: str = "exp(10ms)", rate: float = 70, requests: int = 8000) -> tt.Result:
    return tt.simulate(
        cases.open_model(rate), cases.system(("fcfs", demand)),
        requests=requests, rows="all", warmup=0.0,
    )  # fmt: skip


def logged(result: tt.Result, file: Path, step_s: float = 1e-6, duration: bool = True) -> Path:
    """The server's log of a result, with stamps and durations in these steps."""
    rows = pl.DataFrame(result.requests).sort("scheduled_ns")
    came_s = rows["scheduled_ns"].to_numpy() * 1e-9
    took_s = rows["done_ns"].to_numpy() * 1e-9 - came_s
    came_s, took_s = (np.floor(one / step_s) * step_s for one in (came_s, took_s))
    lines = ["start_time,address,method,path,status" + (",duration_us" if duration else "")]
    for came, took in zip(came_s, took_s, strict=True):
        last = f",{round(1e6 * took)}" if duration else ""
        lines.append(f"{START_S + came:.6f},10.0.0.1,GET,/item,200{last}")
    file.write_text("\n".join(lines) + "\n")
    return file


def mean_demand_s(system: str | None) -> float:
    """Of the one station of a model."""
    assert system is not None
    demand = tt.System(system).stations[0].demand
    assert demand is not None
    return float(demand.mean)


# ---- from a log


def test_the_demands_of_a_log_are_those_of_the_server(tmp_path: Path) -> None:
    """Of 8,000 requests at a load of 0.7 some 2,400 find the server idle; most of these are
    interrupted. Five standard errors of the mean of 1,000 demands are 16 %."""
    known = of_log(logged(measured(), tmp_path / "access.csv"))
    assert tt.Distribution(known.law).mean == pytest.approx(0.010, rel=0.16)
    assert known.source.startswith("those of ")
    found = f"requests of {tmp_path}/access.csv that found the server idle, "
    assert f"{found}{units.seconds(tt.Distribution(known.law).mean)} on average" in known.source
    assert len(set(known.variants(8))) == 8


def test_the_server_is_named_with_the_demands_of_its_log(tmp_path: Path) -> None:
    """The log is of another time, at a low load: its demands are others than the result's."""
    file = logged(measured(rate=10, requests=6000), tmp_path / "access.csv")
    result = measured()
    found = explain_result(result, log=file)
    assert found.kind == "fcfs", found.sentence
    assert found.demands == of_log(file).source
    assert f"; demands are {found.demands}" in found.sentence
    assert mean_demand_s(found.system) == pytest.approx(0.010, rel=0.08)
    assert mean_demand_s(found.system) != mean_demand_s(explain_result(result).system)


def test_a_log_of_another_server_fits_nothing(tmp_path: Path) -> None:
    file = logged(measured("exp(5ms)", rate=10), tmp_path / "access.csv")
    found = explain_result(measured(), log=file)
    assert found.kind is None
    assert found.sentence.endswith(f"; demands are {found.demands}")


def test_a_law_without_a_name_is_that_of_the_values_seen() -> None:
    """The product-limit estimate gives demands other probabilities: its moments are kept."""
    random = np.random.default_rng(5)
    demands = np.where(random.random(20_000) < 0.01, 0.1, random.exponential(0.001, 20_000))
    until = random.exponential(0.05, 20_000)
    seen = survival(np.minimum(demands, until), demands <= until)
    law = tt.Distribution(law_of_survival(seen))
    assert law.mean == pytest.approx(0.99 * 0.001 + 0.01 * 0.1, rel=0.15)
    second = float(seen.values**2 @ seen.weights)
    assert (1 + law.cv2) * law.mean**2 == pytest.approx(second, rel=0.15)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda file: logged(measured(), file, duration=False), "it has no durations"),
        (lambda file: logged(measured(), file, step_s=1.0), "demands are not visible"),
        (lambda file: logged(measured(rate=10, requests=90), file), "take a time of lower load"),
    ],
)
def test_what_a_log_does_not_tell_is_said(
    make: Callable[[Path], Path], words: str, tmp_path: Path
) -> None:
    file = make(tmp_path / "access.csv")
    with pytest.raises(tt.InputError, match=words) as error:
        explain_result(measured(), log=file)
    assert str(file) in str(error.value)


def test_durations_in_another_unit_are_seen_by_their_mean(tmp_path: Path) -> None:
    """Microseconds under a name without a unit are taken for seconds: all seem to be there."""
    file = logged(measured(rate=10), tmp_path / "access.csv")
    bare = tmp_path / "bare.csv"
    bare.write_text(file.read_text().replace("duration_us", "duration"))
    with pytest.raises(tt.InputError, match=r"which take [\d.]+ (min|h) on average, 0 found"):
        of_log(bare)
    told = of_log(bare, "csv:duration_us=duration")
    assert tt.Distribution(told.law).mean == pytest.approx(0.010, rel=0.1)


# ---- from a result at low load


def test_the_server_is_named_with_the_times_at_low_load() -> None:
    low = measured(rate=10, requests=6000)
    found = explain_result(measured(), low_load=low)
    assert found.kind == "fcfs", found.sentence
    assert "requests of the result at low load that found the server idle" in found.demands
    assert mean_demand_s(found.system) == pytest.approx(0.010, rel=0.08)
    other = explain_result(measured(), low_load=measured("exp(5ms)", rate=10, requests=6000))
    assert other.kind is None


def test_low_load_is_of_the_same_requests() -> None:
    named = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = 10\n[[request]]\nname = "buy"\n'
    low = tt.simulate(
        tt.Workload(named), cases.system(("fcfs", "exp(10ms)")), requests=2000, rows="all"
    )
    with pytest.raises(
        tt.InputError, match="it has the requests buy, and the explained result has"
    ):
        explain_result(measured(), low_load=low)


def across(folder: Path, rate: float, requests: int, delay_s: float) -> tt.Result:
    """A result as over a link with a delay one way: here the link adds only that."""
    tt.simulate(
        cases.open_model(rate), cases.system(("fcfs", "exp(10ms)")),
        requests=requests, rows="all", warmup=0.0, output=folder,
    )  # fmt: skip
    file = folder / "requests.parquet"
    later = pl.col("done_ns") + round(2e9 * delay_s)
    pl.read_parquet(file).with_columns(later.alias("done_ns")).write_parquet(file)
    result = tt.Result.load(folder)
    result.summary["link"] = {"asked": f"delay = {1e3 * delay_s:g}ms, loss = 1%"}
    return result


def test_what_the_network_takes_is_no_demand(tmp_path: Path) -> None:
    """25 ms one way, while requests take 10 ms at the server: all shown times include it."""
    near, far = measured(), across(tmp_path / "far", 70, 8000, 0.025)
    assert network_s(near) == 0.0
    assert network_s(far) == pytest.approx(0.05)
    found = explain_result(far, low_load=across(tmp_path / "low", 10, 6000, 0.025))
    assert found.kind == "fcfs", found.sentence
    assert mean_demand_s(found.system) == pytest.approx(0.010, rel=0.08)
    assert "without 50.0 ms of its link" in found.demands
    assert "its link takes 50.0 ms of each time" in found.sentence
    beside = explain_result(near)
    assert found.mean_s == pytest.approx(0.05 + beside.mean_s, rel=1e-6)
    means = {one.question: one.mean_s or 0.0 for one in found.answers}
    own_s = beside.answers[0].mean_s or 0.0
    assert means["the measured workload"] == pytest.approx(0.05 + own_s, abs=0.01)
    assert 0.060 < means["one more server"] < 0.064  # 50 ms and M/M/2, 11.4 ms


def test_visits_without_the_network_keep_their_order() -> None:
    visits = Visits.served(np.array([0.0, 1.0]), np.array([0.5, 1.01]))
    found = visits.without(0.1)
    assert found.arrival_s == pytest.approx([0.05, 1.05])
    assert found.done_s[0] == pytest.approx(0.45)
    assert found.done_s[1] > found.arrival_s[1]  # no time at all, but not less


# ---- the command


def command(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["explain", *words])
    return done.exit_code, done.stdout, done.stderr


def written(folder: Path, rate: float) -> Path:
    tt.simulate(
        cases.open_model(rate), cases.system(("fcfs", "exp(10ms)")), requests=8000, output=folder
    )  # fmt: skip
    return folder


def test_the_command_takes_a_log_and_a_result_at_low_load(tmp_path: Path) -> None:
    high, low = written(tmp_path / "high", 70), written(tmp_path / "low", 5)
    file = logged(tt.Result.load(low), tmp_path / "access.csv")
    for words in (("--low-load", str(low)), ("--log", str(file), "--format", "csv")):
        status, text, errors = command(str(high), *words, "--json")
        assert status == 0, errors
        found = json.loads(text)
        assert found["kind"] == "fcfs"
        assert "that found the server idle" in found["demands"]
        assert mean_demand_s(found["system"]) == pytest.approx(0.010, rel=0.15)


def test_one_source_of_demands_is_enough(tmp_path: Path) -> None:
    high = written(tmp_path / "high", 70)
    for words in (
        ("--demand", "exp(10ms)", "--log", "access.csv"),
        ("--low-load", str(high), "--log", "access.csv"),
    ):
        status, _, errors = command(str(high), *words)
        assert status == 2
        assert "give only one" in errors
    status, _, errors = command(str(high), "--format", "csv")
    assert status == 2
    assert "a format goes with a log" in errors


@pytest.mark.parametrize("law", ["exp(5xs)", "exp(-5ms)", "nothing"])
def test_a_law_that_is_none_is_told_with_its_option(tmp_path: Path, law: str) -> None:
    high = written(tmp_path / "high", 70)
    status, _, errors = command(str(high), f"--demand={law}")
    assert status == 2
    assert "error: --demand: " in errors
    with pytest.raises(tt.InputError, match=r"^demand: "):
        explain_result(tt.Result.load(high), law)
