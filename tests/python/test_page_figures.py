"""The figures that a page says: each once, none that is not known, and none against another."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import page_subjects
import pytest
from fakes import demo_results, exp, one, open_, result

import thinktime as tt
from thinktime.present.page import Page
from thinktime.report import agreement, by_request, origin
from thinktime.report.case import cases
from thinktime.report.charts import heat, in_system, tail, throughput
from thinktime.report.figures import of_result
from thinktime.report.results_page import page_of
from thinktime.results.verdict import survivors, verdict_of
from thinktime.sweeps.report import report_of as swept_report


def all_words(made: Page) -> str:
    said = made.headline
    return " ".join([said.sentence, *said.findings, *said.doubts]).replace("\u00a0", " ")


# ---- failures by request name


def with_names(**figures: dict[str, Any]) -> Any:
    succeeded = sum(figure["requests"] for figure in figures.values())
    summary = {
        "requests": succeeded + sum(figure["errors"] for figure in figures.values()),
        "errors": sum(figure["errors"] for figure in figures.values()),
        "independent_requests": float(succeeded), "by_request": figures,
    }  # fmt: skip
    return SimpleNamespace(summary=summary, workload=SimpleNamespace(request_names=list(figures)))


TIMES = {"mean": 0.01, "p50": 0.007, "p95": 0.03, "p99": 0.046}


def test_each_name_has_its_failures_as_a_share_of_its_requests() -> None:
    found = with_names(
        good={"requests": 970, "errors": 30, "response_time_s": TIMES},
        bad={"requests": 0, "errors": 5, "response_time_s": {}},
        never={"requests": 0, "errors": 0, "response_time_s": {}},
    )
    rows = [one.line for one in by_request.times_of(found)]
    cells = [[(cell.text, cell.below) for cell in row.cells[:3]] for row in rows]
    assert by_request.HEADINGS[:3] == ("requests", "errors", "mean")
    assert [row.name for row in rows] == ["good", "bad"]
    assert cells == [
        [("1,000", ""), ("30", "3.0 %"), ("10.0 ms", "")],
        [("5", ""), ("5", "100 %"), ("—", "")],
    ]


def test_the_failures_of_a_run_stand_once_above_its_tables() -> None:
    found = page_subjects.failing()
    made = page_of([found])
    failed = found.summary["errors"]
    assert sum("distribution" in doubt for doubt in found.summary["warnings"]) == 1
    assert all_words(made).count(f"{failed} of 2,400 requests failed") == 1
    assert "their times are not among these" in all_words(made)
    assert survivors(found.summary) == ""


# ---- one request


def of_one() -> Any:
    workload = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "open"\nrate = "10/s"\n[[request]]\nname = "get"\n'
    )
    system = tt.System('name = "s"\n[[station]]\nname = "x"\ndemand = "const(30ms)"\n')
    return tt.simulate(workload, system, requests=1, warmup=0, seed=1, rows="all")


def test_one_request_has_no_rate_and_no_curve() -> None:
    """The measured time ends before the only response comes, so that the core's rate is 0."""
    found = of_one()
    made = page_of([found])
    times = made.tables[0]
    rate = times.lines[0].cells[list(times.headings).index("throughput")]
    assert found.summary["throughput"] == 0.0
    assert rate.text == "—"
    assert "/s" not in origin.line([found])
    assert made.headline.sentence == "One request took 30.0 ms: it has no average."
    assert not {"tail", "heat"} & {section.name for section in made.sections}


def test_a_run_whose_requests_all_failed_completed_none_a_second() -> None:
    found = of_one()
    failed = SimpleNamespace(
        summary=found.summary | {"errors": 1}, kind="run", system=None, workload=found.workload
    )
    assert of_result(failed).throughput == 0.0


# ---- words that agree with the tables


def test_the_words_of_a_curve_have_the_percentiles_of_the_table() -> None:
    """The p99 of an exact curve is that of its law: 240 points over decades are 5 % apart."""
    found = cases(demo_results())
    made = tail.CHART.draw(found)
    assert made is not None
    for case in found:
        law = case.theory.law if case.theory is not None else None
        said = re.search(rf"{re.escape(case.label)}, exact: p50 [^,]*, p99 ([\d.]+) ms",
                         made.panels[0].words)  # fmt: skip
        if law is not None:
            assert said is not None
            assert float(said[1]) == pytest.approx(1e3 * law.percentile(0.99), rel=0.005)


def test_an_objective_and_its_check_ask_for_the_same() -> None:
    found = page_subjects.failing()
    (p99,) = [one.words for one in found.objectives if one.name == "p99"]
    (check,) = [one.found for one in found.validity if one.name == "percentiles"]
    asked = [re.search(r"about (\d+) times", words) for words in (p99, check)]
    assert asked[0] is not None
    assert asked[1] is not None
    assert asked[0][1] == asked[1][1]


def test_a_result_without_objectives_says_what_its_p99_needs() -> None:
    assert "p99 is not known: a run about 1.5 times as long would tell." in all_words(
        page_of([page_subjects.simulated()])
    )


def test_a_mean_far_from_the_exact_one_names_what_it_is_beyond() -> None:
    found = result("simulate", open_(80), one(exp(0.01)), 400)
    found.summary["response_time_s"] |= {"mean": 0.5, "ci95": 0.001}
    (said,) = agreement.sentences(cases([found]))
    assert said.startswith("Further from the exact mean than its 95 % confidence interval: ")


# ---- legends and captions say what the picture has


def test_one_line_has_no_legend_of_its_method() -> None:
    found = cases([page_subjects.simulated()])
    rates, number = throughput.CHART.draw(found), in_system.CHART.draw(found)
    assert rates is not None
    assert number is not None
    assert [key.name for key in rates.keys] == ["completed", "offered"]
    assert [key.name for key in number.keys] in ([], ["simulated", "exact"])


def test_a_sweep_speaks_of_bands_only_if_there_are_any() -> None:
    made = swept_report(page_subjects.swept()).page
    (answer,) = [section for section in made.sections if section.name == "answer"]
    assert answer.drawing is not None
    assert answer.drawing.note == ""


def test_an_attempt_that_was_tried_again_is_no_failed_request() -> None:
    """Three attempts of the watched run timed out, and all its requests succeeded."""
    found = {finding.name: finding for finding in page_subjects.watched().validity}
    assert "some requests were tried again" in found["counts"].found


def test_the_verdict_names_times_before_shares() -> None:
    found = page_subjects.failing()
    errors, p99 = (replace(one, verdict="met") for one in found.objectives)
    found.objectives = [errors, p99]
    assert errors.name == "errors"
    assert verdict_of(found).reason == f"{p99.words}; {errors.words}"


def test_requests_are_counted_alike_in_parts_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against numpy's own histogram over time and response time."""
    draw = np.random.default_rng(12)
    begun, times = draw.uniform(0, 60, 5000), draw.exponential(0.01, 5000)
    whole = heat.of_times(begun, times, 60.0)
    monkeypatch.setattr(heat, "_PART", 7)
    parts = heat.of_times(begun, times, 60.0)
    assert (parts.counts == whole.counts).all()
    assert parts.below == whole.below == int((times < whole.bounds_s[0]).sum())
    seconds = whole.interval_s * np.arange(len(whole.counts) + 1)
    expected, _, _ = np.histogram2d(begun, times, bins=[seconds, whole.bounds_s])
    assert abs(expected - whole.counts).sum() <= 2  # a time may lie on a bound but for rounding
