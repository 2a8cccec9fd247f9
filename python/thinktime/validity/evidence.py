"""The input of the checks: the summary of a result, its workload and, if kept, its rows.

Tables are read when a check needs them, and only the columns that it needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from thinktime.results.early_end import ended_early
from thinktime.results.finding import NoData
from thinktime.results.remote_rows import remote_rows_of
from thinktime.validity.session_length import Stay, stays_of

if TYPE_CHECKING:
    import polars as pl

    from thinktime._core import System, Workload
    from thinktime._core_types import ArrivalsTable, PopulationTable, Summary
    from thinktime.results.result import Result
    from thinktime.results.table import Table
    from thinktime.theory.solution import Theory

THERE_AT_START = 2**40
"""Sessions that were there when a run began are numbered from here on, within their population."""

OF_POPULATION = 2**48
"""The numbers of a population's sessions lie in a range of this size."""

FEW = 0.02
"""Populations that make at most this share of the requests change no figure of all by much."""

SHOWN = ("p50", "p90", "p95", "p99", "p99.9")
"""The percentiles of a result's own table."""

OF_POINTS = ("p50", "p99")
"""The percentiles of a table of many points."""


@dataclass
class Evidence:
    """All data of one result."""

    kind: str
    """`simulate` or `run`."""

    summary: Summary
    workload: Workload
    system: System | None = None
    untrusted: str | None = None
    asked_load: float | None = None
    """The load to be held; None if none was given."""

    given_rows: Table | pl.DataFrame | Path | None = None
    """The table of rows, or its Parquet file."""

    rows_complete: bool = False
    given_series: Table | pl.DataFrame | None = None
    theory: Theory | None = None
    interrupted: bool = False
    """Whether it ended early: by Ctrl-C, or because an objective was missed."""

    percentiles: tuple[str, ...] = SHOWN
    """The percentiles that are shown if there are enough requests."""

    @cached_property
    def rows(self) -> pl.LazyFrame:
        """Every attempt of the first replication, as a lazy table.

        There may be more rows than the memory holds: collect no more than a part.

        Raises:
            NoData: if rows were not kept, or only a sample of them.
        """
        if remote_rows_of(self.summary):
            raise NoData("the rows stayed on the nodes (`thinktime collect`)")
        if self.given_rows is None:
            raise NoData("no rows were kept (`-o DIR`, `--rows all`)")
        if not self.rows_complete:
            raise NoData("only a sample of the rows was kept (`--rows all` keeps them)")
        import polars as pl

        if isinstance(self.given_rows, Path):
            rows = pl.scan_parquet(self.given_rows)
        else:
            rows = pl.DataFrame(self.given_rows).lazy()
        return rows.filter(pl.col("replication") == 0) if self.replications > 1 else rows

    @cached_property
    def rows_many(self) -> int:
        """The number of rows."""
        import polars as pl

        return int(self.rows.select(pl.len()).collect().item())

    @cached_property
    def series(self) -> pl.DataFrame:
        """The measured time interval by interval, all names together.

        Columns: `start_s`, `interval_s`, `scheduled`, `completed`, `busy_s` (the sum of the
        response times of those completed) and `in_system`.

        Raises:
            NoData: if there is no series, for example because the result was not written.
        """
        if self.given_series is None or not len(self.given_series):
            raise NoData("no series was kept (`-o DIR` keeps it)")
        import polars as pl

        table = pl.DataFrame(self.given_series)
        begin, end = self.window
        if self.replications > 1:  # the first one's, whose last interval ends early
            end = min(end, float(table["start_s"].to_numpy().max()))
        busy = (pl.col("response_mean_s").fill_null(0.0) * pl.col("completed")).alias("busy_s")
        return (
            table.with_columns(busy)
            .filter(
                (pl.col("start_s") >= begin - 1e-9)
                & (pl.col("start_s") + pl.col("interval_s") <= end + 1e-9)
            )
            .group_by("start_s", maintain_order=True)
            .agg(
                pl.col("interval_s").first(),
                pl.col("scheduled", "completed", "busy_s", "in_system").sum(),
            )
            .sort("start_s")
        )

    @cached_property
    def populations(self) -> list[PopulationTable]:
        """The tables of each population."""
        return [one.table for one in self.workload.populations]

    @property
    def arrivals(self) -> list[ArrivalsTable]:
        """The table `arrivals` of each population."""
        return [one["arrivals"] for one in self.populations]

    @property
    def is_steady_by_plan(self) -> bool:
        """Whether the workload is the same at any time: no profile and no trace.

        Those of populations that make few of the requests do not matter.
        """
        changing = [
            one["profile"] != "constant" or one["process"].startswith("trace")
            for one in self.arrivals
        ]
        return self.share_of(changing) <= FEW

    def share_of(self, chosen: Sequence[bool]) -> float:
        """The share of requests that some of the populations make, in the order of `populations`.

        It is 1 if any is chosen and the requests of each are not known.
        """
        parts = self.summary.get("by_population")
        if not any(chosen) or not parts:
            return float(any(chosen))
        requests = [float(parts[one["name"]]["requests"]) for one in self.populations]
        found = sum(own for own, taken in zip(requests, chosen, strict=True) if taken)
        return found / max(sum(requests), 1.0)

    @property
    def stays(self) -> tuple[Stay, ...]:
        """The lengths of sessions, as far as they are known."""
        return stays_of(self.workload)

    @property
    def page_companions(self) -> float:
        """E[N²] / E[N] of the requests of a page, its base included: the most of all pages.

        It is 1 without pages. A page's requests come together: the variance of their number is
        this many times that of requests that come by themselves.
        """
        from thinktime._core import Distribution

        pages = [kind["objects"] for one in self.populations for kind in one["request"]]
        laws = [Distribution(str(one["count"])) for one in pages if one is not None]
        return max(
            (1.0 + (law.mean + law.second_moment) / (1.0 + law.mean) for law in laws), default=1.0
        )

    @property
    def has_waited(self) -> bool:
        """Whether requests waited at their clients, for a place or a connection."""
        return self._waiting("max") > 0

    @property
    def waited_mean_s(self) -> float:
        """The mean of that wait."""
        return self._waiting("mean")

    def _waiting(self, figure: Literal["mean", "max"]) -> float:
        times = self.summary.get("waiting_s")
        return 0.0 if times is None else times[figure] or 0.0

    def with_planned_times(self) -> None:
        """Check that rows give the planned times of requests.

        Raises:
            NoData: if requests waited for a place or a connection: their rows then begin after the
                wait, which only the response times of the summary include.
        """
        if self.has_waited:
            raise NoData("requests waited for a place or a connection, and rows begin after that")

    @property
    def window(self) -> tuple[float, float]:
        """Start and end of the measured time of a replication, in seconds: the mean of several."""
        begin = float(self.summary.get("warmup_s") or 0.0)
        length = float(self.summary.get("duration_s") or 0.0) / self.replications
        return begin, begin + length

    @cached_property
    def rows_end_s(self) -> float:
        """The end of the replication whose rows were kept, in seconds.

        One of several replications ends sooner or later than their mean: with its last request.

        Raises:
            NoData: as `rows` does, if there are several.
        """
        if self.replications == 1:
            return self.window[1]
        import polars as pl

        last_ns = self.rows.select(pl.col("scheduled_ns").max()).collect().item()
        return float(last_ns or 0) * 1e-9

    @property
    def replications(self) -> int:
        """The number of independent simulations."""
        return max(len(self.summary.get("replication_means_s") or []), 1)

    @property
    def mean_s(self) -> float | None:
        """The mean response time."""
        found = (self.summary.get("response_time_s") or {}).get("mean")
        return None if found is None else float(found)

    @property
    def succeeded(self) -> int:
        """The counted requests that have a response time."""
        return int(self.summary.get("requests") or 0) - int(self.summary.get("errors") or 0)


_WRITTEN = "requests.parquet"


def of_result(result: Result, percentiles: tuple[str, ...] = SHOWN) -> Evidence:
    """The evidence of a result; its tables are read when they are needed."""
    asked = (result._outcome.options or {}).get("load")
    file = None if result.path is None else result.path / _WRITTEN
    rows = file if file is not None and file.exists() else result.requests
    return Evidence(
        kind=result.kind,
        summary=result.summary,
        workload=result.workload,
        system=result.system,
        untrusted=result.untrusted,
        asked_load=None if asked is None else float(asked),
        given_rows=rows,
        rows_complete=result.rows_complete,
        # Without rows no tables were kept; importing a library of tables takes long.
        given_series=result.series if result.kind == "run" or rows is not None else None,
        theory=result.theory if result.kind == "simulate" else None,
        interrupted=result.interrupted or ended_early(result.summary),
        percentiles=percentiles,
    )
