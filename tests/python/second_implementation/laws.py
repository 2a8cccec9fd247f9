"""Distributions as they are written in files, drawn with Python's own generator."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from itertools import accumulate

Law = Callable[[random.Random], float]
"""Draws a value: times in seconds, others as they are."""

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "": 1.0}
CALL = re.compile(r"\s*([a-z_0-9]+)\s*\((.*)\)\s*", re.DOTALL)


def quantity(text: str) -> float:
    """A number with or without a unit of time, or a rate such as `12/s`."""
    found = re.fullmatch(r"\s*([-+0-9.e]+?)\s*(?:/\s*(s|min))?\s*(ns|us|ms|s|min|h)?\s*", text)
    if not found:
        raise ValueError(f"not a quantity: {text}")
    return float(found[1]) * UNITS[found[3] or ""] / UNITS[found[2] or ""]


def parts(text: str) -> list[str]:
    """The parts between the commas outside of parentheses."""
    found, depth = [""], 0
    for mark in text:
        depth += (mark == "(") - (mark == ")")
        if mark == "," and depth == 0:
            found.append("")
        else:
            found[-1] += mark
    return [one.strip() for one in found]


def law(text: object) -> Law:
    """The law of a text such as `exp(7s)`; a bare quantity is always drawn."""
    found = CALL.fullmatch(str(text))
    if not found:
        value = quantity(str(text))
        return lambda _: value
    name, inside = found[1], parts(found[2])
    if name == "truncated":
        return truncated(inside)
    if name in ("discrete", "mix"):
        return mixture(inside)
    plain = [one for one in inside if "=" not in one]
    named = dict(one.split("=") for one in inside if "=" in one)
    keys = [*KEYS[name]]
    values = {key.strip(): quantity(value) for key, value in named.items()}
    left = [key for key in keys if key not in values]
    values |= {key: quantity(value) for key, value in zip(left, plain, strict=True)}
    return LAWS[name](*(values[key] for key in keys))


def truncated(inside: list[str]) -> Law:
    """Drawn again until the draw lies between the bounds."""
    whole = law(inside[0])
    bounds = {one.split("=")[0].strip(): quantity(one.split("=")[1]) for one in inside[1:]}
    lo, hi = bounds.get("lo", -math.inf), bounds.get("hi", math.inf)

    def draw(chance: random.Random) -> float:
        value = whole(chance)
        while not lo <= value <= hi:
            value = whole(chance)
        return value

    return draw


def mixture(inside: list[str]) -> Law:
    """One of several laws or values, by their shares."""
    pairs = [one.split(":", 1) for one in inside]
    sums = list(accumulate(float(share) for share, _ in pairs))
    laws = [law(text) for _, text in pairs]
    return lambda chance: chance.choices(laws, cum_weights=sums)[0](chance)


def h2(mean: float, cv2: float) -> Law:
    """Two exponentials of balanced means: p m1 = (1 - p) m2 = mean / 2."""
    share = 0.5 * (1 + math.sqrt((cv2 - 1) / (cv2 + 1)))
    rates = (2 * share / mean, 2 * (1 - share) / mean)
    return lambda chance: chance.expovariate(rates[chance.random() >= share])


def erlang(k: float, mean: float) -> Law:
    """The sum of k exponentials."""
    return lambda chance: sum(chance.expovariate(k / mean) for _ in range(int(k)))


def geometric(mean: float) -> Law:
    """Trials up to the first success, each with probability 1 / mean."""
    if mean <= 1:
        return lambda _: 1.0
    scale = 1 / math.log1p(-1 / mean)
    return lambda chance: max(1.0, math.ceil(math.log(1 - chance.random()) * scale))


def poisson(mean: float) -> Law:
    """Arrivals of a Poisson process of rate 1 until `mean`."""

    def draw(chance: random.Random) -> float:
        count, time = 0, chance.expovariate(1)
        while time < mean:
            count, time = count + 1, time + chance.expovariate(1)
        return float(count)

    return draw


def zipf(n: float, s: float) -> Law:
    """1 to n, the k-th with a probability proportional to k^-s."""
    values = range(1, int(n) + 1)
    sums = list(accumulate(value**-s for value in values))
    return lambda chance: float(chance.choices(values, cum_weights=sums)[0])


KEYS = {
    "const": ["value"],
    "exp": ["mean"],
    "uniform": ["lo", "hi"],
    "h2": ["mean", "cv2"],
    "erlang": ["k", "mean"],
    "lognormal": ["mu", "sigma"],
    "pareto": ["shape", "scale"],
    "geometric": ["mean"],
    "poisson": ["mean"],
    "zipf": ["n", "s"],
}
LAWS: dict[str, Callable[..., Law]] = {
    "const": lambda value: lambda _: value,
    "exp": lambda mean: lambda chance: chance.expovariate(1 / mean),
    "uniform": lambda lo, hi: lambda chance: chance.uniform(lo, hi),
    "h2": h2,
    "erlang": erlang,
    "lognormal": lambda mu, sigma: lambda chance: chance.lognormvariate(mu, sigma),
    "pareto": lambda shape, scale: lambda chance: scale * chance.paretovariate(shape),
    "geometric": geometric,
    "poisson": poisson,
    "zipf": zipf,
}


def whole(of: Law, least: int) -> Callable[[random.Random], int]:
    """A number of things: the draw rounded, halves up, and at least `least`."""
    return lambda chance: max(least, math.floor(of(chance) + 0.5))


def nanoseconds(of: Law) -> Callable[[random.Random], int]:
    """A time as a whole number of nanoseconds."""
    return lambda chance: round(of(chance) * 1e9)
