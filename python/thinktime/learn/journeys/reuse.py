"""How soon a thing is requested again, compared with independent draws.

Consider the same requests in a random order. A request for a path with c of the n requests has none
of the others among the w before it with the probability (1 - w / n)^(c - 1).

Source: Almeida, Bestavros, Crovella and de Oliveira, 'Characterizing reference locality in the WWW'
(Parallel and Distributed Information Systems, 1996).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime import _core

WINDOWS = (10, 100, 1_000, 10_000)
"""Requests back."""


@dataclass(frozen=True)
class Reuse:
    """How soon a thing is requested again."""

    windows: tuple[int, ...]
    """The windows, in requests back."""

    seen: tuple[float, ...]
    """The share of requests whose path was also requested within each window before."""

    independent: tuple[float, ...]
    """The share in a random order of the same requests."""

    @property
    def off(self) -> float:
        """The largest difference of both: the part that independent draws fail to show."""
        return max(
            (abs(one - other) for one, other in zip(self.seen, self.independent, strict=True)),
            default=0.0,
        )


def find_reuse(path: NDArray[np.uint32], counted: NDArray[np.bool_]) -> Reuse:
    """Measure on paths in the order of time; windows up to the tenth of the requests that count."""
    count = int(np.count_nonzero(counted))
    windows = tuple(window for window in WINDOWS if window <= count / 10)
    if not windows:
        return Reuse((), (), ())
    table = pl.DataFrame({"path": path, "counted": counted})
    found, many_of = _core.asked_again(table, int(path.max()) + 1, windows)
    many = np.array(many_of)
    times = np.flatnonzero(many[1:]) + 1
    many, times = many[times], times.astype(np.float64)
    seen, independent = [], []
    for window, again in zip(windows, found, strict=True):
        seen.append(again / count)
        none = np.exp((times - 1) * np.log1p(-window / count))
        independent.append(float(np.sum(many * times * (1 - none))) / count)
    return Reuse(windows, tuple(seen), tuple(independent))
