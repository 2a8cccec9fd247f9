"""Sweeps: the same simulation or run over ranges of any keys, on all cores.

import thinktime as tt
from thinktime.sweeps import sweep

table = sweep("shop.toml", "server.toml", ["load=0.1..0.9/9", "station.server.policy=fcfs,ps"])
"""

from __future__ import annotations

import io
import json
import os
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from thinktime import _core
from thinktime.inputs.arguments import checked
from thinktime.inputs.files import GivenSystem, GivenWorkload, system_of, workload_of
from thinktime.results.files import check_place, write_whole
from thinktime.sweeps.grid import Axis, Point, axes_of, parse, points
from thinktime.sweeps.plan import PackedTask, Plan, Task
from thinktime.sweeps.row import Row, row_at, table_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Axis", "Stopped", "parse", "sweep"]

RESULTS = "results.parquet"
PAGE = "sweep.html"
POINTS = "points"
MONITORED_S = 0.5
"""The time between two tables that `monitor` receives during a sweep."""


class _Due:
    """Says once every `MONITORED_S` that a table is due."""

    _next_s = 0.0

    def now(self) -> bool:
        """Whether a table is due."""
        now_s = time.monotonic()
        is_time = now_s >= self._next_s
        self._next_s = now_s + MONITORED_S if is_time else self._next_s
        return is_time


class Stopped(KeyboardInterrupt):
    """Ctrl-C ended a sweep; `table` holds the finished points."""

    def __init__(self, table: pl.DataFrame, missing: int) -> None:
        """Keep the finished points."""
        super().__init__("interrupted")
        self.table = table
        self.missing = missing


