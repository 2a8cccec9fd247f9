"""Charts over time: lateness, errors by kind, and each name and population, against loops."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import cases
import numpy as np
import page_subjects
import polars as pl
import pytest
from answer_server import Answer, answer_server

import thinktime as tt
from thinktime.present.chart import Drawing, sections
from thinktime.present.page import Headline, Page, render
from thinktime.report.attempts import rows_of
from thinktime.report.case import Entry
from thinktime.report.case import cases as cases_of
from thinktime.report.charts import CHARTS, errors, lateness, parts, tallies

WIDTH_S = 0.1
"""The intervals of 20 s of one case: 200 of them."""


@pytest.fixture(scope="module")
def entry() -> Entry:
    return cases_of([page_subjects.measured()])[0].entries[0]


def curves(drawing: Drawing | None) -> dict[str, tuple[list[float], list[float]]]:
    assert drawing is not None
    return {
        f"{panel.title}: {one.name}": (list(one.x), list(one.y))
        for panel in drawing.panels
        for one in panel.figure.series
    }


def test_every_attempt_is_in_a_tally(entry: Entry) -> None:
    table = tallies.tally(entry, 20.0, WIDTH_S)
    assert table is not None
    rows = page_subjects.rows()
    assert table["many"].sum() == rows.height
    assert table.filter(pl.col("over").is_null())["many"].sum() == 1
    found = dict(table.group_by("cause").agg(pl.col("many").sum()).rows())
    errors_there = rows["error"].value_counts().rows()
    assert found == {"status 404" if one == "status" else one: many for one, many in errors_there}


def test_lateness_is_that_of_each_interval() -> None:
    found = curves(lateness.CHART.draw(cases_of([page_subjects.measured()])))
    mean, longest = (
        next(y for name, (_, y) in found.items() if word in name) for word in ("mean l", "longest")
    )
    by_interval: dict[int, list[float]] = {}
    for row in page_subjects.rows().to_dicts():
        late = (row["sent_ns"] - row["scheduled_ns"]) / 1e9
        by_interval.setdefault(row["scheduled_ns"] // 100_000_000, []).append(late)
    assert len(mean) == 201
    for place, values in by_interval.items():
        assert mean[place] == pytest.approx(sum(values) / len(values))
        assert longest[place] == pytest.approx(max(values))
    assert max(mean) == pytest.approx(0.2)


def test_simulations_and_rows_without_times_have_no_lateness() -> None:
    simulated = replace(page_subjects.measured(), kind="simulate")
    assert lateness.CHART.draw(cases_of([simulated])) is None
    bare = replace(page_subjects.measured(), requests=page_subjects.rows().drop("sent_ns"))
    assert lateness.CHART.draw(cases_of([bare])) is None


def test_errors_stand_by_kind_where_they_were() -> None:
    drawing = errors.CHART.draw(cases_of([page_subjects.measured()]))
    found = curves(drawing)
    rows = page_subjects.rows()
    for cause, error in (("timeout", "timeout"), ("status 404", "status")):
        (rates,) = (y for name, (_, y) in found.items() if name.endswith(cause))
        failed = rows.filter(pl.col("error") == error).height
        assert sum(rates[:-1]) * WIDTH_S == pytest.approx(failed)
        assert not any(rates[:149])  # no failures in the first three quarters
    assert drawing is not None
    assert [key.name for key in drawing.keys] == ["timeout", "status 404"]
    assert "timeout 100 attempts" in drawing.panels[0].words


def test_what_failed_while_the_last_answers_were_waited_for_is_drawn_too() -> None:
    """The last ten got no answer, and were waited for until 30 s: no line of zeros."""
    result = page_subjects.measured()
    last = pl.col("session") >= page_subjects.rows().height - 10
    result.requests = page_subjects.rows().with_columns(
        error=pl.when(last).then(pl.lit("unanswered")),
        done_ns=pl.when(last).then(30 * 10**9).otherwise("done_ns"),
    )
    drawing = errors.CHART.draw(cases_of([result]))
    ((times, rates),) = curves(drawing).values()
    assert [round(time, 6) for time, rate in zip(times, rates, strict=True) if rate] == [30.0, 30.1]
    assert max(rates) * WIDTH_S == pytest.approx(10)
    assert drawing is not None
    assert drawing.panels[0].figure.x.high == pytest.approx(30.1)


def test_where_nothing_failed_nothing_is_drawn() -> None:
    well = page_subjects.measured()
    well.requests = page_subjects.rows().with_columns(error=pl.lit(None, pl.String))
    assert errors.CHART.draw(cases_of([well])) is None
    sampled = replace(page_subjects.measured(), rows_complete=False)
    assert errors.CHART.draw(cases_of([sampled])) is None  # a sample would look like fewer


@pytest.mark.parametrize(
    ("chart", "column", "names"),
    [
        (parts.NAMES, "name", page_subjects.NAMES),
        (parts.POPULATIONS, "population", page_subjects.POPULATIONS),
    ],
)
def test_each_part_has_its_own_figures(chart, column: str, names: tuple[str, ...]) -> None:
    drawing = chart.draw(cases_of([page_subjects.measured()]))
    found = curves(drawing)
    rows = page_subjects.rows().filter(pl.col("scheduled_ns") < 20 * 10**9)
    assert [key.name for key in drawing.keys] == list(names)
    for name in names:
        own = rows.filter(pl.col(column) == name).to_dicts()
        inside = next(y for n, (_, y) in found.items() if "in the system" in n and n.endswith(name))
        done = next(y for n, (_, y) in found.items() if "completed" in n and n.endswith(name))
        late = next(y for n, (_, y) in found.items() if "lateness" in n and n.endswith(name))
        for place in (0, 7, 99, 149, 199):
            end = (place + 1) * 100_000_000
            there = [
                one for one in own
                if one["scheduled_ns"] < end and (one["done_ns"] is None or one["done_ns"] >= end)
            ]  # fmt: skip
            assert inside[place] == len(there), (name, place)
            over = [
                one for one in own
                if one["error"] is None and one["done_ns"] is not None
                and end - 100_000_000 <= one["done_ns"] < end
            ]  # fmt: skip
            assert done[place] * WIDTH_S == pytest.approx(len(over))
        assert max(late) == pytest.approx(0.2)


def test_one_name_needs_no_chart_of_names() -> None:
    result = page_subjects.measured()
    result.workload.request_names = ["item"]
    assert parts.NAMES.draw(cases_of([result])) is None


def test_of_many_names_those_without_room_are_counted() -> None:
    result = page_subjects.measured()
    names = [f"n{one % 11}" for one in range(result.requests.height)]
    result.requests = result.requests.with_columns(name=pl.Series(names))
    result.workload.request_names = [f"n{one}" for one in range(11)]
    drawing = parts.NAMES.draw(cases_of([result]))
    assert drawing is not None
    assert len(drawing.keys) == tallies.CURVES_MAX
    assert all("3 more are not drawn." in panel.words for panel in drawing.panels)
    assert drawing.note == "8 of 11 request names are drawn: those with most requests."


def test_replications_are_not_laid_over_one_another() -> None:
    result = page_subjects.measured()
    twice = [page_subjects.rows().with_columns(replication=pl.lit(n)) for n in (0, 1)]
    result.requests = pl.concat(twice)
    result.summary["replication_means_s"] = [0.01, 0.01]
    table = tallies.tally(cases_of([result])[0].entries[0], 20.0, WIDTH_S)
    assert table is not None
    assert table["many"].sum() == page_subjects.rows().height


def test_a_real_run_has_all_of_them(tmp_path: Path) -> None:
    """Every other request of one name is refused; the page names the causes."""
    workload = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 2\n[session]\nthink = "5ms"\n'
        '[[request]]\nname = "good"\nget = "/good"\n[[request]]\nname = "bad"\nget = "/bad"\n'
    )

    def answer(asked) -> Answer:
        time.sleep(0.001)
        return Answer("no", 503 if asked.path == "/bad" else 200)

    with answer_server(answer) as (url, _):
        tt.run(workload, url, duration=2, output=tmp_path / "out")
    result = tt.Result.load(tmp_path / "out")
    found = {one.name: one.drawing for one in sections(CHARTS, cases_of([result]))}
    assert {"lateness", "errors", "names"} <= found.keys()
    assert [key.name for key in found["errors"].keys] == ["status 503"]
    assert {key.name for key in found["names"].keys} == {"good", "bad"}
    failed = sum(sum(one.y[:-1]) for one in found["errors"].panels[0].figure.series)
    rows = rows_of(result)
    assert rows is not None
    width = float(np.diff(found["errors"].panels[0].figure.series[0].x)[0])
    assert 0 < failed * width <= result.summary["errors_by_kind"]["status"] + 1e-6


def test_no_loop_goes_over_rows() -> None:
    """Many rows are summed up as quickly as the library does it: the charts of them are small."""
    table = pl.concat([page_subjects.rows() for _ in range(50)])
    result = page_subjects.measured()
    result.requests = table
    made = Page("rows", Headline("many"), [], sections(CHARTS, cases_of([result])))
    assert len(render(made).encode()) < 2_000_000


def test_a_damaged_column_is_named(tmp_path: Path) -> None:
    tt.simulate(
        cases.open_model(50), cases.system(("fcfs", "exp(1ms)")), requests=2000, rows="all",
        output=tmp_path / "out",
    )  # fmt: skip
    result = tt.Result.load(tmp_path / "out")
    rows = rows_of(result)
    assert rows is not None
    (tmp_path / "out" / "requests.parquet").write_bytes(b"PAR1 nothing of the kind PAR1")
    with pytest.raises(tt.InputError, match=r"requests\.parquet"):
        rows.summed(lambda table: table.select("no_such_column"))
