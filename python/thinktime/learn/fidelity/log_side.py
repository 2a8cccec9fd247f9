"""The log's side: its busiest hour as a stretch of requests with demands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime.candidates.visits import Visits
from thinktime.learn.fidelity.stream import FloatArray, IntArray, Stream, dealt, spread
from thinktime.learn.logs.requests import Requests

HOUR_S = 3600.0
MOST = 60_000
"""Requests of a stretch at most; of a busier hour its middle is taken."""

BEGINS = 20_000
"""The number of possible beginnings of the busiest hour, evenly spread among the requests."""

LOAD = 0.8
FEW_FOUND = 0.25
"""Demands are the durations of requests that found no more others than this share of all did."""

CROWDED = 1.1
"""Durations in crowds must be this much longer on average for crowds to matter."""

ENOUGH = 30
"""The number of durations of a kind that make its law."""

VARIED = 0.5
"""Sizes are not those of targets if at least this share of their variance lies within targets."""


@dataclass(frozen=True)
class Demands:
    """The source of demands."""

    source: str
    """`durations`, `sizes`, `varied sizes` (which differ from answer to answer of one
    target), or `equal`."""

    scale: float
    """The factor that brings the source's values to a load of 0.8."""


@dataclass(frozen=True)
class LogSide:
    """The busiest hour of a log, or the compared part of it."""

    stream: Stream
    begin_s: float
    """Its beginning, in seconds after the log's first request."""

    demands: Demands
    durations_s: list[FloatArray]
    """The logged durations by kind, in rising order; empty if they are not logged."""

    step_s: float
    """The steps of the log's stamps."""


