"""The law of demands that follow from times, as a system file writes it."""

from __future__ import annotations

import numpy as np

from thinktime._core import Distribution
from thinktime.explain.visits import Floats
from thinktime.learn.server.laws import law_of
from thinktime.learn.server.survival import Survival, survival

STEP_S = 1e-6
"""The steps of the clock."""

SECOND_WITHIN = 0.1
"""A named law must have a second moment this near to that of the demands."""

ONE_TIME = 1e-8
"""Demands with a smaller squared coefficient of variation are all equal, but for clock steps."""

SINGLE, PARTS = 100, 100
"""An empirical law has this many largest values, and this many means of the others."""


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
    return _as_seen(every.values, shares)


def _as_seen(ordered: Floats, shares: Floats) -> str:
    """The largest values as they are, and means of the others, part by part."""
    small = max(len(ordered) - SINGLE, 0)
    parts = [part for part in np.array_split(np.arange(small), PARTS) if len(part)]
    means = [np.average(ordered[part], weights=shares[part]) for part in parts]
    means += list(ordered[small:])
    sums = np.array([*(shares[part].sum() for part in parts), *shares[small:]])
    written, place = np.unique([float(f"{mean:.6g}") for mean in means], return_inverse=True)
    together = np.bincount(place, weights=sums) / sums.sum()
    # Whole billionths, so that the written probabilities sum to 1.
    whole = np.round(together * 1e9).astype(np.int64)
    whole[np.argmax(whole)] += 1_000_000_000 - whole.sum()
    pairs = zip(whole, written, strict=True)
    return f"discrete({', '.join(f'{one / 1e9:.9f}: {value:.6g}s' for one, value in pairs)})"
