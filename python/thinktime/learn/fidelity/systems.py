"""The fixed set of systems, and the figures of a stretch of requests on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from thinktime import _core
from thinktime.learn.fidelity.stream import FloatArray, IntArray, Stream

POLICIES = ("fcfs", "ps", "srpt")
CACHES = (0.01, 0.05, 0.2)
"""Sizes of the caches, as shares of the bytes of all the log's targets."""

SPARSE = 8
"""Numbers of targets up to this multiple of the requests are used directly."""

LRU = "lru"
SIZES = tuple(f"{LRU}_{share * 100:.0f}" for share in CACHES)
PEAKS_S = {"peak_1s": 1.0, "peak_10s": 10.0, "peak_1min": 60.0}


@dataclass(frozen=True)
class Caches:
    """Caches of these numbers of bytes."""

    bytes: tuple[int, ...]

    @classmethod
    def of(cls, log: Stream) -> Caches:
        """The caches for a log: shares of the bytes of all its targets."""
        first = np.unique(log.target, return_index=True)[1]
        total = int(log.bytes[first].sum())
        return cls(tuple(max(1, round(share * total)) for share in CACHES))

    def hit_ratios(self, target: IntArray, size: IntArray) -> list[float]:
        """The hit ratio of an LRU cache of each size, which begins empty."""
        numbers = target
        if len(target) and target.max() > SPARSE * len(target):
            numbers = np.unique(target, return_inverse=True)[1]
        table = pl.DataFrame({"target": numbers, "size": size})
        table = table.cast({"target": pl.UInt32, "size": pl.UInt64})
        return _core.lru_hit_ratios(table, list(self.bytes))


def response_times(policy: str, arrival_s: FloatArray, demand_s: FloatArray) -> FloatArray:
    """The response time of each request at one server, in seconds; arrivals must not fall."""
    nanos = {"arrival_ns": arrival_s, "demand_ns": demand_s}
    table = pl.DataFrame({name: np.rint(of * 1e9).astype(np.int64) for name, of in nanos.items()})
    found = pl.DataFrame(_core.response_times(policy, table))["response_ns"].to_numpy()
    return np.asarray(found * 1e-9, np.float64)


def queue_figures(policy: str, stream: Stream) -> dict[str, float]:
    """`mean` and `p99` of the response time under a policy, in seconds."""
    times = response_times(policy, stream.arrival_s, stream.demand_s)
    if not len(times):
        return {"mean": 0.0, "p99": 0.0}
    return {"mean": float(times.mean()), "p99": float(np.quantile(times, 0.99))}


def peak(arrival_s: FloatArray, width_s: float) -> float:
    """The most requests within this time, wherever it begins."""
    if not len(arrival_s):
        return 0.0
    after = np.searchsorted(arrival_s, arrival_s + width_s)
    return float((after - np.arange(len(arrival_s))).max())


def figures(stream: Stream, caches: Caches) -> dict[str, float]:
    """All figures of a stretch of requests by name."""
    length = stream.length_s
    found = {
        "requests_per_s": len(stream) / length,
        "sessions_per_s": float(stream.begins.sum()) / length,
        "load": float(stream.demand_s.sum()) / length,
    }
    found |= {name: peak(stream.arrival_s, width) for name, width in PEAKS_S.items()}
    for policy in POLICIES:
        times = queue_figures(policy, stream)
        found |= {f"{policy}_{name}": value for name, value in times.items()}
    ratios = caches.hit_ratios(stream.target, stream.bytes)
    return found | dict(zip(SIZES, ratios, strict=True))
