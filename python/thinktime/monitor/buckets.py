"""Buckets of response times, sixteen to a factor of two, as those of native histograms.

The bucket of place `n` holds times above 2^((n - 1) / 16) s and up to 2^(n / 16) s: scale 4 of
OpenTelemetry's exponential histograms, whose places are one less, and schema 4 of Prometheus's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thinktime.theory.law import FloatArray

SCALE = 4
PER_OCTAVE = 1 << SCALE


def tail_of(buckets: Sequence[tuple[int, int]]) -> tuple[FloatArray, FloatArray]:
    """Upper bounds of buckets in seconds, rising, and the share of requests that took longer."""
    held = sorted(buckets)
    times = np.exp2(np.array([place for place, _ in held], dtype=float) / PER_OCTAVE)
    counts = np.array([count for _, count in held], dtype=float)
    return times, 1.0 - np.cumsum(counts) / max(float(counts.sum()), 1.0)


def bounds_of(places: Sequence[int]) -> FloatArray:
    """The bounds in seconds of buckets that follow one another: one more than there are buckets."""
    return np.exp2(np.arange(places[0] - 1, places[-1] + 1) / PER_OCTAVE)
