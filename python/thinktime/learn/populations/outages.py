"""Silences of a log that chance does not explain: lines were lost, or the server was away."""

from __future__ import annotations

import math

import numpy as np

from thinktime.learn.populations.streams import Flags, Floats

SHORTEST_S = 10.0

EMPTY = 12.0
"""A silence is this many times as long as the longest gap of a Poisson process of n requests, which
is ln n mean gaps. In 1,000 requests or more a longer one has a probability below 1e-33."""

MUCH = 0.002
"""Beyond this share of the log, silences matter even if the requests come in bursts."""

TAIL = 200
SPARE = 20
"""A tail is that of the `TAIL` longest gaps after the first `SPARE`, which may be outages."""

CHANCE = 1e-6
"""The probability of a silence as long as an outage, by the tail of the log's own gaps."""


def outages_s(time_s: Floats, resolution_s: float, span_s: float) -> Floats:
    """The lengths of silences that chance does not explain, in seconds.

    ``time_s`` are the times of all requests, in order. A silence is far longer than the gaps around
    it could be by chance. If all such ones together are short, each is also far longer than the
    log's own longest gaps suggest: bursts and sessions have longer ones than independent requests.
    """
    gaps = np.diff(time_s)
    around = _around(gaps)
    far = around * math.log(len(gaps)) * EMPTY + 2 * resolution_s
    long = (gaps > SHORTEST_S) & (gaps > far)
    if float(gaps[long].sum()) <= MUCH * span_s:
        finer = np.diff(_spread(time_s, resolution_s))
        long[long] = _beyond_tail(finer / np.maximum(around, 1e-12), long)
    found: Floats = gaps[long]
    return found


def _around(gaps: Floats) -> Floats:
    """The mean of the gaps around each: the busy times of a week are not the nights'."""
    window = max(len(gaps) // 200, 25)
    usable = len(gaps) // window * window
    typical = gaps[:usable].reshape(-1, window).mean(1)
    robust = np.sort(np.stack([np.roll(typical, -1), typical, np.roll(typical, 1)]), axis=0)[1]
    found: Floats = robust[np.minimum(np.arange(len(gaps)) // window, len(robust) - 1)]
    return found


def _spread(time_s: Floats, resolution_s: float) -> Floats:
    """The times, those of one stamp evenly over its unit: gaps of whole seconds have no tail."""
    if not resolution_s:
        return time_s
    first = np.flatnonzero(np.diff(time_s, prepend=-np.inf))
    many = np.diff(np.append(first, len(time_s)))
    place = np.arange(len(time_s)) - np.repeat(first, many)
    found: Floats = time_s + resolution_s * (place + 0.5) / np.repeat(many, many)
    return found


def _beyond_tail(gaps: Floats, chosen: Flags) -> Flags:
    """Whether each chosen gap is too long for a power law with the tail of all.

    Of a power law, i times the difference of the logarithms of the longest gaps i and i + 1 are
    independent and exponential, with the law's index as their mean (Rényi; Hill, Annals of
    Statistics 3, 1975). Most gaps have a lighter tail, so that the probability is smaller than
    `CHANCE`. The index is that of an exponential law at least, and three standard errors above its
    estimate.
    """
    many = SPARE + TAIL
    if len(gaps) <= 10 * many:
        return np.zeros(int(chosen.sum()), dtype=bool)
    longest = np.sort(np.partition(gaps, -many - 1)[-many - 1 :])[::-1]
    logs = np.log(np.maximum(longest, 1e-12))
    ranks = np.arange(SPARE + 1, many + 1)
    index = float(np.mean(ranks * -np.diff(logs[SPARE:])))
    index = max(index, 1.0 / math.log(len(gaps) / many)) * (1.0 + 3.0 / math.sqrt(TAIL))
    expected = many * np.exp(-(np.log(gaps[chosen]) - logs[-1]) / index)
    found: Flags = expected < CHANCE
    return found
