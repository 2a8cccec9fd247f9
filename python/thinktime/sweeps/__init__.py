"""Sweeps: the same simulation or run over ranges of any keys, on all cores.

import thinktime as tt
from thinktime.sweeps import sweep

table = sweep("shop.toml", "server.toml", ["load=0.1..0.9/9", "station.server.policy=fcfs,ps"])
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime import _core
from thinktime.inputs.arguments import checked
from thinktime.inputs.files import GivenSystem, GivenWorkload
from thinktime.operations.outcome import Unwritten
from thinktime.results import objective_words, origin_line
from thinktime.results.files import check_place, why_unwritten, write_table
from thinktime.sweeps.grid import Axis, axes_of, parse, points
from thinktime.sweeps.plan import Plan
from thinktime.sweeps.row import row_of, table_of
from thinktime.trials import Row, Store, Trial, all_done

if TYPE_CHECKING:
    import polars as pl

    from thinktime.sweeps.curves import SweepCurves

__all__ = ["Axis", "Stopped", "parse", "sweep"]

RESULTS = "results.parquet"
PAGE = "sweep.html"
POINTS = "points"
MONITORED_S = 0.5
"""The time between two tables that `monitor` receives during a sweep."""


class _TableTimer:
    """Says once every `MONITORED_S` that a table is due."""

    _next_s = 0.0

    def now(self) -> bool:
        """Whether a table is due."""
        now_s = time.monotonic()
        is_time = now_s >= self._next_s
        self._next_s = now_s + MONITORED_S if is_time else self._next_s
        return is_time


class Stopped(KeyboardInterrupt):
    """Ctrl-C ended a sweep.

    Attributes:
        table: The finished points.
        missing: The number of points that are not finished.
        unwritten: Why the table could not be written; empty if it could.
    """

    def __init__(self, table: pl.DataFrame, missing: int, unwritten: str = "") -> None:
        """Keep the finished points."""
        super().__init__("interrupted")
        self.table = table
        self.missing = missing
        self.unwritten = unwritten


@checked
def sweep(
    workload: GivenWorkload,
    system: GivenSystem | None,
    vary: Mapping[str, str | Sequence[object]] | Sequence[str | Axis],
    *,
    target: str | None = None,
    on: str | None = None,
    output: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    monitor: Callable[[pl.DataFrame, int], None] | None = None,
    **options: Any,
) -> pl.DataFrame:
    """Simulate, or run against `target`, at every point of the grid that `vary` spans.

    Args:
        workload: A workload, the path of its file, or its content as a dict.
        system: A system, the path of its file, or its content as a dict; None with a target.
        vary: KEY=A,B,C, or KEY=FROM..TO/STEPS in equal steps, or KEY=FROM..TO/STEPSlog by equal
            factors; KEY is one of the workload or system file, as in arrivals.clients, or an
            option, as in load. Or a dict of such keys, each with its values: a list (`[0.5, 0.8]`)
            or a text (`"0.1..0.9/9"`).
        target: Run against this server, one point after another.
        on: Work on a Ray cluster: ray for one on this machine, ray://HOST:PORT or auto for a
            running one. Simulations use all its cores; with a target, each run's load comes from
            it.
        output: The result directory to write. Each finished point is kept in it at once, so that
            the same sweep resumes after a stop; at the end come results.parquet and sweep.html.
        progress: Called with the numbers of finished points and of all.
        monitor: Called after finished points, at most twice a second, with the table of those that
            are finished, and the number of all.
        **options: Options of `simulate` or `run` for all points. All points have the same random
            numbers unless the seed is varied.

    Returns:
        A row a point: the varied keys, then the figures of the result.

    Raises:
        InputError: if a key or a value is wrong, if `output` is a file or a directory that holds
            other things than a sweep, or if a point kept there is damaged; it is found before the
            first point is begun.
        Stopped: on Ctrl-C, with the points that were finished.
        Unwritten: if the table cannot be written to `output`; with the table. Points that were
            kept there before stay.
    """
    axes = axes_of(vary)
    grid = points(axes)
    given = options if on is None or target is None else options | {"on": on}
    plan = Plan.of(workload, system, target, given)
    trials = [plan.at(point) for point in grid]
    directory = None if output is None else Path(output)
    store = _store(directory)
    rows, due = [store.read(trial) for trial in trials], _TableTimer()

    def kept(place: int, row: Row) -> None:
        rows[place] = whole = row | {"point": grid[place]}
        store.offer(trials[place], whole)
        if monitor is not None and due.now():
            monitor(table_of(axes, grid, rows), len(rows))

    def look() -> None:
        if progress is not None:
            progress(len(rows) - rows.count(None), len(rows))

    interrupted = all_done(trials, rows, row_of, kept, on, look)
    table = table_of(axes, grid, rows)
    why = "" if directory is None else _stored(directory, table, axes, plan.trial, store)
    if interrupted:
        raise Stopped(table, rows.count(None), why)
    if why:
        raise Unwritten(table, why)
    return table


def _store(directory: Path | None) -> Store:
    """The store of the points in a directory, which may be that of an earlier sweep."""
    if directory is not None:
        check_place(directory, POINTS, "sweep")
    return Store(None if directory is None else directory / POINTS)


def _stored(
    directory: Path, table: pl.DataFrame, axes: Sequence[Axis], trial: Trial, store: Store
) -> str:
    """Write the table and the page; why that could not be done, or an empty text."""
    if table.is_empty():
        return ""
    why = why_unwritten(lambda: _finish(directory, curves_of(table, axes, trial)))
    return f"{why}; the points are kept in {directory / POINTS}" if why and store.whole else why


def objectives_of(workload: _core.Workload, axes: Sequence[Axis]) -> str:
    """The objectives of all points, in words; empty if they differ from point to point."""
    varied = any(axis.key.removeprefix("workload.").startswith("slo") for axis in axes)
    return "" if varied else objective_words.words_of(workload)


def curves_of(table: pl.DataFrame, axes: Sequence[Axis], trial: Trial) -> SweepCurves:
    """The points of a sweep with what they have in common; `trial` is one before any variation."""
    from thinktime.sweeps.curves import SweepCurves

    measured = trial.target is not None
    return SweepCurves(
        table, axes, measured, objectives_of(trial.workload, axes), trial.workload.name,
        origin_line.against(trial.target, trial.system), origin_line.now() if measured else "",
    )  # fmt: skip


def _finish(directory: Path, swept: SweepCurves) -> None:
    """Write the table and the page."""
    from thinktime.present import page
    from thinktime.sweeps.report import report_of

    write_table(directory / RESULTS, swept.table)
    page.write(report_of(swept).page, directory / PAGE)
