"""The report: numbers in words, cases, table, headline and charts."""

import io
import re
from dataclasses import replace

import fakes
import numpy as np
import polars as pl
import pytest
from fakes import closed, exp, h2, one, open_
from rich.console import Console

from thinktime.present import units
from thinktime.present.figure import POINTS_MAX, thin
from thinktime.report import contrast, headline_of
from thinktime.report import rows as rows_of
from thinktime.report.case import cases
from thinktime.report.charts import CHARTS, in_system
from thinktime.report.terminal import render

approx = pytest.approx

SYSTEM = one(fakes.BIMODAL)


@pytest.fixture(scope="module")
def demo():
    return fakes.demo_results()


def at_load_08(kind="simulate", requests=100_000, **times):
    """An open M/H2/1 FCFS result of given response times."""
    result = fakes.result(kind, open_(80), one(h2(0.010, 8)), 50)
    figures = {"mean": 0.190, "ci95": 0.004, "p99": 1.117} | times
    result.summary |= {"requests": requests, "response_time_s": figures}
    return result


# ---- units


@pytest.mark.parametrize(
    ("time_s", "words"),
    [
        (None, "—"), (float("inf"), "—"), (0, "0 s"), (1.5e-9, "1.50 ns"), (50e-6, "50.0 µs"),
        (999.6e-6, "1.00 ms"), (0.19, "190 ms"), (1.117006, "1.12 s"), (59.99, "60.0 s"),
        (119, "119 s"), (120, "2.00 min"), (7300, "2.03 h"), (-0.0047, "\u22124.70 ms"),
    ],
)  # fmt: skip
def test_seconds(time_s, words):
    assert units.seconds(time_s) == words


def test_other_units():
    assert units.rate(79.94) == "79.9/s"
    assert units.rate(12345.6) == "12,300/s"
    assert units.count(2_000_000) == "2,000,000"
    assert units.count(None) == units.rate(None) == units.load(None) == "—"
    assert units.percent(0.0123) == "1.2 %"
    assert units.deviation(-0.013) == "\u22121.3 %"
    assert units.deviation(0.0001) == "0.0 %"
    assert units.factor(97.36) == "97"
    assert units.amount(1, "clients") == "1 client"
    assert units.amount(12, "clients") == "12 clients"
    assert units.amount(1, "sessions/s") == "1 sessions/s"


# ---- cases and table


def test_results_of_one_workload_and_system_are_one_case(demo):
    found = cases(demo)
    assert [case.label for case in found] == ["closed, 1 client", "closed, 10 clients", "open"]
    for case in found:
        notes = [(entry.kind, entry.note) for entry in case.entries]
        assert notes == [
            ("measured", ""), ("simulated", "same sample path"), ("simulated", "long"),
        ]  # fmt: skip
        assert case.load == approx(0.8, abs=1e-3)


def test_cases_are_told_apart_by_what_differs():
    def labels(*results):
        return [case.label for case in cases(results)]

    fcfs = fakes.result("simulate", open_(80), one(exp(0.010)), 100)
    ps = replace(fcfs, system=one(exp(0.010), "ps"))
    assert labels(fcfs, ps) == ["open, FCFS", "open, PS"]
    assert labels(fcfs, replace(fcfs, workload=open_(80, name="b"))) == ["open, shop", "open, b"]
    slower = replace(fcfs, workload=open_(40))
    assert labels(fcfs, slower) == ["open, 80 requests/s", "open, 40 requests/s"]
    real = replace(fcfs, kind="run", system=None)
    assert labels(real, fcfs) == ["open"]
    found_for_load = [
        replace(fcfs, workload=closed(10, exp(think)), summary={}) for think in (1, 1.004)
    ]
    assert labels(*found_for_load) == ["closed, 10 clients"]


def test_theory_stands_below_its_results_and_deviations_are_taken_from_it():
    rows = rows_of([at_load_08(mean=0.1919)])
    assert [row.kind for row in rows] == ["simulated", "exact"]
    simulated, exact = rows
    assert exact.figures.times_s["mean"] == approx(0.190)
    assert exact.figures.times_s["p99"] == approx(1.117006)
    assert exact.model.startswith("M/H2/1 FCFS")
    assert simulated.reference == "the exact values"
    assert simulated.deviations["mean"] == approx(0.01)


def test_a_measured_result_is_compared_with_its_own_sample_path(demo):
    measured, same_path, long, exact = rows_of(demo[:3])
    assert measured.reference == "the simulation of the same sample path"
    assert same_path.reference == long.reference == "the exact values"
    assert exact.reference == ""


def test_a_run_of_an_unknown_server_is_not_held_against_exact_values():
    """The formula is that of the model beside it; the measurements may be of another server."""
    simulated = at_load_08(mean=0.191)
    real = replace(simulated, kind="run", system=None)
    measured, model, exact = rows_of([real, simulated])
    assert (measured.kind, measured.reference) == ("measured", "the simulation")
    assert (model.kind, model.reference) == ("simulated", "the exact values")
    assert exact.kind == "exact"
    said = " ".join(headline_of([real, simulated]).findings)
    assert "The mean lies within its 95 % confidence interval of the exact value." in said
    assert "Measured mean against simulated: open 0.0 %, within the 95 % interval." in said


def shown(rows):
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(render(rows))
    return console.export_text()


def test_the_terminal_says_what_percentages_are_against(demo):
    assert "signed %: against the exact values\n" in shown(rows_of([at_load_08(0.191)]))
    assert (
        "signed %: measured against the simulation of the same sample path; simulated "
        "against the exact values\n"
    ) in shown(rows_of(demo))
    nothing = replace(at_load_08(0.191), system=None)
    assert "signed %" not in shown(rows_of([nothing]))


