"""The functions of stochastic expressions that draw: laws, and whole numbers.

The arguments are those of Palladio: `Exp(rate)`, `Norm(mean, standard deviation)`,
`Gamma(shape, scale)`, `GammaMoments(mean, coefficient of variation)`,
`LognormMoments(mean, standard deviation)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from thinktime import InputError
from thinktime.pcm.laws import Amount, Exponential, Gamma, Law, Lognormal, Scalar, Uniform, gamma_of

COUNTS = ("Pois", "UniInt", "Binom")
"""The functions that draw a whole number."""

TAIL = 1e-12
"""Whole numbers of a smaller probability are left out."""

SPAN_MAX = 2000
"""The largest number of values of `UniInt`."""


def count(name: str, amounts: Sequence[Amount]) -> list[tuple[Scalar, float]]:
    """The values of a function of `COUNTS`, with their probabilities."""
    numbers = [_known(name, one) for one in amounts]
    if len(numbers) != (1 if name == "Pois" else 2):
        raise InputError(f"`{name}` takes {1 if name == 'Pois' else 2} arguments")
    if name == "UniInt":
        low, high = int(numbers[0]), int(numbers[1])
        if not low <= high < low + SPAN_MAX:
            raise InputError(f"`UniInt` needs at most {SPAN_MAX} values from low to high")
        return [(value, 1.0 / (high - low + 1)) for value in range(low, high + 1)]
    if name == "Pois":
        return _poisson(numbers[0])
    trials, p = int(numbers[0]), numbers[1]
    if not (0 <= trials <= SPAN_MAX and 0 <= p <= 1):
        raise InputError(f"`Binom` needs 0 to {SPAN_MAX} trials and a probability")
    masses = [math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)]
    return [(k, mass) for k, mass in enumerate(masses) if mass > TAIL]


def _poisson(mean: float) -> list[tuple[Scalar, float]]:
    if not 0 <= mean <= 500:
        raise InputError(f"`Pois` needs a mean of 0 to 500, not {mean}")
    found: list[tuple[Scalar, float]] = []
    for k in range(int(mean + 20 * math.sqrt(mean) + 20)):
        mass = math.exp(-mean + (k * math.log(mean) if k else 0.0) - math.lgamma(k + 1))
        if mass > TAIL:
            found.append((k, mass))
    return found


def law(name: str, amounts: Sequence[Amount], origin: int) -> Amount:
    """The law of a function of `LAWS`; `origin` is the number of the draw."""
    makers = LAWS[name]
    numbers = [_known(name, one) for one in amounts]
    if len(numbers) != makers[0]:
        raise InputError(f"`{name}` takes {makers[0]} arguments, not {len(numbers)}")
    if not makers[1](*numbers):
        raise InputError(f"`{name}({', '.join(map(str, numbers))})`: {makers[2]}")
    return makers[3](origin, *numbers)


def _known(name: str, one: Amount) -> float:
    if isinstance(one, str | Law):
        raise InputError(f"`{name}` needs numbers as arguments")
    return float(one)


def _moments(origin: int, mean: float, variance: float) -> Law:
    sigma2 = math.log1p(variance / mean**2)
    return Lognormal(origin, math.log(mean) - sigma2 / 2, math.sqrt(sigma2))


LAWS: dict[str, tuple[int, Callable[..., bool], str, Callable[..., Amount]]] = {
    "Exp": (
        1,
        lambda rate: rate > 0,
        "needs a rate above 0",
        lambda origin, rate: Exponential(origin, 1.0 / rate),
    ),
    "UniDouble": (
        2,
        lambda low, high: 0 <= low < high,
        "needs 0 <= low < high",
        Uniform,
    ),
    "Gamma": (
        2,
        lambda shape, scale: shape > 0 and scale > 0,
        "needs shape and scale above 0",
        Gamma,
    ),
    "GammaMoments": (
        2,
        lambda mean, cv: mean > 0 and cv > 0,
        "needs a mean and a coefficient of variation above 0",
        lambda origin, mean, cv: gamma_of(origin, mean, (mean * cv) ** 2),
    ),
    "Lognorm": (
        2,
        lambda mu, sigma: sigma > 0,
        "needs a standard deviation above 0",
        Lognormal,
    ),
    "LognormMoments": (
        2,
        lambda mean, deviation: mean > 0 and deviation > 0,
        "needs a mean and a standard deviation above 0",
        lambda origin, mean, deviation: _moments(origin, mean, deviation**2),
    ),
    "Norm": (
        2,
        lambda mean, deviation: mean > 0 and deviation >= 0,
        "needs a mean above 0; a demand cannot be negative",
        lambda origin, mean, deviation: gamma_of(origin, mean, deviation**2),
    ),
}
"""The laws: arguments, validity, the message if invalid, and the law."""
