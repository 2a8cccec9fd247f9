"""`agreement`: whether several runs of one workload against one server settle on the same values.

A server may settle on another value each time it is started, or each time connections are made:
hysteresis. No length of one run shows that, so runs are compared: their means, with the errors of
their intervals, by Welch's test for means of unequal variances; and the p99 of five parts of each,
by analysis of variance. Both tests use logarithms.

Source: Zhang, Meisner, Mars and Tang, 'Treadmill' (ISCA 2016), for hysteresis; Welch, 'On the
comparison of several mean values: an alternative approach' (Biometrika 38, 1951).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.numerics import fdtrc, stdtrit
from thinktime.present import units
from thinktime.present.percentile import NEEDED
from thinktime.results.finding import DOUBTFUL, FINE, UNSEEN, Finding, NoData
from thinktime.results.response_times import KEY, answered
from thinktime.validity.evidence import Evidence

NAME = "agreement"

SIGNIFICANCE = 0.0025
"""The level of each of the two tests."""

MATTERS = 0.05
"""Runs that are no further apart count as the same."""

DEGREES = 19
"""The degrees of freedom of a run's standard error of the mean, which comes from twenty parts."""

PARTS = 5
"""The number of parts of a run whose p99 is compared: long parts, which hardly depend on one
another."""

_PART_MAX = 100_000

_ERROR_LEAST = 1e-6
_ADVICE = (
    "no single run speaks for this server: give the mean of several with its interval, and look "
    "for what differs from start to start (placement in memory, which worker has which connection, "
    "caches)"
)


@dataclass(frozen=True)
class RunMean:
    """The mean of one run, in seconds, with its relative standard error."""

    value_s: float
    error: float


def agreement_of(runs: Sequence[Evidence]) -> Finding:
    """The verdict on all runs; `could not look` if they are too few or too short."""
    if len(runs) < 2:
        return Finding(NAME, UNSEEN, "one run cannot differ from others (`--runs`)")
    apart: list[str] = []
    seen: list[str] = []
    means = [one for one in map(_mean, runs) if one is not None]
    if len(means) == len(runs):
        _say("the mean response time", [one.value_s for one in means], differ(means), apart, seen)
    tails = [one for one in map(tails_of, runs) if one is not None]
    if len(tails) == len(runs):
        values = [one.summary["response_time_s"]["p99"] or math.nan for one in runs]
        _say("the p99", values, tails_differ(np.array(tails)), apart, seen)
    if apart:
        return Finding(
            NAME, DOUBTFUL, f"hysteresis: runs settle on different values: {'; '.join(apart)}",
            _ADVICE,
        )  # fmt: skip
    if not seen:
        return Finding(NAME, UNSEEN, "the runs are too short: their means have no intervals")
    many = units.counted(len(runs), "run")
    return Finding(NAME, FINE, f"{many} agree within chance: {'; '.join(seen)}")


def _say(
    what: str, values: list[float], are_apart: bool, apart: list[str], seen: list[str]
) -> None:
    if are_apart:
        apart.append(f"{what} is {_two_groups(np.array(values))}")
    else:
        seen.append(f"{what} is {units.times_between(min(values), max(values))}")


def differ(told: Sequence[RunMean]) -> bool:
    """Whether means differ by more than chance and by enough to matter."""
    logs = np.log([max(one.value_s, 1e-12) for one in told])
    if not _matters(logs):
        return False
    errors = np.maximum([one.error for one in told], _ERROR_LEAST)
    return welch(logs, errors, DEGREES) <= SIGNIFICANCE


def tails_differ(logs: NDArray[np.float64]) -> bool:
    """The same for the logarithms of the p99, with a row a run and a column a part of it."""
    runs, parts = logs.shape
    if not _matters(logs.mean(axis=1)):
        return False
    within = max(float(logs.var(axis=1, ddof=1).mean()), _ERROR_LEAST**2)
    ratio = parts * float(logs.mean(axis=1).var(ddof=1)) / within
    return float(fdtrc(runs - 1, runs * (parts - 1), ratio)) <= SIGNIFICANCE


def _matters(logs: NDArray[np.float64]) -> bool:
    return math.expm1(float(np.ptp(logs))) > MATTERS


def welch(means: NDArray[np.float64], errors: NDArray[np.float64], degrees: float) -> float:
    """The p-value of the hypothesis that all means are equal, by their standard errors.

    `degrees` are the degrees of freedom of each standard error.
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

    Each run counts once, as Treadmill combines percentiles: one histogram of all requests would
    hide differences between runs.
    """
    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, None
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return mean, float(stdtrit(len(values) - 1, 0.975)) * error


def _mean(seen: Evidence) -> RunMean | None:
    half = (seen.summary.get("response_time_s") or {}).get("ci95")
    mean = seen.mean_s
    if not mean or half is None:
        return None
    return RunMean(mean, float(half) / float(stdtrit(DEGREES, 0.975)) / mean)


def tails_of(seen: Evidence) -> NDArray[np.float64] | None:
    """The logarithm of the p99 of each part; None without rows, or if parts are too short.

    Of long parts the first `_PART_MAX` attempts are used. A request whose attempts are in two parts
    is left out.
    """
    import polars as pl

    try:
        each = seen.rows_many // PARTS
        if each < NEEDED["p99"]:
            return None
        succeeded = pl.col("done_ns").is_not_null() & pl.col("error").is_null()
        columns = (*KEY, "attempt", "scheduled_ns", "done_ns")
        read = seen.rows.select(*columns, succeeded=succeeded)
        parts = [
            answered(read.slice(n * each, min(each, _PART_MAX)).collect(), KEY)
            for n in range(PARTS)
        ]
        began_ns = seen.window[0] * 1e9
    except NoData:
        return None
    took = (pl.col("done_ns") - pl.col("begun_ns")) * 1e-9
    counted = [part.filter(pl.col("begun_ns") >= began_ns).select(took) for part in parts]
    found = [part.to_series().quantile(0.99) for part in counted]
    if any(one is None or one <= 0 for one in found):
        return None
    return np.log(np.array(found, dtype=np.float64))


def _two_groups(values: NDArray[np.float64]) -> str:
    """Two groups of runs, parted at the widest gap."""
    order = np.argsort(values)
    cut = int(np.argmax(np.diff(np.log(values[order])))) + 1
    return " and ".join(
        f"{units.seconds(float(values[part].mean()))} in {_runs(sorted(part))}"
        for part in (order[:cut], order[cut:])
    )


def _runs(places: Sequence[int]) -> str:
    numbers = units.listed([str(place + 1) for place in places])
    return f"run {numbers}" if len(places) == 1 else f"runs {numbers}"
