"""The interface of a family of laws for the search for its parameters.

`thinktime._core` (`crates/log/src/fits`) computes the functions of a law and the likelihood of
bins; it knows families by their names.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thinktime import _core

if TYPE_CHECKING:
    from thinktime.learn.fit.observations import Observations

FloatArray: TypeAlias = NDArray[np.float64]
Parameters: TypeAlias = Sequence[float]
Range: TypeAlias = tuple[float, float]

POSITIVE: Range = (0.0, np.inf)
REAL: Range = (-np.inf, np.inf)
SHARE: Range = (1e-6, 1 - 1e-6)


class Family(ABC):
    """Laws of one form. Methods take their parameters in the order of ``parameters``.

    Values are 0 or above, in base units: seconds, bytes, or plain numbers.
    """

    name: ClassVar[str]
    """The name in Thinktime's notation; parts of a mix are joined by ``+``."""

    parameters: ClassVar[tuple[str, ...]]
    """Names of the parameters, as in the notation."""

    free: ClassVar[int]
    """The number of parameters estimated on a continuum, as BIC counts them."""

    whole_only: ClassVar[bool] = False
    """Whether it is a law of whole numbers."""

    profiled: ClassVar[int | None] = None
    """The parameter at which the density jumps. It is searched for bin by bin."""

    def cdf(self, x: ArrayLike, p: Parameters) -> FloatArray:
        """P(X <= x) for each of some values; 0 if ``x`` is negative."""
        return self._tails(x, p)[0]

    def sf(self, x: ArrayLike, p: Parameters) -> FloatArray:
        """P(X > x), without loss of digits in the upper tail; 1 if ``x`` is negative."""
        return self._tails(x, p)[1]

    def _tails(self, x: ArrayLike, p: Parameters) -> tuple[FloatArray, FloatArray]:
        lower, upper = _core.law_tails(self.name, list(p), _values(x))
        return np.array(lower), np.array(upper)

    def clipped_mean(self, x: ArrayLike, p: Parameters) -> FloatArray:
        """E[min(X, x)] for each of some x >= 0, which is ∫ P(X > t) dt from 0 to x."""
        return np.array(_core.law_clipped_means(self.name, list(p), _values(x)))

    def mean(self, p: Parameters) -> float:
        """E[X], of most laws the first parameter; infinite if it does not exist."""
        return p[0]

    def quantile(self, u: float, p: Parameters) -> float:
        """The least x with P(X <= x) >= u, 0 < u < 1; by division of the logarithm's range."""
        low, high = -690.0, 690.0
        for _ in range(9):
            logs = np.linspace(low, high, 65)
            x = np.exp(logs)
            reached = self.cdf(x, p) >= u if u <= 0.5 else self.sf(x, p) <= 1 - u
            place = int(np.argmax(reached[:-1])) if reached[:-1].any() else 64
            low, high = float(logs[max(place - 1, 0)]), float(logs[place])
        return math.exp(high)

    @abstractmethod
    def notation(self, p: Parameters, unit: str) -> str:
        """The law in Thinktime's notation, to six digits."""

    @abstractmethod
    def starts(self, seen: Observations) -> list[list[float]]:
        """The starting values of the search."""

    @abstractmethod
    def ranges(self, seen: Observations) -> list[Range]:
        """The bounds of each parameter."""

    def solved(self, seen: Observations) -> list[float] | None:
        """The parameters that need no search, and None for those that do."""
        return None

    def rounded(self, p: Parameters) -> list[list[float]]:
        """Whole values near the last parameters, if these must be whole; otherwise none."""
        return []


def _values(x: ArrayLike) -> list[float]:
    found: list[float] = np.asarray(x, dtype=np.float64).tolist()
    return found


def written(value: float, unit: str) -> str:
    """A quantity to six digits in the unit that suits: 0.0123 s is ``12.3ms``."""
    scale, name = 1.0, unit
    if unit == "s" and 0 < value < 1:
        steps = ((1e3, "ms"), (1e6, "us"), (1e9, "ns"))
        scale, name = next((s for s in steps if value * s[0] >= 1), (1.0, "s"))
    return f"{value * scale:.6g}{name}"


def weighted(parts: Sequence[tuple[float, str]]) -> str:
    """A ``mix(...)`` of laws with weights that sum to 1 as written; the last takes the rest."""
    weights = [round(weight, 9) for weight, _ in parts[:-1]]
    weights.append(round(1 - sum(weights), 9))
    return (
        f"mix({', '.join(f'{w:.9g}: {law}' for w, (_, law) in zip(weights, parts, strict=True))})"
    )


@dataclass(frozen=True)
class Part:
    """One law of a mix: its family, and the places of its parameters among those of the mix."""

    family: Family
    take: tuple[int, ...]

    def of(self, p: Parameters) -> list[float]:
        """Its parameters."""
        return [p[i] for i in self.take]
