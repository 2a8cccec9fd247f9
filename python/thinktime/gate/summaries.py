"""The files' content for a result, for comparisons, and for a run without a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinktime.capacity_search import Capacity
from thinktime.comparison import Comparison, LimitVerdict
from thinktime.gate import cases, markdown
from thinktime.gate.cases import Suite
from thinktime.results.result import Result
from thinktime.results.verdict import Verdict

if TYPE_CHECKING:
    from thinktime.sweeps.curves import SweepCurves


Summaries = tuple[list[Suite], str]
"""The suites of a JUnit file, and the text of a summary."""


def of_result(result: Result, doubt: str = "") -> Summaries:
    """The output for a result; `doubt` says why it is not to be trusted, if the result does not."""
    verdict = result.verdict
    doubt = doubt or verdict.doubt
    suite = cases.suite_of(result, doubt)
    if doubt and not verdict.doubt:
        verdict = Verdict("not to be trusted", "; ".join([doubt, *result.breaches()]), doubt)
    return [suite], markdown.of_result(result, suite, (verdict.status, verdict.sentence))


def of_comparisons(
    comparisons: Sequence[Comparison],
    outcomes: Sequence[Sequence[LimitVerdict]],
    results: list[Result],
) -> Summaries:
    """The output for comparisons, each with the verdicts on its limits, and for their results."""
    from thinktime.report import verdict as verdict_of

    untrusted = (f"{one.label}: {one.untrusted}" for one in results if one.untrusted is not None)
    doubt = "; ".join(untrusted)
    pairs = list(zip(comparisons, outcomes, strict=True))
    doubts = verdict_of(results).doubts
    suites = [cases.suite_of_limits(one, limits, doubt) for one, limits in pairs]
    texts = [markdown.of_comparison(one, limits, doubts) for one, limits in pairs]
    return suites, "\n".join(texts)


def of_sweep(swept: SweepCurves, name: str, found: Verdict) -> Summaries:
    """The output for a sweep of the workload of this name, and its outcome."""
    return [cases.suite_of_sweep(swept, name, found)], markdown.of_sweep(swept, name, found)


def of_capacity(capacity: Capacity, name: str, found: Verdict) -> Summaries:
    """The output for the capacity of the workload of this name, and the outcome of the search."""
    suite = cases.suite_of_capacity(capacity, name, found)
    return [suite], markdown.of_capacity(capacity, name, found)


def of_failure(name: str, why: str) -> Summaries:
    """The output for a run that failed before there was a result."""
    return [Suite(name, name, [cases.trusted(why)])], markdown.of_failure(name, why)
