"""Whether each user's requests wait for the answer to the one before."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thinktime.learn.populations.population import LIKELY, SURE, UNSURE
from thinktime.learn.populations.streams import COARSE_S, Streams

EXPECTED = 10.0
"""With fewer overlaps due by chance, their absence says nothing."""

EXPECTED_SURE = 30.0

FEW, MANY = 0.1, 0.5
"""The shares of the overlaps due by chance: up to the one requests wait, from the other on not."""

ERRORS = 3.0
"""A slope is beyond one half by this many standard errors, which chance exceeds once in 740."""


APART = 4.0
"""Counts tell if those of requests that wait and of others are this many errors apart: the nearer
one is taken, which is wrong with a probability of 2.3 %."""

STEPS_MAX = 1 << 22
"""With more steps of all users together, counts are not used."""


@dataclass(frozen=True)
class Waits:
    """Whether requests wait for answers, and how certain that is."""

    waits: bool | None
    """None if the log does not tell."""

    confidence: str = UNSURE


def waits(streams: Streams, longest_s: float) -> Waits:
    """The evidence of overlaps, or of gaps that grow with the answers.

    Requests of a user that come independently of answers overlap by chance. If stamps are too
    coarse, the slope of the gaps over the durations of the answers at their beginning may show it:
    it is 1 if requests wait, else 0. So may their counts, which are those of a Poisson process if
    requests come independently. Gaps above ``longest_s`` are left out.
    """
    if streams.duration is None:
        return Waits(None)
    rates = streams.counts / np.maximum(streams.last - streams.first, 1e-9)
    seen_s = np.maximum(streams.duration - streams.early_s, 0.0)
    due = float(-np.expm1(-seen_s * rates[streams.ids]).sum())
    if due >= EXPECTED:
        share = float(streams.overlaps @ np.maximum(streams.counts - 1, 0)) / due
        sure = due >= EXPECTED_SURE and (share == 0 or share >= MANY)
        if share <= FEW or share >= MANY:
            return Waits(share <= FEW, SURE if sure else LIKELY)
    slope, error = _slope(streams, longest_s)
    if slope > 0.5 and float(np.median(streams.overlaps)) >= FEW / 2:
        return Waits(None)  # of several clients behind one address, answers are slow together
    if abs(slope - 0.5) > ERRORS * error:
        return Waits(slope > 0.5, LIKELY)
    return Waits(_by_counts(streams))


def _slope(streams: Streams, longest_s: float) -> tuple[float, float]:
    """The slope of gaps over durations, each less its stream's mean, and its standard error."""
    assert streams.duration is not None
    took = streams.duration
    if streams.step_s >= COARSE_S:  # such stamps may lack the rest of the duration
        took = np.floor(took / streams.step_s) * streams.step_s
    kept = np.flatnonzero(streams.gaps <= longest_s)
    ids = streams.ids[streams.inner][kept]
    number = np.maximum(np.bincount(ids, minlength=len(streams)), 1)
    centred = []
    for values in (took[streams.inner - 1][kept], streams.gaps[kept]):
        centred.append(values - (np.bincount(ids, values, len(streams)) / number)[ids])
    took, gaps = centred
    square = float(took @ took)
    if square <= 0:
        return 0.5, np.inf
    slope = float(took @ gaps) / square
    # Of White: errors may be larger after long answers.
    return slope, float(np.sqrt(took**2 @ (gaps - slope * took) ** 2)) / square


def _by_counts(streams: Streams) -> bool | None:
    """Whether requests wait, by the counts of each stream in steps of a few mean durations.

    Variance over mean is 1 for independent requests. If each waits for the answer and an
    exponential time, it is C² of the gaps: (1 - b)² + (b c)², with b the share of time that answers
    take, and c² the C² of durations. None if that is no great difference, or neither fits.
    """
    assert streams.duration is not None
    took_s = float(streams.duration.mean())
    width_s = max(math.ceil(5 * took_s / streams.step_s), 1) * streams.step_s
    steps = np.maximum(((streams.last - streams.first) / width_s).astype(np.int64), 1)
    total, there_s = int(steps.sum()), float(np.sum(streams.last - streams.first))
    busy = took_s * len(streams.rows) / there_s if there_s > 0 else 1.0
    if total > STEPS_MAX or not 0 < busy < 1:
        return None
    at = ((streams.time - streams.first[streams.ids]) / width_s).astype(np.int64)
    kept = at < steps[streams.ids]
    begins = np.cumsum(steps) - steps
    counts = np.bincount((begins[streams.ids] + at)[kept], minlength=total).astype(np.float64)
    of = np.repeat(np.arange(len(streams)), steps)
    means = (np.bincount(of, counts) / steps)[of]
    index = float(np.sum((counts - means) ** 2) / counts.sum())
    closed = (1 - busy) ** 2 + (busy * float(streams.duration.std()) / took_s) ** 2
    error = math.sqrt(2 / total)
    if 1 - closed < APART * error or index > 1 + ERRORS * error:
        return None
    return index < (1 + closed) / 2
