"""Values by bins: the fits need no more of a sample of any size."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

LARGEST = 1e100
"""It replaces infinity as a bound of a bin."""

SMALLEST = 1e-100
"""Values up to here are zeros."""


@dataclass(frozen=True, eq=False)
class Tally:
    """The number of values in each bin, and the form of the values.

    A bin holds the values with low <= value < high; if low equals high, that value alone. Sizes are
    whole bytes, so that a bin from 0 B to 1 B holds sizes of 0. Values are 0 or above, in seconds,
    bytes or plain numbers. Bins may come in any order; those without a count, or without proper
    bounds, are dropped, and so are those above ``limit``.

    Raises ValueError if the three columns differ in length, if the resolution is negative or goes
    with ``whole``, or if the limit is not above 0.
    """

    low: FloatArray
    high: FloatArray
    count: FloatArray

    resolution: float = 0.0
    """0 for exact values; r if each is the difference of two stamps that were both rounded down to
    multiples of r."""

    limit: float | None = None
    """Only values up to this limit could be observed, such as think times up to the session
    timeout."""

    whole: bool = False
    """Whether values are whole numbers from 1 on, as the requests of sessions."""

    unit: str = "s"
    """"s" for times, "B" for sizes, "" for plain numbers, as in the notation of laws."""

    def __post_init__(self) -> None:
        low, high, count = (
            np.atleast_1d(np.asarray(column, dtype=np.float64))
            for column in (self.low, self.high, self.count)
        )
        if not low.shape == high.shape == count.shape or low.ndim != 1:
            raise ValueError(
                "low, high and count are columns of one length, "
                f"not of the shapes {low.shape}, {high.shape} and {count.shape}"
            )
        if not 0 <= self.resolution < math.inf or (self.resolution > 0 and self.whole):
            raise ValueError(
                f"the resolution is 0 or above, and 0 for whole numbers; it is {self.resolution}"
            )
        if self.limit is not None and not self.limit > 0:
            raise ValueError(f"the limit must be above 0; it is {self.limit}")
        top = LARGEST if self.limit is None else min(self.limit, LARGEST)
        kept = (count > 0) & np.isfinite(count) & (high >= low) & (low >= 0) & (low <= top)
        order = np.flatnonzero(kept)[np.lexsort((high[kept], low[kept]))]
        object.__setattr__(self, "low", low[order])
        object.__setattr__(self, "high", np.minimum(high[order], LARGEST))
        object.__setattr__(self, "count", count[order])

    @classmethod
    def from_values(
        cls,
        values: ArrayLike,
        *,
        resolution: float = 0.0,
        limit: float | None = None,
        whole: bool = False,
        unit: str = "s",
        width: float = 0.01,
    ) -> Tally:
        """Tally values: exact ones in bins of the relative ``width`` > 0, others one by one.

        Values that are negative or not finite are left out. Raises ValueError as `Tally` does.
        """
        row = np.asarray(values, dtype=np.float64).ravel()
        row = row[np.isfinite(row) & (row >= 0)]
        if limit is not None:
            row = row[row <= limit]
        if whole or resolution > 0:
            points, count = counted(row)
            return cls(points, points, count, resolution, limit, whole, unit)
        zeros, step = float(np.sum(row == 0)), math.log1p(width)
        at, count = counted(np.floor(np.log(row[row > 0]) / step))
        low = np.concatenate([[0.0], np.exp(at * step)])
        high = np.concatenate([[0.0], np.exp((at + 1) * step)])
        return cls(low, high, np.concatenate([[zeros], count]), resolution, limit, whole, unit)

    @classmethod
    def from_sizes(cls, values: ArrayLike, *, width: float = 0.01) -> Tally:
        """Tally whole bytes, each taken to reach half a byte to either side, in such bins."""
        at, count = counted(np.asarray(values, dtype=np.float64).ravel())
        if not len(at):
            return cls(at, at, count, unit="B")
        group = np.where(at < 1, -1, np.floor(np.log(np.maximum(at, 1)) / math.log1p(width)))
        _, first = np.unique(group, return_index=True)
        last = np.append(first[1:], len(at)) - 1
        high = np.where(at[last] < 1, 0.5, at[last] + 0.5)
        low = np.maximum(at[first] - 0.5, 0.0)
        return cls(low, high, np.add.reduceat(count, first), unit="B")

    def same(self, other: Tally) -> bool:
        """Whether the other has the same values, observed in the same way."""
        how = (self.resolution, self.limit, self.whole, self.unit)
        return how == (other.resolution, other.limit, other.whole, other.unit) and all(
            np.array_equal(getattr(self, column), getattr(other, column))
            for column in ("low", "high", "count")
        )

    @property
    def total(self) -> int:
        """The number of values."""
        return round(float(self.count.sum()))

    @property
    def zero(self) -> NDArray[np.bool_]:
        """The bins that hold only exact zeros, which no continuous law has."""
        exact = self.resolution == 0 and not self.whole
        return np.asarray(exact & (self.high <= (1.0 if self.unit == "B" else SMALLEST)))

    @property
    def middle(self) -> FloatArray:
        """The middle of each bin; of a bin without an upper bound, its lower one."""
        inside = (self.high < LARGEST) & ~self.zero
        return np.where(inside, self.low + (self.high - self.low) / 2, self.low)

    @property
    def mean(self) -> float:
        """The mean of the values, each taken to lie in the middle of its bin; 0 without values."""
        return float(self.middle @ self.count / self.count.sum()) if len(self.count) else 0.0

    @property
    def cv2(self) -> float:
        """C² of the values, each taken to lie in the middle of its bin; 0 without values.

        It is the sample variance over the square of the mean; 0 if all values are zero.
        """
        mean = self.mean
        if not mean:
            return 0.0
        return float(((self.middle / mean - 1) ** 2) @ self.count / self.count.sum())

    def quantile(self, u: float) -> float:
        """The value below which the fraction 0 <= ``u`` <= 1 lies; 0 without values.

        Within a bin values are taken to be spread evenly. Raises ValueError outside 0 to 1.
        """
        if not 0 <= u <= 1:
            raise ValueError(f"u is a fraction, from 0 to 1; it is {u}")
        if not len(self.count):
            return 0.0
        upto = np.cumsum(self.count)
        wanted = u * upto[-1]
        at = min(int(np.searchsorted(upto, wanted)), len(upto) - 1)
        inside = 1 - (upto[at] - wanted) / self.count[at]
        low, high = float(self.low[at]), float(self.high[at])
        return low if high >= LARGEST else low + float(inside) * (high - low)


def counted(row: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Each value once, in order, and its count."""
    if not len(row):
        return row, row
    low, high = float(row.min()), float(row.max())
    if high - low > 4 * len(row) or not np.array_equal(row, np.floor(row)):
        points, count = np.unique(row, return_counts=True)
        return points, count.astype(np.float64)
    # Whole numbers that are close to one another need no sorting.
    count = np.bincount((row - low).astype(np.int64))
    there = np.flatnonzero(count)
    return there.astype(np.float64) + low, count[there].astype(np.float64)
