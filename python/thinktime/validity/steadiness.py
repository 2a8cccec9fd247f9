"""`steady state`: whether response times stayed at one level for the whole measured time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from thinktime.present import units
from thinktime.results.finding import DOUBTFUL, FINE, Finding, NoData
from thinktime.validity.evidence import Evidence
from thinktime.validity.level_changes import ALIKE_MAX, Change, change_of
from thinktime.validity.session_length import session_s
from thinktime.validity.stretches import stretches

NAME = "steady state"

SIGNIFICANCE = 0.0025
"""The level of each of the two tests."""

MATTERS = 0.10
"""A smaller change, relative to the mean, is not reported."""

OVERLOADED = 0.10
"""A queue that takes a smaller part of the requests of half a run may be long for other reasons."""

_DEVIATIONS = 4.0
_INTERVALS = 4
"""Halves of fewer intervals show nothing."""


def check(seen: Evidence) -> Finding | None:
    """A trend, or a step, of the mean response times of twenty parts of the measured time."""
    if not seen.is_steady_by_plan:
        raise NoData("the workload's rate is to change over time")
    overloaded = _overload(seen)
    if overloaded is not None:
        return overloaded
    parts = stretches(seen)
    if np.any(parts.completed == 0):
        raise NoData("in parts of the run no request succeeded")
    means = parts.busy_s / parts.completed
    alike = alike_by_sessions(seen, parts.length_s)
    return judged(means, parts.begin_s, "response time", units.seconds, alike)


def _overload(seen: Evidence) -> Finding | None:
    """Whether a good part of the requests of the second half stayed in a queue.

    Few intervals show that, too: a server that keeps up ends as many as come, but for chance. If
    times are longer than half of the run, its first answers may still be to come.
    """
    table = seen.series
    half = len(table) // 2
    if len(table) < _INTERVALS or seen.interrupted or seen.summary.get("model") == "closed":
        return None
    begin, end = seen.window
    if seen.mean_s is None or seen.mean_s > (end - begin) / 2:
        return None
    came = int(table["scheduled"].tail(half).sum())
    before, after = (int(table["in_system"][place]) for place in (-half - 1, -1))
    if after - before <= max(OVERLOADED * came, _DEVIATIONS * math.sqrt(2.0 * came)):
        return None
    length_s = float(table["interval_s"].tail(half).sum())
    came_at, ended_at = (units.rate(one / length_s) for one in (came, came - after + before))
    return Finding(
        NAME, DOUBTFUL,
        f"in the second half {came_at} came and {ended_at} ended, so that requests in the system "
        f"went from {units.count(before)} to {units.count(after)}: more came than can be served",
        "times grow for as long as such a rate lasts: give a lower one (`capacity` finds the "
        "largest that the server bears), or do not rely on the times",
    )  # fmt: skip


def alike_by_sessions(seen: Evidence, part_s: float) -> float:
    """The least correlation of neighbouring parts, because sessions last beyond one part.

    For exponential lengths the sessions in progress at two times have a correlation of exp(-t /
    length).

    Raises:
        NoData: if they last so long that parts say nothing.
    """
    length_s = session_s(seen.stays, seen.mean_s or 0.0)
    alike = math.exp(-part_s / length_s) if length_s > 0 else 0.0
    if alike > ALIKE_MAX:
        raise NoData(
            f"sessions last for {units.seconds(length_s)} on average, and parts of the run for "
            f"{units.seconds(part_s)}: neighbouring parts are alike, whether anything changes or "
            "not; run for longer"
        )
    return alike


def judged(
    means: NDArray[np.float64],
    begin_s: NDArray[np.float64],
    what: str,
    say: Callable[[float], str],
    alike: float = 0.0,
) -> Finding:
    """Whether the mean of a figure stays the same over parts of a time that begin at some times.

    `what` and the format of a value are for the words. Neighbouring parts have a correlation of at
    least `alike`.

    Raises:
        NoData: if no change is found, but parts are so alike that this says nothing.
    """
    if np.ptp(means) == 0:
        return Finding(NAME, FINE, f"all parts of the run have the same mean {what}")
    # A growing queue grows evenly; one that is longer for a while is so by a factor.
    step = change_of(np.log(np.maximum(means, 1e-12)), alike)
    line = change_of(means, alike)
    words = _words(step, line, means, begin_s, what, say)
    if words is not None:
        advice = (
            "look at what changed then (`report` draws it); a queue that grows has a load of 1 or "
            "more; if it was the start, a `--warmup` leaves it out"
        )
        return Finding(NAME, DOUBTFUL, words, advice)
    if step.is_bounded or line.is_bounded:
        raise NoData(
            f"in neighbouring parts of the run the mean {what} is so alike that a change cannot be "
            "told from chance; run for longer"
        )
    return Finding(
        NAME, FINE, f"in {len(means)} parts of the run the mean {what} shows no trend and no step "
        "that chance does not explain",
    )  # fmt: skip


def _words(
    step: Change,
    line: Change,
    means: NDArray[np.float64],
    begin_s: NDArray[np.float64],
    what: str,
    say: Callable[[float], str],
) -> str | None:
    """The change that is beyond chance and matters, the more certain one of two."""
    steps = step.step_p <= SIGNIFICANCE and abs(np.expm1(step.step)) > MATTERS
    drifts = line.trend_p <= SIGNIFICANCE and abs(line.trend) > MATTERS * means.mean()
    if steps and (not drifts or step.step_p < line.trend_p):
        before, after = means[: step.place].mean(), means[step.place :].mean()
        return (
            f"the mean {what} went from {say(float(before))} to {say(float(after))} "
            f"at about {units.seconds(float(begin_s[step.place]))}"
        )
    if drifts:
        fifth = max(len(means) // 5, 1)
        return (
            f"the mean {what} went from {say(float(means[:fifth].mean()))} in the first fifth to "
            f"{say(float(means[-fifth:].mean()))} in the last one"
        )
    return None
