"""`failures`: whether the times shown are those of most requests, or of a few that survived."""

from __future__ import annotations

from thinktime.present import units
from thinktime.results.finding import DOUBTFUL, FINE, Finding
from thinktime.results.verdict import survivors
from thinktime.validity.evidence import Evidence

NAME = "failures"

_ADVICE = (
    "judge it by its errors, or by an objective of a percentile, for which a request that failed "
    "is later than any limit"
)


def check(seen: Evidence) -> Finding | None:
    """Requests that failed are in no distribution of times; here their number is compared."""
    words = survivors(seen.summary)
    if words:
        return Finding(NAME, DOUBTFUL, words, _ADVICE)
    requests, failed = seen.summary.get("requests") or 0, seen.summary.get("errors") or 0
    if not requests:
        return None
    return Finding(NAME, FINE, f"{units.count(failed)} of {units.count(requests)} requests failed")
