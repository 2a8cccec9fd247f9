"""`punctuality`: whether requests were sent at their scheduled times. For runs alone."""

from __future__ import annotations

from thinktime.present import units
from thinktime.present.percentile import backed
from thinktime.results.finding import DOUBTFUL, FINE, SPOILT, Finding, NoData
from thinktime.validity.evidence import Evidence

NAME = "punctuality"

NOTED = 0.02
"""Mean lateness beyond this share of the mean response time is doubtful."""

RESOLUTION_S = 100e-6
"""The time a kernel takes to wake a thread: no generator is more exact."""

ADVICE = (
    "leave the generator a core of its own, lower the rate, or read `service_time_s` beside the "
    "response times"
)


def check(seen: Evidence) -> Finding | None:
    """Mean lateness against the mean response time; the run's own verdict stands."""
    if seen.kind != "run":
        return None
    late = seen.summary.get("lateness_s") or {}
    mean, mean_s, p99 = late.get("mean"), seen.mean_s, late.get("p99")
    if mean is None or not mean_s:
        raise NoData("no request succeeded")
    tail = f" (p99 {units.seconds(p99)})" if backed("p99", seen.succeeded) else ""
    words = (
        f"requests were sent {units.seconds(mean)} late on average{tail}, "
        f"{units.percent(mean / mean_s)} of the mean response time"
    )
    if (seen.untrusted or "").startswith("the generator itself was late"):
        return Finding(NAME, SPOILT, words, ADVICE)
    if mean > max(NOTED * mean_s, RESOLUTION_S):
        return Finding(NAME, DOUBTFUL, words, ADVICE)
    return Finding(NAME, FINE, words)
