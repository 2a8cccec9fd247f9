"""A figure of one result with its 95 % interval, from sections of the run.

Response times of one run depend on one another, so their number sets no interval. The run is cut
into sections of equal duration, and a figure's interval is that of a mean over sections (batch
means: Law, 'Simulation Modeling and Analysis', 2015, section 9.5.3), for ratios and percentiles by
their linearisation. The wider interval of 20 short and 8 long sections is taken: if neighbours
still depend on one another, the long ones show it. Replications, if there are enough for the long
sections, are not cut: they are independent, and what changes over time does so in each.

A percentile lies where its share of response times lies: the sample itself turns the interval of
the share into times (Le Boudec, 'Performance Evaluation of Computer and Communication Systems',
2010, section 2.2). An interval is given if the percentile is known
(`results/independent_requests.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from thinktime.comparison.requests import Floats, Requests
from thinktime.numerics import stdtrit
from thinktime.numerics.shares import wilson
from thinktime.numerics.student import NORMAL
from thinktime.present.percentile import NEEDED

PERCENTILES: Mapping[str, float] = {
    "p50": 0.5,
    "p90": 0.9,
    "p95": 0.95,
    "p99": 0.99,
    "p99.9": 0.999,
}
FIGURES = ("mean", *PERCENTILES, "throughput", "errors")
"""The compared figures: response times in seconds, successes a second, and the share that
failed."""

SHORT, LONG = 20, 8
_BINS = math.lcm(SHORT, LONG)


@dataclass(frozen=True, eq=False)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float
    sections: Floats | None = None
    """How much each of the `SHORT` sections of the run moves the figure up or down, in any unit. It
    shows the common part of two runs on the same arrivals. None if it is not known."""

    late: float = 0.0
    """The part of a time that the generator's own lateness made, in seconds."""


@dataclass(frozen=True)
class Missing:
    """Why there is no figure, or no interval of it."""

    reason: str
    times_as_long: float | None = None
    """How many times as long the run would have to be, if it is only too short."""

    result: Literal["first", "second"] | None = None
    """The result that lacks it, if the other one has it."""


Estimates = Mapping[str, Estimate | Missing]


def estimates_of(
    requests: Requests, independent: float | None = None
) -> dict[str, Estimate | Missing]:
    """All figures of some requests.

    They are worth `independent` ones; if that is not given, as many as the spread of the share
    below their median says.
    """
    failed = np.isnan(requests.response_s)
    place = _bins((_parts(requests, requests.wanted_s) + 0.5) / _number_of_parts(requests), 1.0)
    times, places = requests.response_s[~failed], place[~failed]
    found: dict[str, Estimate | Missing] = {}
    if len(times):
        found["mean"] = _mean(times, places)
        found |= _percentiles(times, places, independent)
    else:
        found |= dict.fromkeys(("mean", *PERCENTILES), Missing("no request succeeded"))
    found["throughput"] = _throughput(requests)
    found["errors"] = _share(failed, place)
    return {name: found[name] for name in FIGURES}


def half_width(pulls: Floats) -> float:
    """The half-width of the 95 % interval of a sum, from its parts in short bins that follow."""
    widths = []
    for sections in (SHORT, LONG):
        parts = pulls.reshape(sections, -1).sum(axis=1)
        spread = math.sqrt(sections) * float(parts.std(ddof=1))
        widths.append(float(stdtrit(sections - 1, 0.975)) * spread)
    return max(widths)


def _bins(times_s: Floats, span_s: float) -> NDArray[np.int64]:
    return np.minimum((times_s / span_s * _BINS).astype(np.int64), _BINS - 1)


def _number_of_parts(requests: Requests) -> int:
    """The number of parts of equal duration that no section cuts."""
    return requests.replications if requests.replications >= LONG else _BINS


def _parts(requests: Requests, times_s: Floats) -> NDArray[np.int64]:
    """The number of the part of each time."""
    parts = _number_of_parts(requests)
    return np.minimum((times_s / requests.span_s * parts).astype(np.int64), parts - 1)


def _sum(places: NDArray[np.int64], parts: Floats | None = None) -> Floats:
    return np.bincount(places, parts, _BINS).astype(np.float64)


def _sections(pulls: Floats) -> Floats:
    parts: Floats = pulls.reshape(SHORT, -1).sum(axis=1)
    return parts


def _mean(times: Floats, places: NDArray[np.int64]) -> Estimate | Missing:
    mean = float(times.mean())
    if len(times) < 2 * SHORT:
        return _too_short(len(times), 2 * SHORT)
    pulls = _sum(places, times - mean)
    half = half_width(pulls) / len(times)
    return Estimate(mean, mean - half, mean + half, _sections(pulls))


