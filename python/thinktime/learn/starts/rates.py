"""The rate of starts over time: by steps of one length, and by blocks as long as the data bear.

Source of the blocks: Kolaczyk and Nowak, 'Multiscale likelihood analysis and complexity penalized
estimation' (Annals of Statistics 32, 2004): of all ways to halve the log, and its halves, again and
again, the one whose likelihood less a penalty for each block is largest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime._core import law_tails
from thinktime.learn.starts.coverage import Coverage, Times
from thinktime.learn.starts.dispersion import Counts
from thinktime.learn.starts.poisson import MINUTE_S, SIGNIFICANCE

SESSIONS_A_STEP = 100
STEPS_MAX = 48
WIDTHS_MIN = (1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 10080)
"""Lengths of steps, in minutes."""


@dataclass(frozen=True)
class Steps:
    """The rate by steps of one length."""

    step_s: float
    rates: Times
    """Starts a second of the covered part of each step; 0 if nothing is covered."""

    covered: Times
    """Seconds of each step that the log covers."""

    changes: bool
    """Whether the rate changes beyond chance (1 %)."""


def steps(times_s: Times, covered: Coverage) -> Steps:
    """The rate by steps that hold about `SESSIONS_A_STEP` starts, at most `STEPS_MAX` of them.

    ``times_s`` are within the covered part.
    """
    minutes = max(int(np.ceil(covered.span_s / MINUTE_S)), 1)
    wanted = min(max(len(times_s) // SESSIONS_A_STEP, 1), STEPS_MAX)
    width = next((width for width in WIDTHS_MIN if width >= minutes / wanted), WIDTHS_MIN[-1])
    step_s = (minutes if wanted == 1 else width) * MINUTE_S
    edges = np.arange(int(np.ceil(covered.span_s / step_s)) + 1) * step_s
    counts = np.diff(np.searchsorted(times_s, edges)).astype(np.float64)
    counts[-1] += np.count_nonzero(times_s >= edges[-1])
    seconds = np.diff(covered.upto(edges))
    known = seconds > 0
    rates = np.divide(counts, seconds, out=np.zeros_like(counts), where=known)
    return Steps(step_s, rates, seconds, _changes(counts[known], seconds[known]))


def _changes(counts: Times, seconds: Times) -> bool:
    """Whether counts differ from one rate by more than chance: Pearson's χ²."""
    if len(counts) < 2 or counts.sum() == 0:
        return False
    expected = seconds * counts.sum() / seconds.sum()
    distance = float(np.sum((counts - expected) ** 2 / expected))
    degrees = len(counts) - 1
    _, (above,) = law_tails("gamma", [degrees / 2, 2.0], [distance])  # which is that of χ²
    return distance > degrees and above < SIGNIFICANCE


def blocks(counts: Counts) -> Times:
    """The rate in each step of ``counts``, constant over blocks, in starts a second.

    A log of constant rate is one block with a probability of 99 %: the penalty of a block ensures
    that by Chernoff's bound. Lost parts have the rate of their block.
    """
    starts, seconds = counts.starts.astype(np.float64), counts.covered
    depth = max(int(np.ceil(np.log2(len(starts)))), 0)
    penalty = np.log(len(starts) / SIGNIFICANCE)
    level = [_padded(starts, depth), _padded(seconds, depth)]
    tree: list[tuple[Times, NDArray[np.bool_]]] = []
    best = np.empty(0)
    for height in range(depth + 1):
        if height:
            level = [row[::2] + row[1::2] for row in level]
        rate = np.divide(level[0], level[1], out=np.zeros_like(level[0]), where=level[1] > 0)
        whole = np.log(rate, out=np.zeros_like(rate), where=rate > 0) * level[0] - penalty
        halves = best[::2] + best[1::2] if height else np.full_like(whole, -np.inf)
        best = np.maximum(whole, halves)
        tree.append((rate, whole >= halves))
    rate, decided = tree.pop()
    while tree:
        below, whole_below = tree.pop()
        rate, decided = np.repeat(rate, 2), np.repeat(decided, 2)
        rate = np.where(decided, rate, below)
        decided = decided | whole_below
    return np.asarray(rate[: len(starts)])


def _padded(values: Times, depth: int) -> Times:
    return np.concatenate([values, np.zeros((1 << depth) - len(values))])
