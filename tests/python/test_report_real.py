"""Reports of results that the product itself wrote: no stand-in can hide their content."""

from __future__ import annotations

import io
import re
from pathlib import Path

import fakes
import numpy as np
import polars as pl
import pytest
from real_runs import skip_if_late
from rich.console import Console
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.present import units
from thinktime.present.page import colour
from thinktime.report import headline_of, origin
from thinktime.report import rows as rows_of
from thinktime.report.case import cases
from thinktime.report.charts import throughput
from thinktime.report.results_page import page_of
from thinktime.report.terminal import render

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WORKLOAD = "name='checkout'\n[arrivals]\nmodel='open'\nrate='80/s'\n"
SYSTEM = "name='s'\n[[station]]\nname='server'\ndemand='{demand}'\n"


@pytest.fixture(scope="module")
def before_and_after(tmp_path_factory: pytest.TempPathFactory) -> list[tt.Result]:
    """One workload against two real servers, which are unknown to the report."""
    folder = tmp_path_factory.mktemp("runs")
    found, listen = [], "127.0.0.1:0"
    for name, demand in (("before deploy", "const(1ms)"), ("after deploy", "const(5ms)")):
        with tt.serve(tt.System(SYSTEM.format(demand=demand)), listen=listen) as server:
            listen = server.url.removeprefix("http://")
            found.append(
                tt.run(tt.Workload(WORKLOAD), server.url, duration=2, output=folder / name)
            )
    return found


def test_version_host_and_clock_are_shown(before_and_after: list[tt.Result]) -> None:
    for result in (tt.Result.load(before_and_after[0].path), fakes.real_result("simulate")):
        (source,) = origin.sources(cases([result]))
        facts = dict(source.facts)
        assert facts["version"] == tt.__version__
        assert facts["clock"] == {"run": "monotonic", "simulate": "virtual"}[result.kind]
        if result.kind == "run":
            assert re.fullmatch(r"kernel .+, architecture \S+, cores \d+", facts["host"])


@pytest.mark.parametrize("kind", ["run", "simulate"])
def test_stand_ins_have_the_shape_of_real_results(kind: str) -> None:
    real = fakes.real_result(kind)
    fake = fakes.result(kind, fakes.open_(80), fakes.one(fakes.BIMODAL), 100)
    assert fake.run_toml == real.run_toml
    assert set(fake.summary) <= set(real.summary)
    assert set(fake.summary["response_time_s"]) <= set(real.summary["response_time_s"])
    for name in ("requests", "series"):
        theirs = pl.DataFrame(getattr(real, name))
        assert set(getattr(fake, name).columns) <= set(theirs.columns)
    assert set(dir(fake)) - set(dir(real)) <= {"times_s", "__dataclass_fields__"} | {
        name for name in dir(fake) if name.startswith("__")
    }


def test_sessions_by_a_script_have_no_number_of_requests() -> None:
    workload, system = EXAMPLES / "buyers.toml", EXAMPLES / "shop-server.toml"
    result = tt.simulate(workload, system, duration=20, warmup=0)
    (case,) = cases([result])
    assert case.label == "partly open, sessions by a script"
    headline = headline_of([result]).sentence
    assert headline.startswith("The partly-open system with sessions by a script")
    assert "nan" not in headline.lower()


@pytest.mark.serial
def test_real_runs_of_one_workload_are_told_apart(before_and_after: list[tt.Result]) -> None:
    found = cases(before_and_after)
    assert [case.label for case in found] == ["open, before deploy", "open, after deploy"]
    assert colour(found[0].place) != colour(found[1].place)
    headline = headline_of(before_and_after)
    text = " ".join([headline.sentence, *headline.findings])
    assert "unknown" not in text
    assert "2 results, whose loads are not known." in text
    if "the open system (before deploy)" not in text:
        skip_if_late(before_and_after, text)


def test_a_simulation_joins_the_run_that_it_repeats(before_and_after: list[tt.Result]) -> None:
    system = tt.System(SYSTEM.format(demand="const(1ms)"))
    simulated = tt.simulate(tt.Workload(WORKLOAD), system, duration=2)
    kinds = [
        [entry.kind for entry in case.entries]
        for case in cases([*before_and_after, simulated])
    ]  # fmt: skip
    assert kinds == [["measured", "simulated"], ["measured"]]


@pytest.mark.serial
def test_compare_says_how_much_real_runs_differ(before_and_after: list[tt.Result]) -> None:
    paths = [str(result.path) for result in before_and_after]
    said = CliRunner().invoke(app, ["compare", *paths])
    assert said.exit_code == 0, said.output
    number = r"[\d,]+(\.\d+)?"
    words = rf"^Worse: .*rose by {number} to {number} (µs|ms|s) \({number} to {number} %\)"
    if not re.search(words, said.output):
        skip_if_late(before_and_after, said.output)


def test_the_page_of_two_runs_says_how_much_they_differ(
    before_and_after: list[tt.Result],
) -> None:
    tables = {table.name: table for table in page_of(before_and_after).tables}
    assert "mean" in {line.name for line in tables["differences"].lines}
    assert "differences" not in {table.name for table in page_of(before_and_after[:1]).tables}


