"""Results as test cases: one an objective, one a check, and one for trust in the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from thinktime.capacity_search import Capacity
from thinktime.comparison import Comparison, LimitVerdict
from thinktime.present import columns, units
from thinktime.report import objectives, point_checks
from thinktime.results.result import Result
from thinktime.results.verdict import Objective, Verdict

if TYPE_CHECKING:
    from thinktime._core_types import Summary
    from thinktime.sweeps.curves import Row, SweepCurves


Outcome = Literal["passed", "failed", "undecided"]

_OUTCOMES: Mapping[str, Outcome] = {
    "met": "passed", "not met": "failed", "cannot tell": "undecided",
    "held": "passed", "broken": "failed", "done": "passed",
}  # fmt: skip
TRUSTED = "the result is to be trusted"
FOUND = "the capacity is found"


@dataclass(frozen=True)
class Case:
    """One objective, check or doubt of a result."""

    name: str
    outcome: Outcome
    words: str
    """The value found, and the value wanted."""


@dataclass(frozen=True)
class Suite:
    """The cases of one result, or of one comparison."""

    name: str
    about: str
    """The name by which readers know the cases from pipeline to pipeline: without time and
    commit."""

    cases: Sequence[Case]
    time_s: float = 0.0
    """The measured duration."""


def suite_of(result: Result, doubt: str = "") -> Suite:
    """The cases of a result; `doubt` says why it is not to be trusted, if it is not."""
    summary, found = result.summary, result.objectives
    cases = [trusted(doubt), *map(_objective, found), *_checks(summary, found)]
    about = result.workload.name
    return Suite(result.label, about, cases, float(summary.get("duration_s") or 0.0))


def suite_of_limits(
    comparison: Comparison, outcomes: Sequence[LimitVerdict], doubt: str = ""
) -> Suite:
    """The cases of a comparison: its limits."""
    name = f"{comparison.after.label} against {comparison.before.label}"
    limits = [Case(one.limit.text, _OUTCOMES[one.outcome], one.words) for one in outcomes]
    about = f"changes of {comparison.after.workload}"
    return Suite(name, about, [trusted(doubt), *limits])


def suite_of_sweep(swept: SweepCurves, name: str, found: Verdict) -> Suite:
    """The cases of a sweep: its points, which are shown and cannot fail."""
    about = f"sweep of {name}"
    time_s = sum(row.get("duration_s") or 0.0 for row in swept.rows)
    points = [_point(swept, row) for row in swept.rows]
    return Suite(about, about, [trusted(found.doubt), *points], time_s)


def _point(swept: SweepCurves, row: Row) -> Case:
    names = columns.columns_with_figures(
        [row], ("response_mean_s", "response_p99_s", "errors", "slo")
    )
    figures = ", ".join(f"{columns.column(one).heading} {columns.cell(row, one).text}"
                        for one in names)  # fmt: skip
    why = row.get("untrusted")
    doubts = f"not to be trusted: {why}" if why else point_checks.words(row)
    words = "; ".join(filter(None, (figures, doubts)))
    return Case(swept.point_words(row), "undecided" if why else "passed", words)


def suite_of_capacity(capacity: Capacity, name: str, found: Verdict) -> Suite:
    """The cases of a search for the capacity; its probes are shown and cannot fail."""
    about = f"capacity of {name}"
    outcome = _OUTCOMES.get(found.status, "undecided")
    return Suite(about, about, [trusted(found.doubt), Case(FOUND, outcome, capacity.words)])


def trusted(doubt: str) -> Case:
    """Whether the figures can be trusted; it is there even without any objective."""
    return Case(TRUSTED, "undecided" if doubt else "passed", doubt)


def _objective(one: Objective) -> Case:
    return Case(objectives.name_of(one), _OUTCOMES[one.verdict], one.words)


def _checks(summary: Summary, found: Sequence[Objective]) -> Iterator[Case]:
    """Checks without an objective of their own: they decide nothing, as in the exit status."""
    judged = {one.of for one in found if one.name == "checks"}
    for name, count in (summary.get("checks") or {}).items():
        if name in judged:
            continue
        whole = count["passed"] + count["failed"]
        words = f"it failed {units.count(count['failed'])} of {units.count(whole)} times"
        if count["failed"] and None not in judged:
            words += "; it has no objective, so it decides nothing"
        yield Case(f"check {name}", "passed", words)
