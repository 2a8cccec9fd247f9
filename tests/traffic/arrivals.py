"""The beginnings of sessions: arrival processes and rates that change over time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.float64]

HOUR, DAY, WEEK = 3600.0, 86_400.0, 604_800.0


@dataclass(frozen=True)
class Profile:
    """A rate over time, as a multiple of its base."""

    text: str
    most: float
    """The largest multiple."""

    at: Callable[[Times], Times]
    """The multiples at these times, in seconds since the log's begin."""

    def times(self, other: Profile) -> Profile:
        """Both at once."""
        text = f"{self.text} x {other.text}"
        return Profile(text, self.most * other.most, lambda t: self.at(t) * other.at(t))


STEADY = Profile("constant", 1.0, np.ones_like)


def daily(low: float, period: float = DAY, peak: float = 15 * HOUR) -> Profile:
    """A cosine with mean 1, whose largest value is 1 / `low` times its least; `peak` is its
    time."""
    swing = (1 - low) / (1 + low)
    return Profile(
        f"daily(low={low:g}, period={period:g}s)",
        1 + swing,
        lambda t: 1 + swing * np.cos(2 * np.pi * (t - peak) / period),
    )


def weekly(weekend: float) -> Profile:
    """This multiple of the weekday's rate on the sixth and seventh day of each week."""
    return Profile(
        f"weekly(weekend={weekend:g})",
        max(1.0, weekend),
        lambda t: np.where(t % WEEK >= 5 * DAY, weekend, 1.0),
    )


def flash(at: float, factor: float, decay: float) -> Profile:
    """A crowd: the rate jumps to `factor` times the base, and comes back exponentially."""

    def multiple(t: Times) -> Times:
        since = np.maximum(t - at, 0) / decay
        return 1 + np.where(t >= at, (factor - 1) * np.exp(-since), 0.0)

    return Profile(f"flash(at={at:g}s, factor={factor:g}, decay={decay:g}s)", factor, multiple)


def steps(*multiples: float, length: float) -> Profile:
    """These multiples in turn, each for the same number of seconds, and again from the first."""
    values = np.array(multiples)

    def multiple(t: Times) -> Times:
        return values[np.floor_divide(t, length).astype(np.int64) % len(values)]

    return Profile(f"steps({list(multiples)}, length={length:g}s)", float(values.max()), multiple)


@dataclass(frozen=True)
class Arrivals:
    """An arrival process."""

    text: str
    draw: Callable[[np.random.Generator, float, float], Times]
    """The times from the first bound to the second, in order."""

    def __add__(self, other: Arrivals) -> Arrivals:
        def both(generator: np.random.Generator, begin: float, end: float) -> Times:
            parts = [one.draw(generator, begin, end) for one in (self, other)]
            return np.sort(np.concatenate(parts))

        return Arrivals(f"{self.text} + {other.text}", both)


def poisson(rate: float, profile: Profile = STEADY) -> Arrivals:
    """A Poisson process, its rate that of the profile: by thinning one of the largest rate."""

    def draw(generator: np.random.Generator, begin: float, end: float) -> Times:
        count = generator.poisson(rate * profile.most * (end - begin))
        times = np.sort(generator.uniform(begin, end, count))
        return times[generator.uniform(size=count) * profile.most < profile.at(times)]

    return Arrivals(f"poisson({rate:g}/s, {profile.text})", draw)


def even(gap: float, first: float = 0.0) -> Arrivals:
    """One every `gap` seconds by the clock, one of them at the time `first`."""

    def draw(_: np.random.Generator, begin: float, end: float) -> Times:
        return np.arange(first + np.ceil((begin - first) / gap) * gap, end, gap)

    return Arrivals(f"even({gap:g}s)", draw)


def modulated(low: float, high: float, quiet: float, busy: float) -> Arrivals:
    """A Markov-modulated Poisson process of two states.

    Its rate is `low` for exponential times of mean `quiet` seconds, then `high` for exponential
    times of mean `busy`.
    """

    def draw(generator: np.random.Generator, begin: float, end: float) -> Times:
        parts, at, is_busy = [], begin, False
        while at < end:
            till = min(at + generator.exponential(busy if is_busy else quiet), end)
            count = generator.poisson((high if is_busy else low) * (till - at))
            parts.append(np.sort(generator.uniform(at, till, count)))
            at, is_busy = till, not is_busy
        return np.concatenate(parts)

    text = f"mmpp(low={low:g}/s, high={high:g}/s, quiet={quiet:g}s, busy={busy:g}s)"
    return Arrivals(text, draw)


def clusters(rate: float, size: float, spread: float) -> Arrivals:
    """A Poisson cluster process.

    Clusters begin `rate` times a second; each has a geometric number of arrivals with mean `size`,
    each an exponential time of mean `spread` seconds after the cluster's begin.
    """

    def draw(generator: np.random.Generator, begin: float, end: float) -> Times:
        count = generator.poisson(rate * (end - begin))
        begins = generator.uniform(begin, end, count)
        times = np.repeat(begins, generator.geometric(1 / size, count))
        times += generator.exponential(spread, len(times))
        return np.sort(times[times < end])

    return Arrivals(f"clusters({rate:g}/s, size={size:g}, spread={spread:g}s)", draw)


def at_times(*times: float) -> Arrivals:
    """At these times."""
    chosen = np.array(sorted(times), dtype=np.float64)

    def draw(_: np.random.Generator, begin: float, end: float) -> Times:
        return chosen[(chosen >= begin) & (chosen < end)]

    return Arrivals(f"at({', '.join(f'{one:g}s' for one in times)})", draw)