def test_compare_says_what_spoils_a_result(tmp_path: Path) -> None:
    """One of the two received no requests; the other's server was overloaded."""
    system = tt.System(SYSTEM.format(demand="const(20ms)"))
    for name, rate in (("overload", "80/s"), ("nobody", "1e-9/s")):
        workload = tt.Workload(WORKLOAD).with_value("arrivals.rate", rate)
        tt.simulate(workload, system, duration=5, output=tmp_path / name)
    said = CliRunner().invoke(
        app, ["compare", str(tmp_path / "overload"), str(tmp_path / "nobody")]
    )
    assert said.exit_code == 0, said.output
    warnings = [line for line in said.output.splitlines() if line.startswith("warning: ")]
    assert any("the offered load is 1.600" in line for line in warnings)
    assert any("ot to be trusted: " in line for line in warnings)


def test_a_run_that_is_too_short_is_said_to_be(tmp_path: Path) -> None:
    with tt.serve(tt.System(SYSTEM.format(demand="const(1ms)"))) as server:
        for name in ("a", "b"):
            workload = tt.Workload(WORKLOAD)
            tt.run(workload, server.url, requests=2, duration=1, output=tmp_path / name)
    said = CliRunner().invoke(app, ["compare", str(tmp_path / "a"), str(tmp_path / "b")])
    assert said.exit_code == 0, said.output
    assert "Not compared: mean, p50" in said.output


TIMES_S = (1.5e-6, 50e-6, 999.6e-6, 0.00123456, 0.24216891800000002, 59.99, 119, 121, 7300, 1e7)


@pytest.mark.parametrize("time_s", TIMES_S)
def test_messages_write_times_as_tables_do(time_s: float) -> None:
    """One client and constant demands: every response takes as long as the demand, exactly."""
    workload = tt.Workload(
        "name='w'\n[arrivals]\nmodel='closed'\nclients=1\n[session]\nthink='const(0s)'\n"
        "[slo]\nmean='1ns'\n"
    )
    system = tt.System(SYSTEM.format(demand=f"const({time_s!r}s)"))
    result = tt.simulate(workload, system, requests=300, warmup=0)
    mean_s = result.summary["response_time_s"]["mean"]
    assert mean_s == pytest.approx(time_s, rel=1e-3)
    (said,) = result.breaches()
    assert said == f"mean is {units.seconds(mean_s)}, wanted 1.00 ns or less"


def test_objectives_just_missed_do_not_look_met() -> None:
    workload = tt.Workload(
        "name='w'\n[arrivals]\nmodel='closed'\nclients=1\n[session]\nthink='const(0s)'\n"
        "[slo]\nmean='1ms'\n"
    )
    system = tt.System(SYSTEM.format(demand="const(1.0002ms)"))
    (said,) = tt.simulate(workload, system, requests=300, warmup=0).breaches()
    assert said == "mean is 1.0002 ms, wanted 1.0000 ms or less"


def test_notations_are_shown_in_three_digits() -> None:
    assert units.law("exp(242.16891800000002ms)") == "exp(242 ms)"
    assert units.law("mix(0.712908: exp(2.651us), 0.287092: const(3s))") == (
        "mix(0.713: exp(2.65 µs), 0.287: const(3.00 s))"
    )
    assert units.law("zipf(n=10000, s=0.9)") == "zipf(n=10000, s=0.9)"
    assert units.law("truncated(pareto(shape=1.1, scale=1e-06s), hi=1e3)") == (
        "truncated(pareto(shape=1.1, scale=1.00 µs), hi=1e3)"
    )


def test_a_name_stands_once() -> None:
    """Labels and names that say the same are written once, in the table and in the title."""
    results = [
        fakes.result("simulate", workload, fakes.one(fakes.BIMODAL), 100)
        for workload in (
            fakes.open_(80, name="open"),
            fakes.closed(1, fakes.exp(1), name="closed, 1 client"),
        )
    ]
    console = Console(width=150, record=True, file=io.StringIO())
    console.print(render(rows_of(results)))
    lines = console.export_text().splitlines()
    assert {"open", "closed, 1 client"} <= set(lines)


def test_measured_and_simulated_rates_are_in_the_same_intervals() -> None:
    """A series of one-second intervals beside one of two seconds: both in two seconds."""
    run, simulated, _ = fakes.demo_results()[:3]
    series = simulated.series.filter(pl.col("start_s") < 4)
    pairs = (pl.col("start_s") // 2).cast(pl.Int64)
    counts = [pl.col(name).sum() for name in ("scheduled", "completed")]
    wide = series.group_by(pairs.alias("pair"), maintain_order=True).agg(
        *counts, pl.col("in_system").last()
    )
    simulated.series = wide.select(
        start_s=pl.col("pair") * 2.0, interval_s=pl.lit(2.0), name=pl.lit("item"),
        scheduled="scheduled", completed="completed", in_system="in_system",
    )  # fmt: skip
    (panel,) = throughput.CHART.draw(cases([run, simulated])).panels
    edges = {tuple(np.asarray(one.x)) for one in panel.figure.series}
    assert edges == {(0.0, 2.0, 4.0)}
