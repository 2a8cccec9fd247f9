"""A stretch of requests: the common form of the log and of the learned workload."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Stream:
    """Requests in the order of their arrival. All arrays have one entry a request."""

    length_s: float
    """The length of the stretch; arrivals lie in [0, length_s)."""

    arrival_s: FloatArray
    kind: IntArray
    """A number for each kind of request, the same in the log and in the learned workload."""

    demand_s: FloatArray
    """The work that the request brings to the server, in seconds."""

    target: IntArray
    """A number for the target; numbers of one stretch mean nothing in another."""

    bytes: IntArray
    """The size of the target, at least 1."""

    begins: NDArray[np.bool_]
    """Whether a session begins with it."""

    def __len__(self) -> int:
        return len(self.arrival_s)

    def with_demands(self, demand_s: FloatArray) -> Stream:
        """The same requests with other demands."""
        return replace(self, demand_s=demand_s)


def spread(times: FloatArray, step_s: float, draw: np.random.Generator) -> FloatArray:
    """Times as a log with such stamps would have them, at random within their step, in order.

    Both sides are treated alike: neither is blamed for detail that a coarse clock loses.
    """
    stamps = np.floor(times / step_s + 1e-9) * step_s
    stamps.sort()
    # A later sort keeps the order of the stamps: no time leaves its step.
    return np.sort(stamps + step_s * draw.random(len(stamps)))


def dealt(values: FloatArray, count: int, draw: np.random.Generator) -> FloatArray:
    """Values by the law of these, each as often as it occurs, as far as possible.

    The count-th parts of the sorted values are shuffled. That has less chance in it than drawing: a
    single value that makes a queue is neither drawn twice nor missed.
    """
    if not len(values):
        return np.zeros(count)
    place = (draw.permutation(count) + draw.random(count)) / max(count, 1)
    return np.asarray(np.sort(values)[(place * len(values)).astype(np.int64)], np.float64)


def dealt_by_kind(kind: IntArray, of: Stream, draw: np.random.Generator) -> FloatArray:
    """A demand for each of these kinds by the law that they have in a stretch.

    Other kinds get a demand by the law of all.
    """
    known = np.sort(of.kind, kind="stable")
    by_kind = of.demand_s[np.argsort(of.kind, kind="stable")]
    demands = np.empty(len(kind))
    order = np.argsort(kind, kind="stable")
    numbers, first = np.unique(kind[order], return_index=True)
    for number, places in zip(numbers, np.split(order, first[1:]), strict=False):
        low, high = np.searchsorted(known, [number, number + 1])
        values = by_kind[low:high] if high > low else of.demand_s
        demands[places] = dealt(values, len(places), draw)
    return demands
