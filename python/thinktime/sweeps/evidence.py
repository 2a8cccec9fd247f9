"""Data of a point whose dispatch policy is compared with others, computed from its rows.

*Heavy* requests are those with the largest demands that together bring half of all demand. A
request of the slowest hundredth *queued behind* heavy ones if it found one in progress at its
server and then waited for longer than its own demand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thinktime.comparison.estimate import Estimate, estimates_of
from thinktime.comparison.requests import pages_of, requests_of

if TYPE_CHECKING:
    import polars as pl

    from thinktime import Result

FIGURES = ("mean", "p99", "p90", "errors")
"""The figures by which policies are compared."""

_HEAVY = 0.5
_TAIL = 0.01
_SERVER = r"^(.+?/\d+)/"


def evidence(result: Result) -> dict[str, Any]:
    """`behind_heavy` and `estimates`; empty if the result keeps no rows."""
    import polars as pl

    requests = requests_of(result)
    if requests is None:
        return {}
    estimates = estimates_of(requests)
    found = {name: _kept(estimates[name]) for name in FIGURES}
    pages = pages_of(result)
    if pages is not None:
        of_pages = estimates_of(pages)
        found |= {f"page {name}": _kept(of_pages[name]) for name in FIGURES}
    rows = pl.DataFrame(result.requests) if result.rows_complete else None
    warmup_s = float(result.summary.get("warmup_s") or 0.0)
    behind = None if rows is None else behind_heavy(rows, warmup_s)
    return {"behind_heavy": behind, "estimates": found}


def behind_heavy(rows: pl.DataFrame, warmup_s: float = 0.0) -> float | None:
    """The part of the slowest hundredth of successful requests that queued behind heavy ones.

    Requests that began in the warm-up are not counted, but others may queue behind them. None if no
    request has its server and its demand in its row.
    """
    import polars as pl

    rows = rows.filter(pl.col("error").is_null(), pl.col("done_ns").is_not_null())
    rows = rows.select(
        "replication",
        "demand_s",
        server=pl.col("station").cast(pl.String).str.extract(_SERVER),
        began=pl.col("sent_ns"),
        ended=pl.col("done_ns"),
        waited=(pl.col("done_ns") - pl.col("sent_ns")) * 1e-9 - pl.col("demand_s"),
    ).drop_nulls()
    if rows.is_empty():
        return None
    counted = pl.col("began") >= warmup_s * 1e9
    took = pl.col("ended") - pl.col("began")
    demand = np.sort(rows["demand_s"].to_numpy())[::-1]
    heavy_at = demand[np.searchsorted(np.cumsum(demand), _HEAVY * demand.sum())]
    slowest = rows.filter(counted).select(took.quantile(1 - _TAIL, "higher")).item()
    if slowest is None:
        return None
    tail = behind = 0
    for _, there in rows.group_by("replication", "server"):
        heavy = there.filter(pl.col("demand_s") >= heavy_at)
        slow = there.filter(counted, took >= slowest)
        waited = (slow["waited"] > slow["demand_s"]).to_numpy()
        tail += slow.height
        behind += int((waited & (_in_progress(heavy, slow["began"].to_numpy()) > 0)).sum())
    return behind / tail


def _in_progress(heavy: pl.DataFrame, at: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many of these requests began before each of these times and ended after it."""
    begun = np.searchsorted(np.sort(heavy["began"].to_numpy()), at, side="left")
    over = np.searchsorted(np.sort(heavy["ended"].to_numpy()), at, side="right")
    return np.asarray(begun - over)


def _kept(one: object) -> dict[str, Any] | None:
    """The stored form of an estimate; None if there is none."""
    if not isinstance(one, Estimate) or one.sections is None:
        return None
    return {
        "value": one.value, "low": one.low, "high": one.high, "sections": one.sections.tolist(),
    }  # fmt: skip
