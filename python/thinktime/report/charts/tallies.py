"""Events in intervals of time, from rows: by request name, population and cause.

Every attempt is in a tally: one pass over the rows, which keeps only sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from thinktime.report.attempts import Rows
from thinktime.report.case import Entry
from thinktime.report.charts import panels
from thinktime.theory.law import FloatArray

INTERVALS_MAX, INTERVALS_LEAST = 240, 40
"""Intervals of all cases' curves together, and at least of one."""

CURVES_MAX = 8
"""The number of distinguishable colours."""

_NS = 1e9


@dataclass(frozen=True)
class OverTime:
    """Figures of a group of attempts, in intervals of one length."""

    edges_s: FloatArray
    """The bounds of the intervals."""

    completed: FloatArray
    """The number of successes in each, by their ends."""

    failed: FloatArray
    in_system: FloatArray
    """The number in the system at the end of each."""

    late_mean_s: FloatArray
    """The mean of sent minus scheduled, by the scheduled time; NaN if none was sent."""

    late_most_s: FloatArray

    @property
    def interval_s(self) -> float:
        """The length of each interval."""
        return float(self.edges_s[1] - self.edges_s[0])


def interval_of(until_s: float, cases: int) -> float:
    """The length of intervals that keeps a page of many cases small."""
    return panels.interval_for(until_s, max(INTERVALS_MAX // cases, INTERVALS_LEAST))


def tally(entry: Entry, until_s: float, interval_s: float) -> pl.DataFrame | None:
    """Sums of the attempts of the first replication; None if no rows were kept.

    Columns: `name`, `population` and `cause` (null for a success); `begun` and `over`, the numbers
    of the intervals in which attempts were scheduled and over, null if one never was; `many`;
    `late_s` and `late_most_s`, the sum and the greatest of sent minus scheduled, of those `sent`.
    """
    rows = entry.rows
    if rows is None or not until_s > 0:
        return None
    key = (until_s, interval_s)
    if key not in rows.found:
        several = len(entry.result.summary.get("replication_means_s") or []) > 1
        rows.found[key] = _tally(rows, until_s, interval_s, several=several)
    return rows.found[key]


def _tally(rows: Rows, until_s: float, interval_s: float, *, several: bool) -> pl.DataFrame:
    has = set(rows.table.collect_schema().names())
    width = round(interval_s * _NS)

    def place(name: str) -> pl.Expr:
        return (pl.col(name) // width).cast(pl.Int32)

    sent = pl.col("sent_ns") if "sent_ns" in has else pl.lit(None, pl.Int64)
    late = (sent - pl.col("scheduled_ns")).alias("late")
    words = [one for one in ("name", "population", "error", "status") if one in has]
    intervals = [place("scheduled_ns").alias("begun"), place("done_ns").alias("over")]
    keys = ["name", "population", "cause", "begun", "over"]

    def query(table: pl.LazyFrame) -> pl.LazyFrame:
        # An attempt that began later is over later.
        drawn = table.filter(pl.col("scheduled_ns") <= round(until_s * _NS))
        if several and "replication" in has:
            drawn = drawn.filter(pl.col("replication") == 0)
        # Rows are grouped by their own columns, and words are made of the few groups.
        grouped = drawn.select(*words, *intervals, late).group_by(*words, "begun", "over")
        summed = grouped.agg(
            many=pl.len(), late=pl.col("late").sum(), most=pl.col("late").max(),
            sent=pl.col("late").count(),
        )  # fmt: skip
        named = [_word(name, has) for name in ("name", "population")]
        by_cause = summed.with_columns(*named, cause=_cause(has)).group_by(keys)
        return by_cause.agg(
            many=pl.col("many").sum(), late_s=pl.col("late").sum() / _NS,
            late_most_s=pl.col("most").max() / _NS, sent=pl.col("sent").sum(),
        )  # fmt: skip

    # The same rows give the same table, in any order of summation.
    return rows.summed(query).sort(keys)


def _word(name: str, has: set[str]) -> pl.Expr:
    return (pl.col(name) if name in has else pl.lit(None)).cast(pl.String).alias(name)


def _cause(has: set[str]) -> pl.Expr:
    """The cause as in the table of failures: `timeout`, `status 404`."""
    if "error" not in has:
        return pl.lit(None, pl.String)
    error = pl.col("error").cast(pl.String)
    if "status" not in has:
        return error
    status = pl.concat_str(pl.lit("status "), pl.col("status").cast(pl.String))
    by_status = (error == "status") & pl.col("status").is_not_null()
    return pl.when(by_status).then(status).otherwise(error)


def over_time(tallied: pl.DataFrame, until_s: float, interval_s: float) -> OverTime | None:
    """Figures of all attempts of a tally, or of a part of it; None before an interval is over."""
    whole = int(until_s / interval_s + 1e-9)
    if whole < 1:
        return None
    begun, over = (tallied[name].to_numpy() for name in ("begun", "over"))
    many = tallied["many"].to_numpy().astype(float)
    ended = tallied["over"].is_not_null().to_numpy()
    well = ended & tallied["cause"].is_null().to_numpy()
    came, left = _sum(begun, many, whole), _sum(over[ended], many[ended], whole)
    sent = _sum(begun, tallied["sent"].to_numpy().astype(float), whole)
    late_s = _sum(begun, tallied["late_s"].fill_null(0.0).to_numpy(), whole)
    most = np.full(whole + 1, np.nan)
    np.fmax.at(most, np.minimum(begun, whole), tallied["late_most_s"].to_numpy().astype(float))
    completed = _sum(over[well], many[well], whole)
    return OverTime(
        edges_s=np.linspace(0.0, whole * interval_s, whole + 1),
        completed=completed,
        failed=left - completed,
        in_system=np.cumsum(came) - np.cumsum(left),
        late_mean_s=np.where(sent > 0, late_s / np.maximum(sent, 1.0), np.nan),
        late_most_s=most[:whole],
    )


def _sum(places: FloatArray, values: FloatArray, whole: int) -> FloatArray:
    """The sum of values in each interval; values beyond the last whole one are left out."""
    at = np.minimum(places.astype(np.int64), whole)
    return np.bincount(at, values, minlength=whole + 1)[:whole].astype(np.float64)


def most_frequent(tallied: pl.DataFrame, column: str, order: Sequence[str]) -> list[str]:
    """The most common values of a column, as many as are distinguishable.

    Those of the given order come first, then the others by their number of attempts.
    """
    counted = (
        tallied.filter(pl.col(column).is_not_null())
        .group_by(column)
        .agg(pl.col("many").sum())
        .sort(["many", column], descending=[True, False])
    )
    found: list[str] = counted[column].to_list()[:CURVES_MAX]
    places = {name: place for place, name in enumerate(order)}
    return sorted(found, key=lambda name: (places.get(name, len(places)), found.index(name)))
