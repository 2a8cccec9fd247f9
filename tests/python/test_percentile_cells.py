"""No output shows a percentile that is not known; all show one that is.

Of 5 requests no percentile is known, of 300 none above the p95, of 60,000 all up to the p99.9.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

import fakes
import numpy as np
import pytest
from machine_results import machine, open_
from rich.console import Console
from test_population_tables import POLLERS, SYSTEM, VISITORS

import thinktime as tt
from thinktime.capacity_search.answer import Capacity
from thinktime.capacity_search.report import report_of as capacity_report
from thinktime.capacity_search.table import table as capacity_table
from thinktime.cli.live_view import View
from thinktime.comparison import compare, subject_of
from thinktime.comparison.table import notes
from thinktime.comparison.table import table as compared_table
from thinktime.gate import junit, markdown
from thinktime.history import HistoryEntry, trends
from thinktime.history.report import report_of as history_report
from thinktime.history.table import table as history_table
from thinktime.monitor.frames import WatchedRun
from thinktime.monitor.live_page import Subject
from thinktime.operations.run_progress import Moment, ObjectiveMoment, PopulationMoment
from thinktime.present import percentile
from thinktime.present.chart import Chart, Panel
from thinktime.present.percentile import NEEDED, backed
from thinktime.present.table import Group, Line, Table
from thinktime.report import details, objectives, repeated_runs, report_of, results, sharing
from thinktime.report import rows as rows_of
from thinktime.report.case import cases
from thinktime.report.charts import CHARTS, heat
from thinktime.sweeps import grid
from thinktime.sweeps.charts import CHARTS as SWEPT_CHARTS
from thinktime.sweeps.curves import SweepCurves
from thinktime.sweeps.report import report_of as sweep_report
from thinktime.sweeps.table import table as swept_table
from thinktime.theory.law import FloatArray
from thinktime.validity import FINE, punctuality
from thinktime.validity.evidence import of_result

MANY = (5, 300, 60_000)
WORDS = {"median": "p50", "99th percentile": "p99"}
TEXT = (
    'name = "w"\n[arrivals]\nmodel = "open"\nrate = "100/s"\n'
    '[[request]]\nname = "home"\n[[request]]\nname = "item"\n'
)
OPEN = tt.Workload(TEXT)
each_number = pytest.mark.parametrize("many", MANY)


@cache
def simulated(many: int, seed: int = 1) -> tt.Result:
    return tt.simulate(OPEN, SYSTEM, requests=many, seed=seed, rows="all", warmup=0.0)


@cache
def mixed(many: int) -> tt.Result:
    """With populations, request names and pages."""
    workload = tt.Workload(f'name = "mixed"\n{VISITORS}{POLLERS}')
    return tt.simulate(workload, SYSTEM, requests=many, rows="all", warmup=0.0)


def numbers(tables: Iterable[Table]) -> Iterator[tuple[str, str]]:
    """Each percentile shown as a number in a table, with the number."""
    for table in tables:
        for line in table.lines:
            for heading, cell in zip(table.headings, line.cells, strict=True):
                name = WORDS.get(heading, heading.split()[-1])
                if name in NEEDED and re.search(r"\d", cell.text):
                    yield name, cell.text


def in_words(text: str) -> set[str]:
    """The percentiles that a text names together with a number."""
    names = "|".join(map(re.escape, [*NEEDED, *WORDS]))
    found = re.findall(rf"(?<!\w)({names})(?: is)?[ |:]+[−\d]", text)
    return {WORDS.get(name, name) for name in found}


def worth(made: tt.Result, requests: float | None = None) -> float:
    """The independent ones among some requests of a result, by the number in its summary."""
    whole = made.summary["requests"] - made.summary["errors"]
    each = (made.summary["independent_requests"] or 0.0) / whole
    return each * (whole if requests is None else requests)


def hold(names: set[str], many: float, *expected: str) -> None:
    """None of them rests on too few, and those expected are there as soon as there are enough."""
    assert {name for name in names if not backed(name, many)} == set()
    assert {name for name in expected if backed(name, many)} <= names


def test_the_numbers_are_on_both_sides_of_what_is_needed() -> None:
    few, some, many = (worth(simulated(one)) for one in MANY)
    assert few < NEEDED["p50"] <= NEEDED["p90"] < some < NEEDED["p99"]
    assert worth(mixed(MANY[-1])) > NEEDED["p99"]
    assert many > NEEDED["p99.9"]


def test_a_cell_is_a_number_or_a_dash() -> None:
    assert [percentile.text("p99", 0.25, many) for many in (367, 368)] == ["—", "250 ms"]
    assert percentile.text("mean", 0.25, 0) == "250 ms"
    assert percentile.cell("p50", 0.25, None).text == "—"
    assert percentile.known("p99.9", None, 1e9) is None


def test_texts_that_would_be_wrong_are_found() -> None:
    for text in ("p99 1.2 s", "| p99 | 3 ms |", "p99: 3 ms", "median 3 ms", "p99 is 3 ms"):
        assert len(in_words(text)) == 1, text
    for text in ("p99 and p99.9 not shown: 300 requests", "too few for p99: p90 is that of 3"):
        assert in_words(text) == set(), text


@each_number
def test_tables_of_a_report(many: int) -> None:
    made = mixed(many)
    assert made.summary["response_time_s"]["p99.9"] is not None, "summaries keep them"
    found = cases([made])
    tables = [
        results.table(rows_of([made])), *details.verdicts(found), *details.tables(found)
    ]  # fmt: skip
    shown = {name for name, _ in numbers(tables)}
    hold(shown, worth(made), "p50", "p90", "p95", "p99", "p99.9")


@each_number
def test_request_names_populations_and_pages_by_their_own_numbers(many: int) -> None:
    """A part of the requests backs fewer percentiles than all of them."""
    made = mixed(many)
    tables = {one.name: one for one in details.tables(cases([made]))}
    assert many < 300 or {"populations", "pages", "requests"} <= tables.keys()
    for line in _lines(tables, "requests"):
        own = made.summary["by_request"][line.name]
        hold(_of(tables["requests"], line), worth(made, own["requests"]), "p50", "p95", "p99")
    for line in _lines(tables, "populations"):
        own = made.populations[line.name]
        succeeded = worth(made, own["requests"] - own["errors"])
        hold(_of(tables["populations"], line), succeeded, "p50", "p90", "p99")
    for line in _lines(tables, "pages"):
        own = made.summary if line.name == "all" else made.populations[line.name]
        succeeded = worth(made, own["pages"] - own["page_errors"])
        hold(_of(tables["pages"], line), succeeded, "p50", "p90", "p99")


def _lines(tables: dict[str, Table], name: str) -> list[Line]:
    return tables[name].lines if name in tables else []


def _of(table: Table, line: Line) -> set[str]:
    """The percentiles that one line has as numbers."""
    return {name for name, _ in numbers([replace(table, groups=[Group([line])])])}


@each_number
def test_a_run_with_its_lateness(many: int) -> None:
    made = fakes.result("run", fakes.open_(50), fakes.one(fakes.exp(0.01)), many)
    table = results.table(rows_of([made]))
    (line,) = [one for one in table.lines if one.style == "measured"]
    late = line.cells[table.headings.index("lateness p99")].text
    assert late == ("50.0 µs" if many >= 368 else "—")
    late_s = {"lateness_s": {"mean": 1e-3, "p99": 2e-3}}
    seen = replace(of_result(simulated(many)), kind="run")
    found = punctuality.check(replace(seen, summary=seen.summary | late_s))
    assert found is not None
    assert ("(p99 2.00 ms)" in found.found) == (many >= 368)
    both = repeated_runs.table([made, made])
    hold({name for name, _ in numbers([both])}, many, "p50", "p90", "p99", "p99.9")


@each_number
def test_charts_of_a_report(many: int) -> None:
    found = cases([mixed(many), simulated(many)])
    told: set[str] = set()
    for chart in CHARTS:
        drawing = chart.draw(found)
        for panel in () if drawing is None else drawing.panels:
            assert not in_words(panel.words) - {n for n in NEEDED if backed(n, many)}, panel.words
            told |= in_words(panel.words)
    hold(told, many, "p50", "p95", "p99")


def heats(begun: FloatArray, times: FloatArray) -> Iterator[heat.Heat]:
    """Ten seconds, by single requests and by buckets of the same times."""
    yield heat.of_times(begun, times, 10.0)
    bounds = np.geomspace(1e-4, 10.0, 400)
    counts = [np.histogram(times[begun // 1 == n], bounds)[0] for n in range(10)]
    yield heat.of_buckets(1.0, bounds, np.array(counts, dtype=float))


@each_number
def test_moments_of_a_heat_map(many: int) -> None:
    """All requests in one moment."""
    times = np.random.default_rng(3).exponential(0.1, many) + 1e-3
    for one in heats(np.full(many, 0.5), times):
        for name in ("p50", "p99"):
            assert np.isfinite(one.percentiles_s[name]).sum() == backed(name, many), name
        assert np.isfinite(one.longest_s).sum() == 1
        words = heat._words("measured", one)
        assert ("too few requests for a p99" in words) == (many < 368), words


def test_moments_are_as_long_as_a_percentile_needs() -> None:
    """At 100 requests a second a p99 is that of five seconds."""
    random = np.random.default_rng(4)
    begun = np.sort(random.uniform(0, 10, 1000))
    times = random.exponential(0.1, 1000) + 1e-3
    for one in heats(begun, times):
        assert one.moments_s["p99"] == pytest.approx(5.0)
        for half in range(2):
            values = times[begun // 5 == half]
            drawn = one.percentiles_s["p99"].reshape(2, -1)[half]
            assert len(set(drawn)) == 1
            assert drawn[0] == pytest.approx(np.quantile(values, 0.99), rel=0.1)
        assert "p99 of each 5.0 s" in heat._words("measured", one)


@each_number
def test_a_sweep(many: int) -> None:
    vary = ["load=0.2,0.4,0.6"]
    table = tt.sweep(OPEN, SYSTEM, vary, requests=many, warmup=0.0)
    assert table["response_p99_s"].null_count() == 0, "rows keep them"
    swept = SweepCurves(table, [grid.parse(one) for one in vary], measured=False)
    hold({name for name, _ in numbers([swept_table(swept)])}, many, "p50", "p99")
    panels = [panel for one in SWEPT_CHARTS for panel in _panels(one, swept)]
    assert ("99th percentile" in {panel.title for panel in panels}) == (many >= 368)
    told = {name for one in panels for name in in_words(one.words)}
    hold(told, many, "p50", "p90", "p99")
    reports = [sweep_report(swept, "w")]
    for text in (markdown.document(reports), junit.document(reports)):
        hold(in_words(text), many)
    assert ("p99 " in junit.document(reports)) == (many >= 368)


def _panels(chart: Chart[SweepCurves], swept: SweepCurves) -> Sequence[Panel]:
    drawing = chart.draw(swept)
    return () if drawing is None else drawing.panels


def test_a_varied_number_of_requests_is_not_that_of_the_figures() -> None:
    vary = ["requests=5,4000"]
    table = tt.sweep(OPEN, SYSTEM, vary, warmup=0.0)
    shown = swept_table(SweepCurves(table, [grid.parse(one) for one in vary], measured=False))
    few, enough = (_of(shown, line) for line in shown.lines)
    assert (few, enough) == (set(), {"p50", "p99"})


def searched(many: int) -> Capacity:
    workload = tt.Workload(TEXT + '[slo]\np99 = "1s"\n')
    return tt.capacity(workload, SYSTEM, requests=many, warmup=0.0, probes_max=2)


@each_number
def test_a_capacity(many: int) -> None:
    found = searched(many)
    assert found.probes["response_p99_s"].null_count() == 0
    subject = Subject(WatchedRun("capacity", "w", "w"))
    subject.take(("capacity", found))
    for tables in ([capacity_table(found)], subject.page().details):
        hold({name for name, _ in numbers(tables)}, many, "p99")
    for why in found.probes["why"]:
        hold(in_words(why), many, "p99")
    reports = [capacity_report(found, "w")]
    hold(in_words(markdown.document(reports)) | in_words(junit.document(reports)), many)


def moment(many: int) -> Moment:
    """A run with a warm-up, which has as many requests again."""
    own = PopulationMoment(many, many, 0.003, 0.042)
    return Moment(
        12.0, 3, 2 * many, 2 * many, 0.003, 0.042, 64e-6, {}, {"one": own, "two": own},
        (ObjectiveMoment("p99", None, 1.0, 0.042), ObjectiveMoment("p99", "one", 1.0, 0.042)),
        0.003 * many, ((-130, many),),
    )  # fmt: skip


@each_number
def test_the_live_page(many: int) -> None:
    subject = Subject(WatchedRun("run", "w", "w", None, 60.0))
    for _ in range(2):
        subject.take(("moment", (moment(many), 9)))
    page = subject.page()
    hold(in_words(page.headline.sentence), many)
    (tile,) = [one for one in page.tiles if one.name.startswith("p99")]
    assert tile.more.startswith("—") != backed("p99", many)
    (now,) = [one for one in page.details if one.name == "now"]
    hold({name for name, _ in numbers([now])}, many, "p50", "p99")
    # Half of them are of each population.
    (parts,) = [one for one in page.details if one.name == "populations"]
    hold({name for name, _ in numbers([parts])}, many // 2, "p50", "p99")
    (shown,) = [one for one in page.details if one.name == "objectives"]
    assert [line.cells[0].text for line in shown.lines] == [
        "42.0 ms" if backed("p99", own) else "—" for own in (many, many // 2)
    ]
    for section in page.sections:
        for panel in () if section.drawing is None else section.drawing.panels:
            hold(in_words(panel.words), many)


@each_number
def test_the_view_of_a_terminal(many: int) -> None:
    view = View("running", None, 30.0)
    view.take(moment(many))
    hold(in_words(view.line()), many, "p50", "p99")
    assert ("lateness p99 64 us" in view.line()) == (many >= 368)
    shown = io.StringIO()
    Console(file=shown, force_terminal=False, width=100).print(view)
    text = shown.getvalue()
    assert text.count("42 ms") == (5 if many > 300 else 0), text


@each_number
def test_comparisons_and_histories(many: int) -> None:
    before, after = simulated(many), simulated(many, seed=2)
    found = compare(before, after)
    lines = {line.name for line in compared_table([found]).lines}
    hold(lines & set(NEEDED), many)
    assert ("p99" in lines) == (many > 300)
    left_out = min(worth(before), worth(after)) < NEEDED["p99.9"]
    assert any("p99.9" in note for note in notes(found)) == left_out, "it says which"
    times = ("2026-11-01T12:00:00+00:00", "2026-11-02T12:00:00+00:00")
    kept = [
        HistoryEntry(str(n), subject_of(one), f"c{n}", "main", time, "")
        for n, (one, time) in enumerate(zip((before, after), times, strict=True))
    ]
    table = history_table(list(trends(kept)))
    hold({name for name, _ in numbers([table])}, many)
    assert ("p99" in table.headings) == (many > 300)
    titles = {one.title for one in history_report(list(trends(kept))).page.sections}
    assert ("99th percentile" in titles) == (many > 300)


@each_number
def test_markdown_and_junit_of_a_result(many: int) -> None:
    made = simulated(many)
    reports = [report_of(made)]
    hold(in_words(markdown.document(reports)), worth(made), "p50", "p90", "p99", "p99.9")
    hold(in_words(junit.document(reports)), worth(made))


@each_number
def test_all_agree_on_whether_the_p99_is_known(many: int) -> None:
    """The limit is far above all times, so that the knowledge alone decides."""
    workload = tt.Workload(TEXT + '[slo]\np99 = "100s"\n')
    made = tt.simulate(workload, SYSTEM, requests=many, seed=1, warmup=0.0)
    known = worth(made) >= NEEDED["p99"]
    (objective,) = made.objectives
    assert (objective.interval is not None) == known == (objective.verdict == "met")
    assert ("p99" in made.summary["response_time_ci95"]) == known
    assert made.verdict.status == ("met" if known else "cannot tell")
    (case,) = [one for one in report_of(made).cases if one.name == "p99"]
    assert (case.outcome == "passed") == known == bool(re.search(r"p99 is \d", case.words))
    (line,) = objectives.lines_of(made)
    assert (line.cells[0].text != "—") == known
    (check,) = [one for one in made.validity if one.name == "percentiles"]
    assert (check.verdict == FINE) == known


@each_number
def test_processor_sharing_beside_a_scheduler(many: int) -> None:
    made = tt.simulate(open_(50), machine("linux-2.6.22"), requests=many, warmup=0.0)
    found = sharing.compare(made)
    assert found is not None
    for line in sharing.lines(found):
        cells = dict(zip(("mean", "p50", "p95"), line.cells, strict=True))
        shown = {name for name, cell in cells.items() if re.search(r"\d", cell.text)}
        hold(shown & set(NEEDED), many, "p50", "p95")
