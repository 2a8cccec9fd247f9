"""Two results compared: how much figures differ, with intervals, and whether that is allowed.

from thinktime.comparison import compare, judged, limit

found = compare(before, after)
print(found.verdict)
print(judged(limit("p99 > +5%"), found).words)
"""

from __future__ import annotations

from thinktime.comparison.change import Change
from thinktime.comparison.comparison import Comparison, comparison_of
from thinktime.comparison.estimate import Estimate, Missing
from thinktime.comparison.limit import Limit, LimitVerdict, judged, limit
from thinktime.comparison.subject import Subject, subject_of
from thinktime.results.result import Result


def compare(before: Result | Subject, after: Result | Subject) -> Comparison:
    """How the second result differs from the first: times, throughput, errors, with intervals.

    docs/compare.md explains the intervals, and the comparison of results without rows.
    """
    one, other = (
        found if isinstance(found, Subject) else subject_of(found) for found in (before, after)
    )
    return comparison_of(one, other)


__all__ = [
    "Change",
    "Comparison",
    "Estimate",
    "Limit",
    "LimitVerdict",
    "Missing",
    "Subject",
    "compare",
    "judged",
    "limit",
    "subject_of",
]
