"""Timers of JMeter as think times."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from thinktime.importing.draft import seconds
from thinktime.importing.notes import Notes

SECONDS_MAX = 1e6


@dataclass(frozen=True)
class Timer:
    """A delay: its mean and its variance, and its bounds if it is uniform; in seconds."""

    mean_s: float
    variance_s2: float = 0.0
    uniform: tuple[float, float] | None = None


def _number(given: Mapping[str, str], name: str) -> float | None:
    try:
        found = float(given.get(name) or "0") / 1000
    except ValueError:
        return None
    return found if 0 <= found <= SECONDS_MAX else None


def _constant(given: Mapping[str, str]) -> Timer | None:
    delay = _number(given, "ConstantTimer.delay")
    return None if delay is None else Timer(delay)


def _random(given: Mapping[str, str], made: Callable[[float, float], Timer]) -> Timer | None:
    delay = _number(given, "ConstantTimer.delay")
    spread = _number(given, "RandomTimer.range")
    return None if delay is None or spread is None else made(delay, spread)


def _uniform(delay: float, spread: float) -> Timer:
    return Timer(delay + spread / 2, spread**2 / 12, (delay, delay + spread))


TIMERS: dict[str, Callable[[Mapping[str, str]], Timer | None]] = {
    "ConstantTimer": _constant,
    "UniformRandomTimer": lambda given: _random(given, _uniform),
    "GaussianRandomTimer": lambda given: _random(given, lambda d, s: Timer(d, s**2)),
    # In milliseconds its mean is its variance.
    "PoissonRandomTimer": lambda given: _random(given, lambda d, s: Timer(d + s, s / 1000)),
}
"""The reader of each kind of timer's properties; nothing if they are not times."""


def total(timers: Sequence[Timer], place: str, notes: Notes) -> str:
    """The think time that is the sum of all timers."""
    random = [one for one in timers if one.variance_s2 > 0]
    mean = sum(one.mean_s for one in timers)
    if not random:
        return seconds(mean)
    if len(random) == 1 and random[0].uniform is not None:
        rest = mean - random[0].mean_s
        lo, hi = random[0].uniform
        return f"uniform({seconds(lo + rest)}, {seconds(hi + rest)})"
    variance = sum(one.variance_s2 for one in timers)
    if mean <= 0:
        # Negative times lose their sign: the mean of half a normal law.
        mean = math.sqrt(2 * variance / math.pi)
        variance -= mean**2
    notes.add(place, "the law of its timer is taken as a gamma law of the same mean and deviation")
    return f"gamma(shape={mean**2 / variance:.6g}, scale={variance / mean:.6g}s)"
