"""The charts that answer a page's question, and the words above them."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import page_subjects
import polars as pl
import pytest
from fakes import exp, one, open_, result

import thinktime as tt
from thinktime.comparison import Change, Missing
from thinktime.comparison.chart import CHART
from thinktime.present import axes, chart_table, page
from thinktime.present.figure import INK, Figure, Limit
from thinktime.present.forest import Interval, figure_of
from thinktime.present.page import COLOURS, Headline, Page
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.report.attempts import Rows, rows_of
from thinktime.report.case import cases
from thinktime.report.charts import by_name, errors, tail
from thinktime.report.results_page import page_of
from thinktime.results.verdict import Objective
from thinktime.sweeps.curves import SweepCurves
from thinktime.sweeps.grid import Axis


def compared(*changes: Change, missing: str = "") -> Any:
    found: dict[str, Any] = {one.figure: one for one in changes}
    return SimpleNamespace(changes=found | ({missing: Missing("short")} if missing else {}))


def changed(
    figure: str, low: float | None, high: float | None, value: float, **more: Any
) -> Change:
    certain = (low or -1) > 0 or (high or 1) < 0
    ends = (0.5, 1.5) if certain else (-0.1, 0.1)
    return Change(figure, 1.0, 1 + value, *ends, low, high, False, **more)


def drawn(subject: Any, chart: Any) -> Figure:
    made = chart.draw(subject)
    assert made is not None
    (panel,) = made.panels
    return panel.figure


# ---- how much each figure changed


def test_each_figure_is_a_row_with_its_interval_in_the_order_of_the_table() -> None:
    subject = compared(
        changed("mean", -0.2, 0.1, -0.05), changed("p99", 0.3, 0.6, 0.45), missing="p99.9"
    )
    figure = drawn(subject, CHART)
    assert figure.y.names == ("mean", "p99")
    bars, chance, sure = figure.series
    assert (list(bars.low), list(bars.high)) == ([-0.2, 0.3], [0.1, 0.6])
    assert (chance.colour, list(chance.x)) == (INK, [pytest.approx(-0.05)])
    assert (sure.colour, list(sure.x), list(sure.y)) == (COLOURS[1], [pytest.approx(0.45)], [1])
    assert [(one.axis, one.at) for one in figure.limits] == [("x", 0.0)]
    assert [key.name for key in CHART.draw(subject).keys] == [
        "changed",
        "no difference can be told",
    ]


@pytest.mark.parametrize(
    ("low", "high", "mark"), [(None, 0.1, "left"), (-0.1, None, "right"), (-0.1, 40.0, "right")]
)
def test_an_end_that_is_open_or_far_is_an_arrow_at_the_edge(
    low: float | None, high: float | None, mark: str
) -> None:
    figure = drawn(compared(changed("p50", low, high, 0.05), changed("mean", 0, 0.2, 0.1)), CHART)
    arrows = figure.series[-1]
    assert list(arrows.marks) == [mark]
    assert arrows.x[0] in (figure.x.low, figure.x.high)
    assert -1.07 < figure.x.low < -0.01
    assert figure.x.high < 0.5


def test_what_has_no_relative_change_is_named_below() -> None:
    errors_ = Change("errors", 0.0, 0.02, 0.01, 0.03, None, None, False)
    made = CHART.draw(compared(changed("mean", -0.1, 0.1, 0.0), errors_))
    assert made is not None
    assert made.note == "Without a relative change: errors (+1.0 to +3.0 percentage points)."
    assert CHART.draw(compared(errors_)) is None


@pytest.mark.usefixtures("no_explanation")
def test_the_changes_stand_above_all_tables_and_nothing_else_does() -> None:
    made = page_of(page_subjects.results()[-3:-1])
    assert [one.name for one in made.first] == ["changes"]
    assert made.contents[0][0] == "section-changes"
    text = page.render(made)
    assert text.index('id="section-changes"') < text.index('id="table-results"')
    assert page_of([page_subjects.measured()]).first == []


def test_the_figures_of_rows_with_names_have_these_and_their_intervals() -> None:
    rows = [Interval("a", 0.5, 0.2, 0.8, "a", INK), Interval("b", 0.1, -math.inf, 0.3, "b", INK)]
    figure = figure_of(rows, axes.linear(-1, 1, "share", "change"), [Limit(0.0, "x")])
    found = chart_table.table_of(figure, "t")
    assert found is not None
    assert (found.first, tuple(found.headings)) == ("figure", ("change",))
    said = [(line.name, line.cells[0].text) for line in found.groups[0].lines]
    assert said == [("a", "50 % (20 % to 80 %)"), ("b", "10 % (— to 30 %)")]


# ---- requests that failed


def kept(*attempts: tuple[int, int, float, float | None, str | None]) -> Rows:
    """Rows of attempts: session, number, scheduled, done, error; times in seconds."""
    names = ("session", "attempt", "scheduled_ns", "done_ns", "error")
    rows = [
        (session, number, round(begun * 1e9), done if done is None else round(done * 1e9), error)
        for session, number, begun, done, error in attempts
    ]
    types = dict(zip(names, (pl.Int64, pl.Int64, pl.Int64, pl.Int64, pl.String), strict=True))
    table = pl.DataFrame(rows, schema=types, orient="row").with_columns(request=0)
    subject: Any = SimpleNamespace(path=None, summary={}, requests=table)
    found = rows_of(subject)
    assert found is not None
    return found


def test_a_failed_request_takes_from_its_first_attempt_to_the_end_of_its_last() -> None:
    rows = kept(
        (1, 1, 0.0, 1.0, "timeout"), (1, 2, 1.5, 3.5, "status"),  # failed for good
        (2, 1, 0.0, 1.0, "timeout"), (2, 2, 2.0, 2.5, None),  # succeeded in the end
        (3, 1, 5.0, 5.25, "refused"), (4, 1, 6.0, None, None),  # failed; never ended
    )  # fmt: skip
    assert rows.failed_s(0.0).tolist() == [0.25, 3.5]
    assert rows.failed_s(1.0).tolist() == [0.25]


def test_failed_requests_are_a_curve_of_their_own() -> None:
    made = tail.CHART.draw(cases([page_subjects.measured()]))
    assert made is not None
    (panel,) = made.panels
    failed = panel.figure.series[-1]
    assert failed.name.endswith("failed, measured")
    assert (failed.y[0], failed.y[-1]) == (1.0, pytest.approx(1 / 156))
    assert made.keys[0].name == "requests that failed"
    assert "156 requests that failed took 2 to 14 ms" in panel.words


def test_a_result_without_failures_has_no_such_curve_and_no_legend_of_one_curve() -> None:
    made = tail.CHART.draw(cases([page_subjects.simulated()]))
    assert made is not None
    assert not any("failed" in one.name for one in made.panels[0].figure.series)
    assert [key.name for key in made.keys] == ["too few requests to bound it"]


def test_the_allowed_errors_are_a_line_across_failed_attempts() -> None:
    found = page_subjects.measured()
    found.objectives = [Objective("errors", None, 0.02, 0.08, (0.07, 0.09), "not met", "w")]
    figure = drawn(cases([found]), errors.CHART)
    (limit,) = figure.limits
    rate = found.summary["offered_rate"]
    assert (limit.axis, limit.at) == ("y", pytest.approx(0.02 * rate))
    assert limit.label == "errors ≤ 2.0 % of 92.2/s"
    assert figure.y.high > limit.at


# ---- many names


@pytest.mark.parametrize(("many", "panels"), [(5, 5), (6, 1), (40, 1)])
def test_more_than_five_names_are_rows_of_percentiles(many: int, panels: int) -> None:
    requests = "".join(f"[[request]]\nname='n{n}'\n" for n in range(many))
    workload = tt.Workload(f"name='w'\n[arrivals]\nmodel='open'\nrate='50/s'\n{requests}")
    system = tt.System("name='s'\n[[station]]\nname='x'\ndemand='exp(9ms)'\n")
    found = tt.simulate(workload, system, requests=4000, seed=5, rows="all")
    made = by_name.CHART.draw(cases([found]))
    assert made is not None
    assert len(made.panels) == panels
    if panels > 1:
        return
    figure = made.panels[0].figure
    assert len(figure.y.names) == min(many, 30)
    assert made.note == ("30 of 40 are drawn: those with the longest times." if many > 30 else "")
    bars, median, *others = figure.series
    assert list(bars.low) == list(median.x)
    for one_ in others:
        above = [median.x[place] for place in one_.y]
        assert all(a > b for a, b in zip(one_.x, above, strict=True))
    assert all(name in made.panels[0].words for name in figure.y.names)


# ---- words


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (["load", "station.server.policy"], ["load", "policy"]),
        (["station.a.policy", "station.b.policy"], ["a.policy", "b.policy"]),
        (["policy", "station.b.policy"], ["policy", "b.policy"]),
        (["population.x.arrivals.clients"], ["clients"]),
    ],
)
def test_a_key_is_as_short_as_others_allow(keys: list[str], names: list[str]) -> None:
    swept = SweepCurves(pl.DataFrame(), [Axis(key, ("1", "2")) for key in keys], measured=False)
    assert [swept.names[key] for key in keys] == names


def test_words_in_a_cell_may_stand_in_several_lines() -> None:
    cells = [Cell("p99 is 208 ms (202 ms to 215 ms), wanted 150 ms or less"), Cell("18.4 ms")]
    made = Table("t", "T", "probe", ("why", "mean"), [Group([Line("a", cells)])])
    text = page.render(Page("t", Headline("v"), [made]))
    assert text.count('<td class="prose"') == 1


def test_the_legend_of_several_cases_stays() -> None:
    found = [result("run", open_(80, name=n), one(exp(0.01)), 300, directory=n) for n in "ab"]
    made = tail.CHART.draw(cases(found))
    assert made is not None
    assert len(made.keys) >= 3
