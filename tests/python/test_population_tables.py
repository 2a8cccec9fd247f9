"""Outputs about several populations, and about pages: tables, reports, sweeps, results."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console

import thinktime as tt
from thinktime.report import rows as rows_of
from thinktime.report.case import cases
from thinktime.report.charts import by_name, by_population
from thinktime.report.results_page import page_of
from thinktime.report.terminal import render
from thinktime.sweeps import keys
from thinktime.sweeps.charts import CHARTS as SWEPT_CHARTS
from thinktime.sweeps.curves import SweepCurves
from thinktime.sweeps.grid import parse
from thinktime.sweeps.table import table as swept_table

VISITORS = """
[[population]]
name = "visitors"
[population.arrivals]
model = "partly-open"
rate  = "20/s"
[population.session]
think = "exp(200ms)"
[[population.request]]
name    = "home"
next    = { item = 0.5, end = 0.5 }
objects = { count = "poisson(3)", of = { image = 1 }, connections = 2 }
[[population.request]]
name    = "item"
next    = { home = 0.5, end = 0.5 }
[[population.request]]
name    = "image"
timeout = "15ms"
"""
POLLERS = """
[[population]]
name = "pollers"
[population.arrivals]
model   = "closed"
clients = 20
[population.session]
think = "exp(500ms)"
[[population.request]]
name = "item"
"""
SYSTEM = tt.System("name='s'\n[[station]]\nname='server'\npolicy='ps'\ndemand='exp(3ms)'\n")
APPROX = pytest.approx


def simulated(*populations: str, **options: Any) -> tt.Result:
    text = 'name = "mixed"\n' + "".join(populations)
    given = {"requests": 20_000, "warmup": 5} | options
    return tt.simulate(tt.Workload(text), SYSTEM, **given)


@pytest.fixture(scope="module")
def mixed() -> tt.Result:
    return simulated(VISITORS, POLLERS)


def shown(results: list[tt.Result], width: int) -> str:
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(render(rows_of(results)))
    return console.export_text()


# ---- results


def test_a_result_gives_its_populations_in_the_order_of_the_file(mixed: tt.Result) -> None:
    assert list(mixed.populations) == ["visitors", "pollers"]
    assert mixed.populations["visitors"] == mixed.summary["by_population"]["visitors"]
    alone = tt.Workload('name = "w"\n[arrivals]\nmodel = "open"\nrate = "80/s"\n')
    plain = tt.simulate(alone, SYSTEM, requests=1000)
    assert plain.populations == {}
    assert plain.pages is not None
    assert plain.pages.is_empty()


def test_pages_are_put_together_from_rows_as_the_summary_counts_them(mixed: tt.Result) -> None:
    pages = mixed.pages
    assert pages is not None
    counted = pages.filter(pl.col("scheduled_ns") >= 5 * 10**9)
    assert counted.height == mixed.summary["pages"]
    assert 0 < counted["failed"].sum() == mixed.summary["page_errors"]
    fine = counted.filter(~pl.col("failed"))
    mean_s = ((fine["done_ns"] - fine["scheduled_ns"]) / 1e9).mean()
    assert mean_s == APPROX(mixed.summary["page_response_time_s"]["mean"], rel=1e-9)
    assert set(pages["population"]) == {"visitors"}
    assert set(pages["name"]) == {"home"}
    rows = pl.DataFrame(mixed.requests)
    assert pages["requests"].sum() == rows.filter(pl.col("page").is_not_null()).height


def test_a_retried_object_does_not_fail_its_page() -> None:
    patient = VISITORS.replace('timeout = "15ms"', 'timeout = "15ms"\nretry = { attempts = 9 }')
    result = simulated(patient.replace('"20/s"', '"5/s"'))
    pages = result.pages
    assert pages is not None
    assert result.summary["retries"] > 100
    counted = pages.filter(pl.col("scheduled_ns") >= 5 * 10**9)
    # The last page may wait for another attempt when the simulation ends.
    assert 0 <= counted["failed"].sum() - result.summary["page_errors"] <= 1
    assert counted["failed"].mean() < 0.01


# ---- tables


def test_a_terminal_shows_populations_and_pages(mixed: tt.Result) -> None:
    text = shown([mixed], 100)
    lines = text.splitlines()
    assert lines[2] == "mixed, 2 populations"
    heads = [line.split() for line in lines if line.startswith(("population ", "pages of "))]
    assert heads == [
        ["population", "requests", "errors", "rate", "mean", "p50", "p90", "p99"],
        ["pages", "of", "pages", "failed", "rate", "mean", "p50", "p90", "p99"],
    ]
    named = [line.split()[0] for line in lines if line.startswith(("visitors", "pollers", "all"))]
    assert named == ["visitors", "pollers", "visitors"]
    assert "partly open" in text
    assert "closed" in text


def test_no_table_is_wider_than_the_terminal(mixed: tt.Result) -> None:
    for width in (10, 16, 24, 32, 40, 60, 80, 100):
        text = shown([mixed, mixed], width)
        assert max(len(line) for line in text.splitlines()) <= width
        assert "visitors" in text


def test_a_narrow_terminal_leaves_columns_out_and_cuts_no_number(mixed: tt.Result) -> None:
    times = re.compile(r"\d s|\d [mµ]s")
    for width in (24, 32, 40):
        lines = shown([mixed], width).splitlines()
        figures = [line for line in lines if re.search(r"\d [mµn]", line)]
        assert figures
        assert all(times.search(line[-4:]) or "%" in line for line in figures)
        # With 40 columns figures have room as rows, and all are there.
        assert any(line.startswith("p99.9 ") for line in lines) == (width == 40)
        assert any(line.startswith("not shown in") for line in lines) == (width < 40)


def test_pages_of_several_populations_have_a_row_of_all() -> None:
    other = VISITORS.replace('"visitors"', '"others"').replace('"20/s"', '"5/s"')
    result = simulated(VISITORS, other)
    text = shown([result], 100)
    # Failures are in the next table.
    pages = text.partition("pages of")[2].partition("\nrequest ")[0].splitlines()
    names = [line.split()[0] for line in pages if line[:1].isalpha()]
    assert names == ["visitors", "others", "all"]
    assert result.summary["pages"] == sum(one["pages"] for one in result.populations.values())


def test_one_population_is_shown_as_if_it_had_no_name() -> None:
    tables = POLLERS.partition('name = "pollers"')[2].replace("population.", "")
    assert shown([simulated(POLLERS)], 100) == shown([simulated(tables)], 100)


# ---- reports


def test_two_results_of_populations_are_one_case_and_are_compared(mixed: tt.Result) -> None:
    other = simulated(VISITORS, POLLERS, seed=2)
    assert len(cases([mixed, other])) == 1
    faster = simulated(VISITORS.replace('"20/s"', '"30/s"'), POLLERS)
    assert len(cases([mixed, faster])) == 2


def test_the_report_has_tables_and_charts_of_populations_and_pages(mixed: tt.Result) -> None:
    made = page_of([mixed])
    assert [table.name for table in made.tables] == ["results"]
    names = [table.name for table in made.details]
    assert names[:4] == ["failures", "validity", "populations", "pages"]
    drawn = {one.name: one.drawing for one in made.sections if one.drawing is not None}
    titles = {
        name: [panel.title for panel in drawn[name].panels]
        for name in ("by_population", "pages", "by_name")
    }
    assert titles == {
        "by_population": ["visitors", "pollers"],
        "pages": ["visitors"],
        "by_name": ["home", "item", "image"],  # `item` is one of both populations
    }
    assert "page" in made.words


def test_charts_show_what_the_summary_says(mixed: tt.Result) -> None:
    (case,) = cases([mixed])
    entry = case.entries[0]
    for curves, figures in (
        (by_population._requests(case, entry), "response_time_s"),
        (by_population._pages(case, entry), "page_response_time_s"),
    ):
        for _, _, name, times in curves:
            assert times.mean() == APPROX(mixed.populations[name][figures]["mean"], rel=1e-9)
    items = next(times for *_, name, times in by_name._curves(case, entry) if name == "item")
    assert len(items) == mixed.summary["by_request"]["item"]["requests"]


def test_a_report_without_populations_has_none_of_it() -> None:
    alone = tt.Workload('name = "w"\n[arrivals]\nmodel = "open"\nrate = "80/s"\n')
    made = page_of([tt.simulate(alone, SYSTEM, requests=1000)])
    assert {"populations", "pages"}.isdisjoint(table.name for table in made.tables)
    assert {"by_population", "pages"}.isdisjoint(one.name for one in made.sections)
    assert "page" not in made.words


# ---- sweeps


@pytest.mark.parametrize(
    ("key", "whole"),
    [
        ("population.visitors.rate", "population.visitors.arrivals.rate"),
        ("population.visitors.think", "population.visitors.session.think"),
        ("population.visitors.first.home", "population.visitors.session.first.home"),
        ("population.pollers.clients", "population.pollers.arrivals.clients"),
        ("population.pollers.clients.concurrency", "population.pollers.clients.concurrency"),
        ("population.visitors.arrivals.rate", "population.visitors.arrivals.rate"),
        ("population.visitors.request.home.think", "population.visitors.request.home.think"),
        ("population.visitors.name", "population.visitors.name"),
        ("population.visitors.ratee", "population.visitors.ratee"),
        ("population.visitors", "population.visitors"),
        ("seed", "seed"),
    ],
)
def test_keys_of_populations_may_be_short(key: str, whole: str) -> None:
    assert keys.whole(key, ["visitors", "pollers"]) == whole
    assert keys.whole("arrivals.rate", [""]) == "arrivals.rate"


def test_a_key_of_no_population_is_told_with_theirs() -> None:
    workload = tt.Workload('name = "mixed"\n' + VISITORS + POLLERS)
    with pytest.raises(tt.InputError, match=r"as in `population\.visitors\.arrivals\.rate`"):
        tt.sweep(workload, SYSTEM, ["arrivals.rate=1/s,2/s"])


def test_populations_are_swept(tmp_path: Path) -> None:
    workload = tt.Workload('name = "mixed"\n' + VISITORS + POLLERS)
    vary = ["population.visitors.rate=5/s,20/s", "population.pollers.clients=0..40/2"]
    with pytest.raises(tt.InputError, match="clients"):
        tt.sweep(workload, SYSTEM, vary, requests=2000)
    vary[1] = "population.pollers.clients=4,40"
    table = tt.sweep(workload, SYSTEM, vary, requests=5000, output=tmp_path)
    assert table["population.visitors.rate"].to_list() == [5, 5, 20, 20]
    visitors = table["population.visitors.offered_rate"].to_list()
    pollers = table["population.pollers.offered_rate"].to_list()
    assert visitors[2] / visitors[0] == APPROX(4, rel=0.2)
    assert pollers[1] / pollers[0] == APPROX(10, rel=0.2)
    requests = [table[f"population.{name}.requests"] for name in ("visitors", "pollers")]
    assert (requests[0] + requests[1]).to_list() == table["requests"].to_list()
    assert table["pages"].to_list() == table["population.visitors.pages"].to_list()
    swept = SweepCurves(table, [parse(one) for one in vary], measured=False)
    headings = swept_table(swept).headings
    assert {"page mean", "visitors mean", "pollers p99"} <= set(headings)
    drawing = next(one for one in SWEPT_CHARTS if one.name == "figures").draw(swept)
    assert drawing is not None
    titles = [panel.title for panel in drawing.panels]
    assert {"Mean page response time", "Mean response time of pollers"} <= set(titles)
    assert table.equals(pl.read_parquet(tmp_path / "results.parquet"))


def test_a_misspelt_population_is_named() -> None:
    workload = tt.Workload('name = "mixed"\n' + VISITORS + POLLERS)
    with pytest.raises(tt.InputError, match="did you mean `visitors`"):
        tt.sweep(workload, SYSTEM, ["population.visitor.rate=1/s"])


def test_an_objective_of_a_population_itself_is_told_how() -> None:
    text = 'name = "mixed"\n' + VISITORS + POLLERS + '[slo]\nvisitors = "1s"\n'
    with pytest.raises(tt.InputError, match=r'as in visitors\.p99 = "250ms"'):
        tt.Workload(text)