def test_terminal_table(demo):
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(render(rows_of(demo)))
    text = console.export_text()
    assert re.search(r"exact +0\.800 +728/s +41\.1 ms +4\.18 ms +142 ms +458 ms +774 ms", text)
    assert "simulated, same sample path" in text


# ---- headline


def test_headline_is_the_sharpest_contrast(demo):
    headline = headline_of(demo)
    assert headline.sentence == (
        "At the same load of 0.80 the open system has a p99 of 458 ms: 97 times the 4.70 ms of "
        "the closed system with 1 client (exact values)."
    )
    assert any("2.8 times as long in the closed system with 10" in f for f in headline.findings)
    assert headline.doubts == []


def test_a_contrast_names_the_figures_of_both_sides(demo):
    closed_1, _, opened = cases(demo)
    without = replace(opened, theory=None)
    found = [contrast.contrast(one, closed_1, "p99") for one in (opened, without)]
    assert [one.basis for one in found] == [
        "exact values", "a long simulation against exact values",
    ]  # fmt: skip


def test_loads_of_short_runs_stand_beside_that_of_the_long_run(demo):
    """The real run of one client came to a load of 0.76, and the case is at 0.80."""
    (said,) = [one for one in headline_of(demo).findings if "all at a load" in one]
    assert "all at a load of 0.80 in the long run (0.76 to 0.80 in these results)" in said
    alike = headline_of(demo[2::3]).findings
    assert alike[0] == "3 systems, all at a load of 0.80."


def test_agreement_with_theory():
    assert "The mean lies within" in headline_of([at_load_08()]).findings[0]
    findings = headline_of([at_load_08(mean=0.209)]).findings
    assert findings == [
        "Further from the exact mean than its 95 % confidence interval: open (simulated) by "
        "+10.0 %, ± 2.1 %."
    ]


def test_no_contrast_within_the_confidence_intervals():
    a = at_load_08(mean=0.200, ci95=0.05)
    b = replace(at_load_08(mean=0.260, ci95=0.05), workload=open_(80, poisson=False, name="even"))
    assert "do not tell the systems apart" in headline_of([a, b]).sentence
    a.summary["response_time_s"]["ci95"] = b.summary["response_time_s"]["ci95"] = 0.005
    assert "1.3 times" in headline_of([a, b]).sentence


def test_few_requests_bear_no_claim():
    a, b = at_load_08(requests=50), at_load_08(requests=50, mean=9.0, p99=99.0, ci95=None)
    b.workload = open_(80, poisson=False)
    assert "too few requests" in headline_of([a, b]).sentence


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dropped": 7}, "7 wanted requests were never sent."),
        ({"offered_rate": 80, "throughput": 60}, "80.0/s were offered, but only 60.0/s completed."),
        ({"warnings": ["the disk is full"]}, "The disk is full."),
        ({"requests": 0}, "No request ended"),
    ],
)
def test_doubts(change, words):
    result = at_load_08("run")
    result.summary |= change
    assert words in " ".join(headline_of([result]).doubts)


def test_what_cannot_be_trusted_is_said():
    result = replace(at_load_08("run"), untrusted="the target refused", interrupted=True)
    assert headline_of([result]).doubts[:2] == [
        "Not to be trusted: the target refused.", "It was stopped before its end.",
    ]  # fmt: skip


# ---- charts


def test_number_in_system_is_exact_where_all_rows_are_there():
    result = fakes.result("simulate", open_(80), SYSTEM, 0)
    result.requests = fakes.rows([0.0, 1.0, 1.5], [3.0, 2.0, 1.75])
    entry = cases([result])[0].entries[0]
    times, number = in_system.number_in_system(entry, 10.0)
    assert times.tolist() == [0, 0, 1, 1.5, 1.75, 2, 3]
    assert number.tolist() == [0, 1, 2, 3, 2, 1, 0]


def test_number_in_system_else_comes_from_the_series(demo):
    entry = cases([replace(demo[-3], rows_complete=False)])[0].entries[0]
    times, number = in_system.number_in_system(entry, 100.0)
    assert times[0] == 1.0
    assert len(times) == int(demo[-3].summary["duration_s"])
    assert number.min() >= 0


def test_requests_that_never_end_stay():
    result = fakes.result("run", open_(80), SYSTEM, 0)
    rows = fakes.rows([0.0, 1.0], [3.0, 2.0])
    nothing = pl.when(pl.col("done_ns") > 2.5e9).then(None).otherwise(pl.col("done_ns"))
    result.requests = rows.with_columns(nothing.alias("done_ns"))
    _, number = in_system.number_in_system(cases([result])[0].entries[0], 10.0)
    assert number.tolist() == [0, 1, 2, 1]


def test_thinning_keeps_extremes_and_the_order_of_time():
    x = np.arange(1e6)
    y = np.zeros(1_000_000)
    y[123_456], y[654_321] = 99, -99
    thin_x, thin_y = thin(x, y)
    assert len(thin_x) <= POINTS_MAX
    assert (thin_y.max(), thin_y.min()) == (99, -99)
    assert (np.diff(thin_x) > 0).all()
    assert (thin_x[0], thin_x[-1]) == (0, 999_999)


def test_tail_shows_measured_simulated_and_exact_in_one_colour(demo):
    figure = CHARTS[0].draw(cases(demo[:3])).panels[0].figure
    curves = [one for one in figure.series if len(one.x) > 1]
    assert {one.colour for one in curves} == {curves[0].colour}
    assert len({one.dash for one in curves}) == 4
    exact = curves[-1]
    assert np.interp(-0.00470, -np.array(exact.x)[::-1], np.array(exact.y)[::-1]) == approx(
        0.01, rel=0.05
    )
    assert all(len(one.x) <= POINTS_MAX for one in figure.series)
