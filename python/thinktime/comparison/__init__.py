"""Two results compared: how much figures differ, with intervals, and whether that is allowed.

from thinktime.comparison import compare, judged, limit

found = compare(before, after)
print(found.verdict)
print(judged(limit("p99 > +5%"), found).words)
"""

from __future__ import annotations

from thinktime.comparison.change import Change
from thinktime.comparison.comparison import Comparison, compare
from thinktime.comparison.estimate import Estimate, Missing
from thinktime.comparison.limit import Limit, LimitFinding, judged, limit
from thinktime.comparison.subject import Subject, subject_of

__all__ = [
    "Change",
    "Comparison",
    "Estimate",
    "Limit",
    "LimitFinding",
    "Missing",
    "Subject",
    "compare",
    "judged",
    "limit",
    "subject_of",
]
