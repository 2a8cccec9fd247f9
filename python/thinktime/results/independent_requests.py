"""The number of independent requests of a result: the one rule for whether a percentile is known.

Successive response times are alike, so a large number of requests is worth only a few independent
ones. `independent_requests` of the summary has that number, by the interval of the mean, and a
percentile is known if `percentile.NEEDED` of them are there (Le Boudec, 'Performance Evaluation of
Computer and Communication Systems', 2010, section 2.2). A part of the requests is worth the same
share of its own number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from thinktime.numerics.student import quantile
from thinktime.present import percentile

KEY: Final = "independent_requests"

_BATCHES = 20
"""The usual number of batches of an interval of one simulation or run."""


def worth(summary: Mapping[str, Any], requests: float) -> float:
    """The number of independent ones that some of a result's requests or pages are worth.

    It is 0 if the result is too short to tell how alike its response times are.
    """
    succeeded = (summary.get("requests") or 0) - (summary.get("errors") or 0)
    return requests * (summary.get(KEY) or 0.0) / succeeded if succeeded > 0 else 0.0


def known(
    summary: Mapping[str, Any], times: Mapping[str, Any], names: Sequence[str], requests: float
) -> dict[str, float]:
    """The times that are known of these names, in seconds, of this many requests or pages."""
    number = worth(summary, requests)
    found = {name: percentile.known(name, times.get(name), number) for name in names}
    return {name: float(time_s) for name, time_s in found.items() if time_s is not None}


def counted(summary: Mapping[str, Any], bins: Sequence[tuple[float, int]]) -> float | None:
    """That number, for a run before its end, of which there is no summary yet.

    Args:
        summary: The figures so far, with the half-width of the mean's interval.
        bins: The histogram of its response times: times in seconds, and their numbers.
    """
    half = (summary.get("response_time_s") or {}).get("ci95")
    many = sum(count for _, count in bins)
    if half is None or not many:
        return None
    mean = sum(time * count for time, count in bins) / many
    variance = sum((time - mean) ** 2 * count for time, count in bins) / many
    replications = len(summary.get("replication_means_s") or [])
    error = half / quantile((replications if replications > 1 else _BATCHES) - 1)
    ratio = error**2 * many / variance if variance > 0 else 0.0
    return many / max(ratio, 1.0)
