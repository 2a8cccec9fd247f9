"""Figures of rows, the same for both implementations, and whether they agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import stats

from .users import Row

COLUMNS = {
    "population": pl.String,
    "session": pl.UInt64,
    "request": pl.UInt32,
    "name": pl.String,
    "page": pl.UInt32,
    "scheduled_ns": pl.Int64,
    "done_ns": pl.Int64,
    "demand_ns": pl.Int64,
}
OBSERVATIONS_MIN = 15
"""A figure of fewer observations in any replication is not compared."""
FALSE_ALARM = 1e-7
"""The threshold of one comparison, if means over replications were normal."""


def frame(replications: Iterable[Sequence[Row]]) -> pl.DataFrame:
    """The rows of several replications."""
    tables = [
        pl.DataFrame(rows, schema=COLUMNS, orient="row").with_columns(
            pl.lit(number, pl.UInt32).alias("replication")
        )
        for number, rows in enumerate(replications)
    ]
    return pl.concat(tables)


def frame_of(rows: object) -> pl.DataFrame:
    """The same for the rows of `thinktime.simulate`."""
    table = pl.DataFrame(rows).with_columns(
        pl.col("name").cast(pl.String),
        pl.col("population").cast(pl.String).fill_null("")
        if "population" in pl.DataFrame(rows).columns
        else pl.lit("").alias("population"),
        (pl.col("demand_s") * 1e9).round().cast(pl.Int64).alias("demand_ns"),
    )
    if "page" not in table.columns:
        table = table.with_columns(pl.lit(None, pl.UInt32).alias("page"))
    return table.select(*COLUMNS, pl.col("replication").cast(pl.UInt32))


def pages(rows: pl.DataFrame, until_ns: int) -> pl.DataFrame:
    """The pages that are known to be over: a next object would have been requested by now."""
    scheduled, done = pl.col("scheduled_ns").min(), pl.col("done_ns").max()
    keys = ["replication", "population", "session", "page"]
    found = rows.filter(pl.col("page").is_not_null()).group_by(keys)
    table = found.agg(
        scheduled_ns=scheduled,
        done_ns=done,
        objects=pl.len().cast(pl.Float64) - 1,
        base=pl.col("name").sort_by("request").first(),
    )
    return table.filter(pl.col("done_ns") < until_ns)


def with_gaps(rows: pl.DataFrame) -> pl.DataFrame:
    """With the time from the end of each request to its session's next one, perhaps negative."""
    session = ["replication", "population", "session"]
    follows = pl.col("scheduled_ns").shift(-1).over(session)
    return rows.sort(*session, "request").with_columns(gap_ns=follows - pl.col("done_ns"))


def _figures(table: pl.DataFrame, keys: list[str], until_ns: int, what: str) -> pl.DataFrame:
    response_s = (pl.col("done_ns") - pl.col("scheduled_ns")) * 1e-9
    more = {"objects": pl.col("objects").mean()} if "objects" in table.columns else {}
    if "demand_ns" in table.columns:
        more["gap"] = pl.col("gap_ns").mean() * 1e-9
        more["work"] = pl.col("demand_ns").sum() / until_ns
        more["sessions"] = pl.struct("population", "session").n_unique().cast(pl.Float64)
        more["throughput"] = (pl.col("done_ns") < until_ns).sum() * 1e9 / until_ns
    wide = table.group_by("replication", *keys).agg(
        observed=pl.len(),
        number=pl.len().cast(pl.Float64),
        mean=response_s.mean(),
        p90=response_s.quantile(0.9),
        **more,
    )
    name = pl.concat_str([pl.lit(what), *(pl.col(key) for key in keys)], separator=" ")
    named = wide.with_columns(of=name)
    return named.unpivot(
        index=["replication", "of", "observed"],
        on=["number", "mean", "p90", *more],
        variable_name="figure",
    )


def figures(rows: pl.DataFrame, until_ns: int) -> dict[tuple[str, str], np.ndarray]:
    """By (subject, its name) the figures of the replications, if all have them."""
    over = pages(rows, until_ns)
    rows = with_gaps(rows)
    tables = [_figures(rows, [], until_ns, "all")]
    for keys in (["population"], ["population", "name"]):
        tables.append(_figures(rows, keys, until_ns, "requests of"))
    for keys in (["population"], ["population", "base"]) if over.height else ():
        tables.append(_figures(over, keys, until_ns, "pages of"))
    replications = rows["replication"].n_unique()
    found = {}
    for (of, figure), table in pl.concat(tables).group_by("of", "figure"):
        complete = table.height == replications and table["value"].null_count() == 0
        if complete and table["observed"].min() >= OBSERVATIONS_MIN:
            found[str(of), str(figure)] = table.sort("replication")["value"].to_numpy()
    return found


@dataclass(frozen=True)
class Comparison:
    """The difference of one figure's means in both implementations."""

    of: str
    figure: str
    mine: float
    its: float
    z: float
    """As a normal variate: the quantile of Welch's t."""

    @property
    def agrees(self) -> bool:
        return abs(self.z) < stats.norm.isf(FALSE_ALARM / 2)

    def __str__(self) -> str:
        return f"{self.of}, {self.figure}: {self.its:.6g}, second {self.mine:.6g} (z {self.z:.1f})"


def compare(
    its: dict[tuple[str, str], np.ndarray], mine: dict[tuple[str, str], np.ndarray]
) -> list[Comparison]:
    """Welch's t of all figures that both have."""
    found = []
    for key in sorted(its.keys() & mine.keys()):
        one, other = its[key], mine[key]
        z = _z(one, other)
        found.append(Comparison(*key, float(other.mean()), float(one.mean()), z))
    return found


def _z(one: np.ndarray, other: np.ndarray) -> float:
    apart = float(one.mean() - other.mean())
    if np.ptp(one) == np.ptp(other) == 0:
        return 0.0 if math.isclose(one[0], other[0], rel_tol=1e-9) else math.inf
    test = stats.ttest_ind(one, other, equal_var=False)
    return math.copysign(float(stats.norm.isf(max(test.pvalue, 1e-300) / 2)), apart)
