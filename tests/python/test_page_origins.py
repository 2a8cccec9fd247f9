"""The line under a page's headline, and the title of its tab: what, against what, when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import page_subjects
import pytest

from thinktime.capacity_search.report import report_of as capacity_report
from thinktime.history.report import report_of as history_report
from thinktime.present import units
from thinktime.present.page import Headline, Page
from thinktime.report import objectives
from thinktime.report.results_page import page_of
from thinktime.results import origin_line
from thinktime.results.verdict import Objective, verdict_of
from thinktime.sweeps.report import report_of as sweep_report

WHEN = "2026-11-28 02:20 UTC"


@pytest.mark.parametrize(
    ("said", "tab"),
    [
        (Headline("x"), "shop"),
        (Headline("x", moment=WHEN), f"shop - {WHEN}"),
        (Headline("x", figure="p99 605 ms"), "p99 605 ms - shop"),
        (Headline("x", state="met"), "✓ Met - shop"),
        (
            Headline("x", state="not met", figure="p99 605 ms", moment=WHEN),
            f"✕ Not met p99 605 ms - shop - {WHEN}",
        ),
    ],
)
def test_a_tab_says_the_state_the_figure_the_subject_and_the_moment(
    said: Headline, tab: str
) -> None:
    assert Page("shop", said, ()).tab == tab


@pytest.mark.parametrize(
    ("started", "words"),
    [
        ([], ""),
        (["", ""], ""),
        (["2026-11-28T02:20:59Z"], WHEN),
        (["2026-11-28T03:20:10+01:00", "", "2026-11-28T02:20:40Z"], WHEN),
        (
            ["2026-11-29T00:00:00Z", "2026-11-28T02:20:00Z", "2026-11-28T12:00:00Z"],
            "2026-11-28 02:20 to 2026-11-29 00:00 UTC",
        ),
        (["yesterday"], "yesterday"),
    ],
)
def test_moments_are_the_first_and_the_last(started: list[str], words: str) -> None:
    assert origin_line.moments(started) == words


def test_places_are_named_if_they_are_few() -> None:
    assert origin_line.places(["a", "", "b", "a"]) == "a and b"
    assert origin_line.places(["a", "b", "c"]) == ""


@pytest.mark.usefixtures("no_explanation")
def test_a_simulation_names_its_system_and_a_run_its_server() -> None:
    simulated, measured = page_subjects.simulated(), page_subjects.measured()
    assert simulated.system is not None
    assert f"simulation · {simulated.system.name} · " in page_of([simulated]).headline.about
    assert measured.target is not None
    assert f"run · {measured.target} · " in page_of([measured]).headline.about
    both = page_of([simulated, measured]).headline.about
    assert both.startswith("1 run and 1 simulation · ")


def test_searches_and_sweeps_say_on_what_and_when() -> None:
    known: Any = {"workload": "shop", "place": "http://127.0.0.1:8080", "moment": WHEN}
    found = capacity_report(replace(page_subjects.capacity(), **known)).page
    assert found.title == "Capacity of shop"
    assert f"capacity · {known['place']} · {WHEN} · 6 probes" in found.headline.about
    assert found.tab == f"83/s - Capacity of shop - {WHEN}"
    swept = sweep_report(replace(page_subjects.swept(measured=True), **known)).page
    assert f"sweep · shop · {known['place']} · {WHEN} · 6 points, measured" in swept.headline.about


def test_a_history_says_from_when_to_when() -> None:
    about = history_report(page_subjects.history()).page.headline.about
    assert "12 results" in about
    assert " to " in about


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("p99 is 1 s", "p99 is 1 s."),
        ("page_p99.9 is 1 s.", "page_p99.9 is 1 s."),
        ("people wait", "People wait."),
        ("", ""),
    ],
)
def test_a_sentence_keeps_the_name_of_a_percentile(words: str, sentence: str) -> None:
    assert units.sentence(words) == sentence


@pytest.mark.parametrize("verdict", ["cannot tell", "not met"])
def test_what_cannot_be_told_has_a_dash_as_its_figure(verdict: Any) -> None:
    one = Objective("p99", None, 0.25, None, None, verdict, "p99 is not known")
    result: Any = type("Found", (), {"objectives": [one]})()
    (line,) = objectives.lines_of(result)
    assert [line.cells[0].text, line.cells[3].text] == ["—", verdict]


@pytest.mark.parametrize(
    ("untrusted", "missed", "reason", "besides"),
    [
        (None, True, "p99 is 1 s", ""),
        ("every request failed", True, "every request failed", "the SLO is not met: p99 is 1 s"),
        ("late", False, "late", ""),
    ],
)
def test_the_reason_does_not_say_the_status_again(
    untrusted: str | None, missed: bool, reason: str, besides: str
) -> None:
    one = Objective("p99", None, 0.25, 1.0, (0.9, 1.1), "not met", "p99 is 1 s")
    facts = {
        "summary": {}, "objectives": [one] if missed else [], "untrusted": untrusted,
        "interrupted": False,
    }  # fmt: skip
    found: Any = type("Facts", (), facts)()
    judged = verdict_of(found)
    assert (judged.reason, judged.besides) == (reason, besides)
