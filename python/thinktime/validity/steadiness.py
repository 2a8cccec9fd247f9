"""`steady state`: whether response times stayed at one level for the whole measured time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from thinktime.report import units
from thinktime.validity.changing import Change, change_of
from thinktime.validity.evidence import Evidence
from thinktime.validity.finding import DOUBTFUL, FINE, Finding, Unseen
from thinktime.validity.stretches import stretches

NAME = "steady state"

SIGNIFICANCE = 0.0025
"""Of each of the two tests."""

MATTERS = 0.10
"""A smaller change, in parts of the mean, is not worth a word."""


def check(seen: Evidence) -> Finding | None:
    """A trend, or a step, of the mean response times of twenty parts of the measured time."""
    if not seen.is_steady_by_plan:
        raise Unseen("the workload's rate is to change over time")
    parts = stretches(seen)
    if np.any(parts.completed == 0):
        raise Unseen("in parts of the run no request succeeded")
    return judged(parts.busy_s / parts.completed, parts.begin_s, "response time", units.seconds)


def judged(
    means: NDArray[np.float64],
    begin_s: NDArray[np.float64],
    what: str,
    say: Callable[[float], str],
) -> Finding:
    """Whether the mean of something stays the same over parts of a time that begin at some times.

    `what` it is the mean of, and how a value of it is said, are for the words.
    """
    if np.ptp(means) == 0:
        return Finding(NAME, FINE, f"all parts of the run have the same mean {what}")
    # A queue that grows does so evenly; one that is longer for a while is so by a factor.
    step = change_of(np.log(np.maximum(means, 1e-12)))
    words = _words(step, change_of(means), means, begin_s, what, say)
    if words is not None:
        advice = (
            "look at what changed then (`report` draws it); a queue that grows has a load of 1 "
            "or more; where it was the start, a `--warmup` leaves it out"
        )
        return Finding(NAME, DOUBTFUL, words, advice)
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
    """The change that is there beyond chance and matters, the more certain one."""
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
