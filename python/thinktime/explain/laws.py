"""The law of demands that follow from times, as a system file writes it."""

from __future__ import annotations

import numpy as np

from thinktime._core import Distribution
from thinktime.candidates.survival import Survival, survival
from thinktime.candidates.visits import Floats
from thinktime.learn.server.laws import empirical, law_of

STEP_S = 1e-6
"""The steps of the clock."""

SECOND_WITHIN = 0.1
"""A named law must have a second moment this near to that of the demands."""

ONE_TIME = 1e-8
"""Demands with a smaller squared coefficient of variation are all equal, but for clock steps."""

POINTS = 200
"""An empirical law is written with at most this many values."""


def law_of_demands(values: Floats) -> str:
    """The law of demands that were all seen, with their mean and nearly their second moment."""
    seen = np.maximum(values, 1e-9)  # a demand that is impossible under a policy counts as 0
    return law_of_survival(survival(seen, np.ones(len(seen), dtype=np.bool_)))


def law_of_survival(every: Survival) -> str:
    """The law of demands whose probabilities are known, with nearly their second moment.

    Waiting depends on both moments. If a few very long requests make a named law miss the second
    moment, the values are taken as they were seen.
    """
    shares = every.weights / every.weights.sum()
    mean_s = float(every.values @ shares)
    second = float(every.values**2 @ shares) / mean_s**2
    if second - 1 < ONE_TIME:
        return f"const({mean_s:.6g}s)"
    named = law_of(every, STEP_S, 1.0).notation
    if abs((1 + Distribution(named).cv2) / second - 1) <= SECOND_WITHIN:
        return named
    return empirical(every, mean_s, POINTS)
