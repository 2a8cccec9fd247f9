"""`counts`: Little's law, N = X R, for three counts that are made independently of one another.

N is the time average of the number of requests in the system. A simulation's stations count it
themselves; a run counts it at the end of each interval. X is the rate of successful requests. R is
the mean of the histogram's times, less the wait of requests at their clients for a place or a
connection. If the three do not agree, requests were not counted, or the run is so short that the
requests at its beginning and end matter.

Source: Little, 'A proof for the queuing formula L = λW' (Operations Research 9, 1961).
"""

from __future__ import annotations

from thinktime.present import units
from thinktime.results.finding import DOUBTFUL, FINE, SPOILT, Finding, NoData
from thinktime.validity.evidence import FEW, Evidence

NAME = "counts"

EXACT = 0.01
"""Two exact counts differ by no more than this, and by the effect of the ends of the run."""

SPOILS = 0.10
"""A larger difference, beyond chance and the ends of the run, spoils the result."""

LONGEST = 10
"""A run is too short if it lasts less than this many times its longest response."""

LEAST = 30
"""Of fewer requests, those at the ends of the run decide."""

_DEVIATIONS = 4.0

_ADVICE = (
    "run for longer than the longest response times; if that changes nothing, the counts are "
    "wrong: please report it"
)


def check(seen: Evidence) -> Finding | None:
    """N beside X R."""
    mean_s, errors = seen.mean_s, int(seen.summary.get("errors") or 0)
    if mean_s is None:
        raise NoData("no request succeeded")
    if errors:
        raise NoData("some requests failed, and their times are in no mean")
    if seen.summary.get("retries"):
        raise NoData("some requests were tried again, and between attempts they are in no count")
    if seen.succeeded < LEAST:
        raise NoData(f"fewer than {LEAST} requests succeeded: the ends of the run decide")
    begin, end = seen.window
    rate = seen.succeeded / seen.replications / (end - begin) if end > begin else 0.0
    if rate <= 0:
        raise NoData("no time was measured")
    longest_s = float(seen.summary["response_time_s"].get("max") or 0.0)
    if end - begin < LONGEST * longest_s:
        raise NoData(
            f"the run lasts less than {LONGEST} times as long as its longest response: its "
            "unfinished requests decide"
        )
    mean_s -= seen.waited_mean_s  # at their clients, where they are not counted
    expected = rate * mean_s
    number, spread = _at_stations(seen) or _looked_at(seen, expected)
    # Requests in the system at the beginning and the end are counted on one side alone. Their
    # number varies as that of an M/M/1 queue; a long one was most probably there.
    there = max(expected + _DEVIATIONS * (expected * (expected + 1.0)) ** 0.5, 1.0)
    ends = 2 * (mean_s + max(longest_s, mean_s)) * there / (end - begin)
    allowed = EXACT * expected + _DEVIATIONS * spread + ends
    apart = abs(number - expected)
    words = (
        f"{units.number(number)} requests in the system, and {units.number(expected)} by "
        f"throughput times mean response time"
    )
    if apart <= allowed:
        return Finding(NAME, FINE, f"{words}: they agree as far as can be told")
    spoils = apart > allowed + SPOILS * expected
    return Finding(NAME, SPOILT if spoils else DOUBTFUL, words, _ADVICE)


def _at_stations(seen: Evidence) -> tuple[float, float] | None:
    """The number that stations counted, if requests are nowhere else; otherwise None."""
    system = seen.system
    if seen.kind != "simulate" or system is None or not system.plain:
        return None
    if system.machines or system.clusters or seen.replications > 1:
        return None
    found = [one.get("queue_length_mean") for one in (seen.summary.get("stations") or {}).values()]
    if not found or any(one is None for one in found):
        return None
    return float(sum(found)), 0.0


def _looked_at(seen: Evidence, expected: float) -> tuple[float, float]:
    """The mean of the numbers at the ends of intervals, and its standard error.

    A whole number with mean m varies at least as much as one that alternates between the whole
    numbers next to m. So a few readings of 0 say little of a server that is mostly idle, however
    alike they are.

    Raises:
        NoData: if sessions begin by a clock: the looks may find a request each time, or never.
    """
    if _share_in_step(seen) > FEW:
        raise NoData(
            "sessions begin at even times or at those of a trace, with which the looks at the "
            "ends of intervals may keep step"
        )
    from thinktime.validity.stretches import stretches

    parts = stretches(seen)
    seen_there = parts.in_system
    deviation = float(seen_there.std(ddof=1)) / len(seen_there) ** 0.5
    interval_s = float(seen.series["interval_s"][0])
    looks = len(seen_there) * max(round(parts.length_s / interval_s), 1)
    above = expected % 1.0
    return float(seen_there.mean()), max(deviation, (above * (1.0 - above) / looks) ** 0.5)


def _share_in_step(seen: Evidence) -> float:
    """The share of requests in sessions that begin at even times, or at those of a trace."""
    clocked = [one["process"].startswith(("even", "trace")) for one in seen.arrivals]
    return seen.share_of(clocked)
