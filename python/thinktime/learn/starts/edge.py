"""The rate of sessions in a log that is short beside its pauses.

Sessions under way at its beginning seem to begin with their first request in the log. If pauses are
short, it is enough to leave out the first minutes; in a short log too many come later.
"""

from __future__ import annotations

import numpy as np

from thinktime.learn.starts.coverage import Times

LONGEST = 0.95
"""A gap longer than this share of the log has the weight of that share: hardly any is seen."""

HALVINGS = 60


def rate_without_those_under_way(begun_s: Times, gaps_s: Times, span_s: float) -> float | None:
    """Sessions that begin a second, by maximum likelihood; None if none was under way at first.

    A gap of length u within a session lies in a log of length T with the probability (T - u) / T,
    if it does at all. So a gap seen stands for 1 / (T - u) a second, and h(t), the sum over gaps
    longer than t, is the rate at which sessions under way at the beginning have their first request
    t seconds later. Then sessions seem to begin as a Poisson process of rate r + h(t), whose
    likelihood is greatest if the sum of 1 / (r + h) over all beginnings is T. If the log begins
    with the first users, h is 0; the greater likelihood decides.

    Args:
        begun_s: When sessions seem to begin, in seconds from the log's beginning, at least one.
        gaps_s: The seconds between successive pages of sessions.
        span_s: The length of the log in seconds, above 0.
    """
    gaps_s = np.sort(gaps_s[(gaps_s > 0) & (gaps_s < span_s)])
    if not len(gaps_s):
        return None
    weights = 1.0 / (span_s - np.minimum(gaps_s, LONGEST * span_s))
    longer = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
    under_way = longer[np.searchsorted(gaps_s, begun_s, side="right")]
    if (under_way > 0).all() and np.sum(1.0 / under_way) <= span_s:
        return None  # all of them may have been under way: the log shows no rate
    low, high = 0.0, len(begun_s) / span_s
    for _ in range(HALVINGS):
        rate = (low + high) / 2
        if np.sum(1.0 / (rate + under_way)) > span_s:
            low = rate
        else:
            high = rate
    rate = (low + high) / 2
    expected = rate * span_s + float(weights @ gaps_s)
    with_some = float(np.log(rate + under_way).sum()) - expected
    with_none = len(begun_s) * (np.log(len(begun_s) / span_s) - 1.0)
    return rate if with_some > with_none else None