def _percentiles(
    times: Floats, places: NDArray[np.int64], independent: float | None
) -> dict[str, Estimate | Missing]:
    order = np.argsort(times, kind="stable")
    ordered, by_time = times[order], places[order]
    worth = _worth(len(times), _below(by_time, 0.5), 0.5) if independent is None else independent
    found: dict[str, Estimate | Missing] = {}
    for name, p in PERCENTILES.items():
        n = len(ordered)
        needed = NEEDED[name]
        if worth < needed:
            found[name] = _too_short(worth, needed)
            continue
        pulls = _below(by_time, p)
        share = max(half_width(pulls) / n, NORMAL * math.sqrt(p * (1 - p) / n))
        if p + share > 1 - 1 / n or p - share < 1 / n:
            found[name] = _too_short((1 - p) / share, 1.0, power=2)
            continue
        at = [_ordered(ordered, one) for one in (p, p - share, p + share)]
        found[name] = Estimate(at[0], at[1], at[2], -_sections(pulls))
    return found


def _below(places: NDArray[np.int64], p: float) -> Floats:
    """The excess below the p-quantile of each bin over its share; `places` by rising value."""
    n = len(places)
    return _sum(places[: math.ceil(p * n)]) - p * _sum(places)


def _ordered(ordered: Floats, p: float) -> float:
    return float(ordered[min(max(math.ceil(p * len(ordered)), 1), len(ordered)) - 1])


def _worth(n: float, pulls: Floats, p: float) -> float:
    """The number of independent values a sample is worth, by the spread of its share below p."""
    spread = (half_width(pulls) / float(stdtrit(SHORT - 1, 0.975))) ** 2
    independent = n * p * (1 - p)
    return n if spread <= independent else n * independent / spread


def _throughput(requests: Requests) -> Estimate | Missing:
    parts = _number_of_parts(requests)
    counts = np.bincount(_parts(requests, requests.succeeded_s), minlength=parts)
    middles = (np.arange(parts) + 0.5) / parts
    lengths = np.full(parts, requests.span_s / parts)
    return rate_of_counts(middles, counts.astype(np.float64), lengths, len(requests.wanted_s))


def rate_of_counts(
    middles: Floats, counts: Floats, lengths_s: Floats, offered: float
) -> Estimate | Missing:
    """The rate of counts in intervals, by the place of each in the run, from 0 to 1.

    They are those of `offered` requests that succeeded.
    """
    span_s, number = float(lengths_s.sum()), float(counts.sum())
    if number < 2 * SHORT <= offered:
        # Few of many: their number is one of Poisson's, with the interval of Garwood (Biometrika
        # 28, 1936), by Wilson and Hilferty's approximation.
        low, high = _poisson(number)
        return Estimate(number / span_s, low / span_s, high / span_s)
    if number < 2 * SHORT:
        return _too_short(number, 2 * SHORT)
    rate = float(counts.sum()) / span_s
    pulls = _sum(_bins(middles, 1.0), counts - rate * lengths_s)
    half = half_width(pulls) / span_s
    return Estimate(rate, max(rate - half, 0.0), rate + half, _sections(pulls))


def _poisson(number: float) -> tuple[float, float]:
    """The 95 % interval of the mean of a count."""

    def end(of: float, sign: float) -> float:
        return of * (1 - 1 / (9 * of) + sign * NORMAL / (3 * math.sqrt(of))) ** 3

    return end(number, -1.0) if number else 0.0, end(number + 1, 1.0)


def _share(failed: NDArray[np.bool_], places: NDArray[np.int64]) -> Estimate | Missing:
    middles = (np.arange(_BINS) + 0.5) / _BINS
    return counted_share(middles, _sum(places, failed.astype(np.float64)), _sum(places))


def counted_share(
    middles: Floats, failed: Floats, all_of_them: Floats,
    failed_in_all: int | None = None, requests: int | None = None,
) -> Estimate | Missing:  # fmt: skip
    """The share of requests that failed, with Wilson's interval for their independent number.

    It is counted in intervals; `failed_in_all` of `requests` is exact, if it is known.
    """
    n = float(requests or all_of_them.sum())
    if n == 0:
        return Missing("no request was counted")
    p = float(failed.sum() if failed_in_all is None else failed_in_all) / n
    share = float(failed.sum() / max(all_of_them.sum(), 1.0))
    pulls = _sum(_bins(middles, 1.0), failed - share * all_of_them)
    low, high = wilson(p, _worth(n, pulls, p) if 0 < p < 1 else n)
    return Estimate(p, low, high, _sections(pulls))


def _too_short(worth: float, needed: float, power: int = 1) -> Missing:
    factor = (needed / max(worth, 1e-3)) ** power
    return Missing("the run is too short", factor)
