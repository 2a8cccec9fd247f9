"""Continuous laws of demands and times, as Thinktime's files can write them.

A law is in the model's own units; `notation` writes it in seconds.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from thinktime import Distribution, InputError

Scalar = bool | int | float | str
"""A known value."""


def number(value: float) -> str:
    """A number as files write it, with at most 12 digits."""
    return f"{value:.12g}".replace("e+", "e")


def time(seconds: float) -> str:
    """A time with the most readable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(seconds) >= size:
            return number(seconds / size) + unit
    return "0s" if seconds == 0 else number(seconds / 1e-9) + "ns"


@dataclass(frozen=True)
class Law(ABC):
    """A law of non-negative values.

    Attributes:
        origin: The number of its draw: laws of the same origin are one draw.
    """

    origin: int

    @property
    @abstractmethod
    def mean(self) -> float:
        """The mean."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """The variance."""

    @abstractmethod
    def scaled(self, factor: float) -> Law:
        """The law of `factor` times the value; the factor is above 0."""

    def shifted(self, by: float) -> Law | None:
        """The law of the value plus `by`; None if no file can write it."""
        return None

    @abstractmethod
    def notation(self, unit_s: float) -> str:
        """The law in seconds, if one unit of the model is `unit_s` seconds."""

    def below(self, bound: float) -> float:
        """The probability of a value of at most `bound`."""
        return Distribution(self.notation(1.0)).cdf(bound)


@dataclass(frozen=True)
class Exponential(Law):
    """Exponential with mean `scale`, plus `least`."""

    scale: float
    least: float = 0.0

    @property
    def mean(self) -> float:
        return self.least + self.scale

    @property
    def variance(self) -> float:
        return self.scale**2

    def scaled(self, factor: float) -> Law:
        return Exponential(self.origin, self.scale * factor, self.least * factor)

    def shifted(self, by: float) -> Law | None:
        least = self.least + by
        return Exponential(self.origin, self.scale, least) if least >= 0 else None

    def notation(self, unit_s: float) -> str:
        plain = f"exp({time(self.scale * unit_s)})"
        # It has no memory: given that it is above a bound, it is the bound plus itself.
        return plain if self.least == 0 else f"truncated({plain}, lo={time(self.least * unit_s)})"


@dataclass(frozen=True)
class Uniform(Law):
    """The uniform law between two bounds."""

    low: float
    high: float

    @property
    def mean(self) -> float:
        return (self.low + self.high) / 2

    @property
    def variance(self) -> float:
        return (self.high - self.low) ** 2 / 12

    def scaled(self, factor: float) -> Law:
        return Uniform(self.origin, self.low * factor, self.high * factor)

    def shifted(self, by: float) -> Law | None:
        return Uniform(self.origin, self.low + by, self.high + by) if self.low + by >= 0 else None

    def notation(self, unit_s: float) -> str:
        return f"uniform({time(self.low * unit_s)}, {time(self.high * unit_s)})"


@dataclass(frozen=True)
class Gamma(Law):
    """Gamma: mean `shape` times `scale`."""

    shape: float
    scale: float

    @property
    def mean(self) -> float:
        return self.shape * self.scale

    @property
    def variance(self) -> float:
        return self.shape * self.scale**2

    def scaled(self, factor: float) -> Law:
        return Gamma(self.origin, self.shape, self.scale * factor)

    def notation(self, unit_s: float) -> str:
        return f"gamma(shape={number(self.shape)}, scale={time(self.scale * unit_s)})"


@dataclass(frozen=True)
class Lognormal(Law):
    """The logarithm is normal with mean `mu` and standard deviation `sigma`."""

    mu: float
    sigma: float

    @property
    def mean(self) -> float:
        return math.exp(self.mu + self.sigma**2 / 2)

    @property
    def variance(self) -> float:
        return math.expm1(self.sigma**2) * math.exp(2 * self.mu + self.sigma**2)

    def scaled(self, factor: float) -> Law:
        return Lognormal(self.origin, self.mu + math.log(factor), self.sigma)

    def notation(self, unit_s: float) -> str:
        mu = self.mu + math.log(unit_s)
        return f"lognormal(mu={number(mu)}, sigma={number(self.sigma)})"


Amount = Scalar | Law
"""A value whose discrete draws are known."""


@dataclass(frozen=True)
class Mixture(Law):
    """One of several numbers or laws, each with its probability; they sum to 1."""

    parts: tuple[tuple[float, float | Law], ...]

    @property
    def mean(self) -> float:
        return sum(p * mean_of(part) for p, part in self.parts)

    @property
    def variance(self) -> float:
        squares = sum(p * (variance_of(part) + mean_of(part) ** 2) for p, part in self.parts)
        return max(0.0, squares - self.mean**2)

    def scaled(self, factor: float) -> Law:
        parts = [(p, x.scaled(factor) if isinstance(x, Law) else x * factor) for p, x in self.parts]
        return Mixture(self.origin, tuple(parts))

    def shifted(self, by: float) -> Law | None:
        parts: list[tuple[float, float | Law]] = []
        for p, part in self.parts:
            moved = part.shifted(by) if isinstance(part, Law) else part + by
            if moved is None:
                return None
            parts.append((p, moved))
        return Mixture(self.origin, tuple(parts))

    def notation(self, unit_s: float) -> str:
        return mixed([(p, part) for p, part in self.parts], unit_s)


@dataclass(frozen=True)
class Chance(Law):
    """True with `probability`, otherwise false: the result of comparing a law with a number."""

    probability: float

    @property
    def mean(self) -> float:
        return self.probability

    @property
    def variance(self) -> float:
        return self.probability * (1.0 - self.probability)

    def scaled(self, factor: float) -> Law:
        raise InputError("a comparison stands in place of a number")

    def notation(self, unit_s: float) -> str:
        raise InputError("a comparison stands in place of a number")


def mean_of(amount: Amount) -> float:
    """The mean of a number or law."""
    return amount.mean if isinstance(amount, Law) else float(amount)


def variance_of(amount: Amount) -> float:
    """The variance of a number or law."""
    return amount.variance if isinstance(amount, Law) else 0.0


def gamma_of(origin: int, mean: float, variance: float) -> float | Law:
    """The gamma law with this mean and variance; the mean itself if the variance is 0."""
    if variance <= 0 or mean <= 0:
        return mean
    return Gamma(origin, mean**2 / variance, variance / mean)


def mixed(parts: list[tuple[float, float | Law]], unit_s: float) -> str:
    """The notation of one of several numbers or laws, in seconds."""
    parts = [(p, part) for p, part in parts if p > 0]
    whole = sum(p for p, _ in parts)
    if len(parts) == 1:
        part = parts[0][1]
        return part.notation(unit_s) if isinstance(part, Law) else time(part * unit_s)
    texts = []
    for p, part in parts:
        text = part.notation(unit_s) if isinstance(part, Law) else time(part * unit_s)
        texts.append(f"{p / whole!r}: {text}")
    plain = not any(isinstance(part, Law) for _, part in parts)
    return f"{'discrete' if plain else 'mix'}({', '.join(texts)})"
