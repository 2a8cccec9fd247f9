"""Laws of times, counts and sizes, in the notation of workload files.

They are this package's own, so that the learned laws are checked against an independent source.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from statistics import NormalDist

NORMAL = NormalDist()


@dataclass(frozen=True)
class Law:
    """A law of values that are not negative."""

    text: str
    """The notation of a workload file; times are in seconds."""

    mean: float
    draw: Callable[[Random], float]
    cdf: Callable[[float], float]
    """The probability of a value of at most x."""

    def __str__(self) -> str:
        return self.text


def const(value: float) -> Law:
    """Always the same."""
    return Law(f"const({value:g}s)", value, lambda _: value, lambda x: float(x >= value))


def uniform(lo: float, hi: float) -> Law:
    """Uniform between two bounds."""
    return Law(
        f"uniform({lo:g}s, {hi:g}s)",
        (lo + hi) / 2,
        lambda random: lo + (hi - lo) * random.random(),
        lambda x: min(max((x - lo) / (hi - lo), 0.0), 1.0),
    )


def exp(mean: float) -> Law:
    """Exponential."""
    return Law(
        f"exp({mean:g}s)",
        mean,
        lambda random: random.expovariate(1 / mean),
        lambda x: -math.expm1(-max(x, 0.0) / mean),
    )


def erlang(phases: int, mean: float) -> Law:
    """The sum of a number of exponential times."""
    rate = phases / mean

    def cdf(x: float) -> float:
        if x <= 0:
            return 0.0
        terms = (math.exp(k * math.log(rate * x) - math.lgamma(k + 1)) for k in range(phases))
        return 1 - math.exp(-rate * x) * sum(terms)

    text = f"erlang(k={phases}, mean={mean:g}s)"
    return Law(text, mean, lambda random: random.gammavariate(phases, 1 / rate), cdf)


def lognormal(mu: float, sigma: float) -> Law:
    """The logarithm is normal with mean mu and standard deviation sigma."""
    return Law(
        f"lognormal(mu={mu:g}, sigma={sigma:g})",
        math.exp(mu + sigma * sigma / 2),
        lambda random: random.lognormvariate(mu, sigma),
        lambda x: NORMAL.cdf((math.log(x) - mu) / sigma) if x > 0 else 0.0,
    )


def weibull(shape: float, scale: float) -> Law:
    """P(X > x) = exp(-(x / scale)^shape)."""
    return Law(
        f"weibull(shape={shape:g}, scale={scale:g}s)",
        scale * math.gamma(1 + 1 / shape),
        lambda random: random.weibullvariate(scale, shape),
        lambda x: -math.expm1(-((max(x, 0.0) / scale) ** shape)),
    )


def pareto(shape: float, scale: float) -> Law:
    """P(X > x) = (scale / x)^shape for x of at least the scale."""
    return Law(
        f"pareto(shape={shape:g}, scale={scale:g}s)",
        shape * scale / (shape - 1) if shape > 1 else math.inf,
        lambda random: scale * random.paretovariate(shape),
        lambda x: 1 - (scale / x) ** shape if x > scale else 0.0,
    )


def mix(*parts: tuple[float, Law]) -> Law:
    """One of several laws, each with its probability; the probabilities sum to 1."""

    def draw(random: Random) -> float:
        left = random.random()
        for weight, law in parts:
            left -= weight
            if left < 0:
                return law.draw(random)
        return parts[-1][1].draw(random)

    inner = ", ".join(f"{weight:g}: {law}" for weight, law in parts)
    mean = sum(weight * law.mean for weight, law in parts)
    return Law(f"mix({inner})", mean, draw, lambda x: sum(w * law.cdf(x) for w, law in parts))


def h2(mean: float, cv2: float) -> Law:
    """One of two exponentials with balanced means: each brings half of the mean (cv2 > 1)."""
    p = (1 + math.sqrt((cv2 - 1) / (cv2 + 1))) / 2
    both = mix((p, exp(mean / (2 * p))), (1 - p, exp(mean / (2 * (1 - p)))))
    return Law(f"h2({mean:g}s, cv2={cv2:g})", mean, both.draw, both.cdf)


def truncated(law: Law, hi: float) -> Law:
    """The law, given that it is at most `hi`. The mean is that of the middles of 4,000 parts."""
    whole = law.cdf(hi)

    def draw(random: Random) -> float:
        while (value := law.draw(random)) > hi:
            pass
        return value

    parts = 4000
    tops = (1 - law.cdf(hi * (n + 0.5) / parts) / whole for n in range(parts))
    text = f"truncated({law}, hi={hi:g}s)"
    return Law(text, hi / parts * sum(tops), draw, lambda x: min(law.cdf(x) / whole, 1.0))


def geometric(mean: float) -> Law:
    """A count of at least 1; after each, another one follows with the same probability."""
    stay = 1 - 1 / mean

    def draw(random: Random) -> float:
        return 1.0 + (math.floor(math.log(1 - random.random()) / math.log(stay)) if stay else 0)

    return Law(f"geometric({mean:g})", mean, draw, lambda x: 1 - stay ** max(math.floor(x), 0))