def window_of(times: FloatArray, span_s: float) -> tuple[float, float]:
    """Beginning and length of the busiest hour, or of its middle if it has too many requests."""
    length = min(HOUR_S, span_s)
    if not len(times):
        return 0.0, length
    last = max(float(times[-1]) + 1e-9, length)
    upto = np.searchsorted(times, last - length + 1e-9, side="right")
    begins = times[:upto] if length < span_s else times[:1]
    begins = (begins if len(begins) else times[:1])[:: max(1, len(begins) // BEGINS)]
    counts = np.searchsorted(times, begins + length) - np.searchsorted(times, begins)
    busiest = int(np.argmax(counts))
    begin, count = float(begins[busiest]), int(counts[busiest])
    if count > MOST:
        shorter = length * MOST / count
        begin, length = begin + (length - shorter) / 2, shorter
    return begin, length


def log_side(
    requests: Requests,
    kind: NDArray[np.integer],
    begins: NDArray[np.bool_],
    seed: int = 1,
) -> LogSide:
    """The busiest hour of a log.

    Args:
        requests: The log.
        kind: The kind of each request, a number from 0.
        begins: Which requests begin a session.
        seed: The seed for the places of coarse stamps within their steps.
    """
    draw = np.random.default_rng(seed)
    rows = requests.rows
    times = (rows["time_ns"].to_numpy() - rows["time_ns"][0]) * 1e-9
    begin, length = window_of(times, requests.span_s)
    low, high = np.searchsorted(times, [begin, begin + length])
    part = rows[int(low) : int(high)]
    inside = times[low:high] - begin
    del times
    arrival, order = _placed(part, inside, requests.resolution_s, draw)
    part, begins = part[order], begins[low:high][order]
    of_row = kind[low:high][order].astype(np.int64)
    demand, source = _demands(part, arrival, of_row, draw)
    total = float(demand.sum())
    scale = LOAD * length / total if total > 0 else 0.0
    stream = Stream(
        length, np.clip(arrival, 0, length), of_row, demand * scale,
        part["path"].to_numpy().astype(np.int64), _bytes(part), begins,
    )  # fmt: skip
    return LogSide(stream, begin, Demands(source, scale), _durations(part, of_row),
                  requests.resolution_s)  # fmt: skip


def _placed(
    part: pl.DataFrame, times: FloatArray, step_s: float, draw: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """The times of the requests, at random within the steps of their stamps; and their order.

    If a stamp is an end minus a duration, the end is at random within its step. The stamps of one
    step are then ordered by duration, the longest first.
    """
    step_ns = max(round(step_s * 1e9), 1)
    if not (part["time_ns"].to_numpy() % step_ns).any():
        return spread(times, step_s, draw), np.arange(len(times))
    arrival = times + step_s * draw.random(len(times))
    order = np.argsort(arrival, kind="stable")
    return arrival[order], order


def _bytes(part: pl.DataFrame) -> IntArray:
    """The size of each request's target: the mean of the responses that have a body."""
    size = pl.col("bytes").replace(0, None)
    found = part.select(size.mean().over("path").fill_null(1.0).round())
    return np.asarray(np.maximum(found["bytes"].to_numpy(), 1), np.int64)


def _durations(part: pl.DataFrame, kind: IntArray) -> list[FloatArray]:
    took = part["duration_us"].cast(pl.Float64).to_numpy() * 1e-6
    kinds = int(kind.max(initial=-1)) + 1
    order = np.lexsort((took, kind))
    ends = np.searchsorted(kind[order], np.arange(1, kinds))
    return [each[np.isfinite(each)] for each in np.split(took[order], ends)] if kinds else []


def _demands(
    part: pl.DataFrame, times: FloatArray, kind: IntArray, draw: np.random.Generator
) -> tuple[FloatArray, str]:
    """A demand for each request, in any unit, and the source of demands."""
    took = part["duration_us"].cast(pl.Float64).to_numpy() * 1e-6
    if np.isfinite(took).any() and float(np.nansum(took)) > 0:
        return _uncrowded(times, took, kind, draw), "durations"
    size = part["bytes"].cast(pl.Float64).fill_null(0.0).to_numpy()
    if size.sum() > 0:
        return size, "varied sizes" if _varies_within(part) > VARIED else "sizes"
    return np.ones(len(part)), "equal"


def _varies_within(part: pl.DataFrame) -> float:
    """The share of the variance of log sizes within targets; 0 if no target came twice.

    Each target that came k times gives k - 1 degrees of freedom, so that few visits do not make
    sizes seem constant.
    """
    size = pl.col("bytes").cast(pl.Float64).log()
    found = part.filter(pl.col("bytes") > 0, pl.col("status") // 100 == 2).select("path", size)
    within = found.select(pl.col("bytes") - pl.col("bytes").mean().over("path")).to_series()
    free = len(found) - found["path"].n_unique()
    whole = found["bytes"].var()
    if free == 0 or not isinstance(whole, float) or whole == 0:
        return 0.0
    return float((within**2).sum()) / free / whole


def _uncrowded(
    times: FloatArray, took: FloatArray, kind: IntArray, draw: np.random.Generator
) -> FloatArray:
    """Durations of requests that found few others; other requests get one of these by kind.

    A duration in a crowd includes waiting, which would be counted twice in a simulated queue. If
    crowds make no difference, all durations stay as they are.
    """
    filled = np.nan_to_num(took)
    found = Visits.served(times, times + filled).found
    quiet = (found <= np.quantile(found, FEW_FOUND)) & np.isfinite(took)
    demand = np.where(quiet, filled, np.nan)
    order = np.argsort(kind, kind="stable")
    _, first = np.unique(kind[order], return_index=True)
    for places in np.split(order, first[1:]):
        own = demand[places]
        missing = np.isnan(own)
        known = own[~missing]
        if len(known) < ENOUGH:
            known = took[places][np.isfinite(took[places])]
        demand[places[missing]] = dealt(known, int(missing.sum()), draw)
    idle = filled.sum() <= CROWDED * demand[np.isfinite(took)].sum()
    return np.where(np.isfinite(took), took, demand) if idle else demand