class _End(Exception):  # noqa: N818 - no error
    """It ends the work of a thread."""


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
        vary: The varied keys: `KEY=FROM..TO/STEPS`, `KEY=FROM..TO/STEPSlog` or `KEY=A,B,C`. A key
            is one of the workload file (`arrivals.clients`), of the system file
            (`station.server.policy`), or an option (`load`, `requests`, `replications`, ...). Or a
            dict of such keys, each with its values: a list (`[0.5, 0.8]`) or a text
            (`"0.1..0.9/9"`).
        target: The url of a real server; its points are run one after another.
        on: Simulate on all cores of a Ray cluster ("ray", "ray://HOST:PORT" or "auto", as in
            `run`); with a target, make each run's load from it.
        output: A directory: each finished point is kept in it at once, so that the same sweep
            resumes after a stop; at the end come results.parquet and sweep.html.
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
    """
    modelled = None if system is None else system_of(system)
    if on is not None and target is not None:
        options["on"] = on
    plan = Plan(workload_of(workload), modelled, target, options)
    if (plan.system is None) == (target is None):
        raise _core.InputError("a sweep needs a system file or a target, and not both")
    plan.check()
    axes = axes_of(vary)
    grid = points(axes)
    tasks = [plan.at(point) for point in grid]
    keeper = _Keeper(None if output is None else Path(output), measured=target is not None)
    rows = keeper.kept(tasks)

    due = _Due()

    def kept(place: int, row: Row) -> None:
        keeper.keep(tasks[place], row)
        rows[place] = row
        if monitor is not None and due.now():
            monitor(table_of(axes, grid, rows), len(rows))

    interrupted = _all_done(grid, tasks, rows, kept, on, progress)
    table = table_of(axes, grid, rows)
    keeper.finish(table, axes)
    if interrupted:
        raise Stopped(table, rows.count(None))
    return table


def _all_done(
    grid: Sequence[Point],
    tasks: Sequence[Task],
    rows: list[Row | None],
    kept: Callable[[int, Row], None],
    on: str | None,
    progress: Callable[[int, int], None] | None,
) -> bool:
    """Pass the missing rows to `kept`; return whether Ctrl-C came."""
    places = [place for place, row in enumerate(rows) if row is None]

    def look() -> None:
        if progress is not None:
            progress(len(rows) - rows.count(None), len(rows))

    measured = any(task.target is not None for task in tasks)
    try:
        with ExitStack() as stack:
            if on is None:
                work = _here(grid, tasks, places, 1 if measured else os.cpu_count() or 1, look)
            else:
                from thinktime import distributed

                stack.enter_context(distributed.connected(on))
                work = (_here(grid, tasks, places, 1, look) if measured
                        else _there(grid, tasks, places, look))  # fmt: skip
            for place, row in stack.enter_context(closing(work)):
                kept(place, row)
        return False
    except KeyboardInterrupt:
        return True


_Rows = Generator[tuple[int, Row], None, None]
"""Places and their rows, in the order of completion."""


def _here(
    grid: Sequence[Point],
    tasks: Sequence[Task],
    places: Sequence[int],
    workers: int,
    look: Callable[[], None],
) -> _Rows:
    """Do them in threads of this process."""
    # Queues written in C, not futures: Ctrl-C inside `concurrent.futures.wait` leaves the locks of
    # the futures taken, and the threads that would finish them wait for ever.
    todo: SimpleQueue[int] = SimpleQueue()
    for place in places:
        todo.put(place)
    done: SimpleQueue[tuple[int, Row] | BaseException] = SimpleQueue()
    stopped = False

    def check(*_: object) -> None:
        if stopped:
            raise _End

    def work() -> None:
        try:
            while True:
                check()
                place = todo.get_nowait()
                done.put((place, row_at(grid[place], partial(tasks[place].do, check))))
        except (Empty, _End):
            pass
        except BaseException as error:  # the waiting thread raises it again
            done.put(error)

    threads = [threading.Thread(target=work) for _ in range(min(workers, len(places)))]
    try:
        for one in threads:
            one.start()
        for _ in places:
            yield _next(done, look)
    finally:
        stopped = True
        for one in filter(lambda one: one.ident is not None, threads):
            one.join()


def _next(
    done: SimpleQueue[tuple[int, Row] | BaseException], look: Callable[[], None]
) -> tuple[int, Row]:
    """Wait for the next finished one, and call `look` ten times a second."""
    while True:
        look()
        with suppress(Empty):
            one = done.get(timeout=0.1)
            if isinstance(one, BaseException):
                raise one
            return one


def _there(
    grid: Sequence[Point], tasks: Sequence[Task], places: Sequence[int], look: Callable[[], None]
) -> _Rows:
    """Do them on all cores of the cluster that is connected to."""
    from thinktime import distributed

    pieces = [(grid[place], tasks[place].packed) for place in places]
    for number, row in distributed.each(_packed_row, pieces, look):
        yield places[number], row


def _packed_row(point: Point, packed: PackedTask) -> Row:
    with TemporaryDirectory(prefix="thinktime-") as folder:
        return row_at(point, partial(packed.opened(Path(folder)).do, lambda *_: None))


class _Keeper:
    """Keeps finished points in a directory, if there is one."""

    def __init__(self, directory: Path | None, *, measured: bool) -> None:
        self._directory = directory
        self._measured = measured
        if directory is not None:
            check_place(directory, POINTS, "sweep")
            (directory / POINTS).mkdir(parents=True, exist_ok=True)

    def kept(self, tasks: Sequence[Task]) -> list[Row | None]:
        return [self._read(task) for task in tasks]

    def _read(self, task: Task) -> Row | None:
        path = self._path(task)
        if path is None or not path.exists():
            return None
        try:
            row: Row = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            right = "remove it, and its point is done again"
            raise _core.InputError(f"{path}: is damaged ({error}): {right}") from None
        return row

    def keep(self, task: Task, row: Row) -> None:
        path = self._path(task)
        if path is not None:
            write_whole(path, json.dumps(row))

    def _path(self, task: Task) -> Path | None:
        if self._directory is None:
            return None
        return self._directory / POINTS / f"{task.fingerprint}.json"

    def finish(self, table: pl.DataFrame, axes: Sequence[Axis]) -> None:
        if self._directory is None or table.is_empty():
            return
        from thinktime.sweeps import page

        content = io.BytesIO()
        table.write_parquet(content)
        write_whole(self._directory / RESULTS, content.getvalue())
        page.write(table, axes, self._directory / PAGE, measured=self._measured)
