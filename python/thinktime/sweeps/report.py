"""A sweep as a report: its verdict, its changes, and a row a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thinktime.present import columns, units
from thinktime.present.page import Section
from thinktime.present.report import Case, Report
from thinktime.report import point_checks
from thinktime.results import origin_line
from thinktime.results.verdict import Verdict
from thinktime.sweeps.curves import Row, SweepCurves
from thinktime.sweeps.headline import headline_of
from thinktime.sweeps.table import table

WORDS = {
    "response time": "From when the workload wanted a request sent, its scheduled time, to its "
    "completion.",
    "±": "The half-width of a 95 % confidence interval of the mean, which allows for "
    "autocorrelation.",
    "exact mean": "Computed from a formula that holds exactly in the long run.",
    "all figures": "The file results.parquet beside this page has them.",
}


def report_of(swept: SweepCurves, name: str = "", judged: Verdict | None = None) -> Report:
    """The report of a sweep; its points are cases, which are shown and cannot fail.

    Args:
        swept: The points that were finished.
        name: The workload's name.
        judged: The outcome; by default that of a sweep whose points are all finished.
    """
    found, said, origin = judged or outcome(swept), headline_of(swept), _origin(swept)
    exact = any(row.get("exact_response_mean_s") for row in swept.rows)
    return Report(
        f"Sweep of {name}",
        f"sweep of {name}",
        found.status,
        found.sentence,
        found.doubt,
        cases=[_point(swept, row) for row in swept.rows],
        parts=[" ".join([said.sentence, *said.findings]), *([table(swept)] if swept.rows else [])],
        warnings=said.doubts,
        time_s=sum(row.get("duration_s") or 0.0 for row in swept.rows),
        title="Sweep over " + ", ".join(axis.key for axis in swept.axes),
        origin=origin,
        moment=swept.moment,
        headline=said.sentence,
        findings=[one for one in said.findings if one.rstrip(".") not in origin],
        charts=lambda: _charts(swept),
        words={word: said for word, said in WORDS.items() if exact or word != "exact mean"},
    )


def _origin(swept: SweepCurves) -> str:
    """What was varied, on what, and when."""
    points = units.counted(len(swept.rows), "point")
    return origin_line.joined(
        ["sweep", swept.workload, swept.place, swept.moment, f"{points}, {swept.kind}"]
    )


def outcome(swept: SweepCurves, missing: int = 0, *, kept: bool = False) -> Verdict:
    """The outcome of a sweep; objectives of its points have no bearing on it.

    Args:
        swept: The points that were finished.
        missing: How many were not, after Ctrl-C.
        kept: Whether the finished ones are kept, so that the same command resumes.
    """
    doubts = []
    if missing:
        again = "; the same command continues with them" if kept else ""
        doubts.append(f"interrupted: {_points(missing)} missing{again}")
    if spoilt := sum(row.get("untrusted") is not None for row in swept.rows):
        doubts.append(f"of {len(swept.rows)} points {_points(spoilt)} not to be trusted")
    doubt = "; ".join(doubts)
    return Verdict("not to be trusted", doubt, doubt) if doubt else Verdict("done", "")


def _points(number: int) -> str:
    return f"{number} {'is' if number == 1 else 'are'}"


def _point(swept: SweepCurves, row: Row) -> Case:
    names = columns.columns_with_figures(
        [row], ("response_mean_s", "response_p99_s", "errors", "slo")
    )
    figures = ", ".join(
        f"{columns.column(one).heading} {columns.cell(row, one).text}" for one in names
    )
    why = row.get("untrusted")
    doubts = f"not to be trusted: {why}" if why else point_checks.words(row)
    words = "; ".join(filter(None, (figures, doubts)))
    return Case(swept.point_words(row), "undecided" if why else "passed", words)


def _charts(swept: SweepCurves) -> Sequence[Section]:
    from thinktime.present.chart import sections
    from thinktime.sweeps.charts import CHARTS

    drawn = sections(CHARTS, swept)
    return [replace(one, folded=place > 0) for place, one in enumerate(drawn)]
