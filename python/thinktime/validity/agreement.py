"""`agreement`: whether several runs of one workload against one server settle on the same values.

A server may settle on another value each time it is started, or each time connections are made:
hysteresis. No length of one run shows that, so runs are held against each other: the mean and the
p99 of each, with what chance does to them within the run, by Welch's test for means of unequal
variances, of their logarithms.

Source: Zhang, Meisner, Mars and Tang, 'Treadmill' (ISCA 2016), section 2.4, for hysteresis; Welch,
'On the comparison of several mean values: an alternative approach' (Biometrika 38, 1951).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, stdtrit

from thinktime.report import units
from thinktime.validity.evidence import Evidence
from thinktime.validity.finding import DOUBTFUL, FINE, UNSEEN, Finding, Unseen
from thinktime.validity.percentiles import PERCENTILES, backed, worth_of

NAME = "agreement"

SIGNIFICANCE = 0.0025
"""Of each of the two tests."""

MATTERS = 0.05
"""Runs that are no further apart are the same for all that is measured."""

DEGREES = 19
"""Of what a run says of its own chance: it is made of twenty parts."""

_ERROR_LEAST = 1e-6
_NAMES = {"mean": "the mean response time", "p99": "the p99"}
_ADVICE = (
    "no single run speaks for this server: give the mean of several with its interval, and look "
    "for what differs from start to start (placement in memory, which worker has which connection, "
    "caches)"
)


@dataclass(frozen=True)
class Told:
    """What one run says of one figure, in seconds, with its relative standard error."""

    value_s: float
    error: float


def agreement_of(runs: Sequence[Evidence]) -> Finding:
    """What the runs say together; `could not look` where they are too few, or too short."""
    if len(runs) < 2:
        return Finding(NAME, UNSEEN, "one run cannot differ from others (`--runs`)")
    apart: list[str] = []
    seen: list[str] = []
    try:
        for name, of in (("mean", _mean), ("p99", _p99)):
            told = [one for one in map(of, runs) if one is not None]
            if len(told) < len(runs):
                continue
            if differ(told):
                apart.append(f"{_NAMES[name]} is {_two_groups(told)}")
            else:
                values = sorted(one.value_s for one in told)
                seen.append(f"{_NAMES[name]} is {units.times_between(values[0], values[-1])}")
    except Unseen as why:
        return Finding(NAME, UNSEEN, str(why))
    if apart:
        return Finding(
            NAME, DOUBTFUL, f"hysteresis: runs settle on different values: {'; '.join(apart)}",
            _ADVICE,
        )  # fmt: skip
    if not seen:
        return Finding(NAME, UNSEEN, "the runs are too short: their means have no intervals")
    many = units.counted(len(runs), "run")
    return Finding(NAME, FINE, f"{many} agree as far as chance lets one see: {'; '.join(seen)}")


def differ(told: Sequence[Told]) -> bool:
    """Whether values differ by more than chance and by enough to matter."""
    logs = np.log([max(one.value_s, 1e-12) for one in told])
    if math.expm1(float(np.ptp(logs))) <= MATTERS:
        return False
    errors = np.maximum([one.error for one in told], _ERROR_LEAST)
    return welch(logs, errors, DEGREES) <= SIGNIFICANCE


def welch(means: NDArray[np.float64], errors: NDArray[np.float64], degrees: float) -> float:
    """The p-value of means that are all the same, by their standard errors.

    `degrees` are those of freedom of each standard error.
    """
    many = len(means)
    weights = 1.0 / errors**2
    middle = float(weights @ means / weights.sum())
    between = float(weights @ (means - middle) ** 2) / (many - 1)
    unsure = float(((1 - weights / weights.sum()) ** 2).sum()) / degrees
    ratio = between / (1 + 2 * (many - 2) / (many**2 - 1) * unsure)
    return float(fdtrc(many - 1, (many**2 - 1) / (3 * unsure), ratio))


def together(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean of a figure over runs, and the half-width of its 95 % interval by Student's t.

    Each run counts once, as Treadmill combines percentiles: requests of all runs in one histogram
    would hide that runs differ.
    """
    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, None
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return mean, float(stdtrit(len(values) - 1, 0.975)) * error


def _mean(seen: Evidence) -> Told | None:
    half = (seen.summary.get("response_time_s") or {}).get("ci95")
    mean = seen.mean_s
    if not mean or half is None:
        return None
    return Told(mean, float(half) / float(stdtrit(DEGREES, 0.975)) / mean)


def _p99(seen: Evidence) -> Told | None:
    """With the standard error of an order statistic of as many as are independent."""
    many = worth_of(seen).get("p99", 0.0)
    if seen.times is None or not backed("p99", many):
        return None
    p = PERCENTILES["p99"]
    spread = math.sqrt(p * (1 - p) / many)
    times, longer = seen.times
    low, value, high = (
        float(times[min(int(np.searchsorted(1 - longer, q)), len(times) - 1)])
        for q in (p - spread, p, min(p + spread, 1.0))
    )
    return Told(value, math.log(high / low) / 2) if low > 0 else None


def _two_groups(told: Sequence[Told]) -> str:
    """Parted where the gap is widest."""
    values = np.array([one.value_s for one in told])
    order = np.argsort(values)
    cut = int(np.argmax(np.diff(np.log(values[order])))) + 1
    return " and ".join(
        f"{units.seconds(float(values[part].mean()))} in {_runs(sorted(part))}"
        for part in (order[:cut], order[cut:])
    )


def _runs(places: Sequence[int]) -> str:
    numbers = units.listed([str(place + 1) for place in places])
    return f"run {numbers}" if len(places) == 1 else f"runs {numbers}"
