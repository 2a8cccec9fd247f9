"""Work on all cores: any in threads of this process, trials also on a Ray cluster."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import TypeVar

from thinktime.operations.simulation import Overloaded
from thinktime.results.result import Result
from thinktime.trials.store import Row
from thinktime.trials.trial import Packed, Trial

Measure = Callable[[Result], Row]
"""Makes the row of a result; a function of a module, which other machines find by its name."""

Check = Callable[..., None]
"""It raises an exception once all is to end; it takes any arguments, as those of a progress."""

One = TypeVar("One")
Found = TypeVar("Found")


class _End(Exception):  # noqa: N818 - no error
    """It ends the work of a thread."""


def all_done(
    trials: Sequence[Trial],
    rows: Sequence[Row | None],
    measure: Measure,
    kept: Callable[[int, Row], None],
    on: str | None = None,
    look: Callable[[], None] = lambda: None,
) -> bool:
    """Do the trials without a row; return whether Ctrl-C came.

    Simulations are done on all cores, runs one after another.

    Args:
        trials: The trials.
        rows: The row of each, as far as it is known.
        measure: Makes a row of a result.
        kept: Called with the place of each finished trial and its row.
        on: Names a Ray cluster whose cores simulate, or whose nodes make the load of runs.
        look: Called several times a second meanwhile.

    Raises:
        InputError: There is no such cluster, or the input of a trial is wrong.
        RunError: A run failed.
    """
    places = [place for place, row in enumerate(rows) if row is None]
    measured = any(trial.target is not None for trial in trials)
    try:
        with ExitStack() as stack:
            if on is not None:
                from thinktime import distributed

                stack.enter_context(distributed.connected(on))
            if on is None or measured:
                those = [trials[place] for place in places]
                row = partial(_row, measure)
                work = here(row, those, workers=1 if measured else None, look=look)
            else:
                work = _there(trials, places, measure, look)
            for number, found in stack.enter_context(closing(work)):
                kept(places[number], found)
        return False
    except KeyboardInterrupt:
        return True


def here(
    do: Callable[[One, Check], Found],
    those: Sequence[One],
    *,
    workers: int | None = None,
    look: Callable[[], None] = lambda: None,
) -> Generator[tuple[int, Found], None, None]:
    """What `do` gives for each of those, in threads of this process, in the order of completion.

    Args:
        do: Called with one of those, and with a check, which raises an exception at the end of all.
        those: The pieces of work.
        workers: The number of threads; one a core by default.
        look: Called several times a second meanwhile.

    Yields:
        The place of each, and what `do` gave. Closing the generator, or Ctrl-C, leaves out what has
        not begun.
    """
    # Queues written in C, not futures: Ctrl-C inside `concurrent.futures.wait` leaves the locks of
    # the futures taken, and the threads that would finish them wait for ever.
    todo: SimpleQueue[int] = SimpleQueue()
    for place in range(len(those)):
        todo.put(place)
    done: SimpleQueue[tuple[int, Found] | BaseException] = SimpleQueue()
    stopped = False

    def check(*_: object) -> None:
        if stopped:
            raise _End

    def work() -> None:
        try:
            while True:
                check()
                place = todo.get_nowait()
                done.put((place, do(those[place], check)))
        except (Empty, _End):
            pass
        except BaseException as error:  # the waiting thread raises it again
            done.put(error)

    threads = [threading.Thread(target=work) for _ in those[: workers or os.cpu_count() or 1]]
    try:
        for one in threads:
            one.start()
        for _ in those:
            yield _next(done, look)
    finally:
        stopped = True
        for one in filter(lambda one: one.ident is not None, threads):
            one.join()


def _next(
    done: SimpleQueue[tuple[int, Found] | BaseException], look: Callable[[], None]
) -> tuple[int, Found]:
    """Wait for the next finished one, and call `look` ten times a second."""
    while True:
        look()
        with suppress(Empty):
            one = done.get(timeout=0.1)
            if isinstance(one, BaseException):
                raise one
            return one


def _there(
    trials: Sequence[Trial], places: Sequence[int], measure: Measure, look: Callable[[], None]
) -> Generator[tuple[int, Row], None, None]:
    """Do them on all cores of the cluster that is connected to."""
    from thinktime import distributed

    pieces = [(trials[place].packed, measure) for place in places]
    yield from distributed.each(_unpacked, pieces, look)


def _unpacked(packed: Packed, measure: Measure) -> Row:
    with TemporaryDirectory(prefix="thinktime-") as folder:
        return _row(measure, packed.opened(Path(folder)))


def _row(measure: Measure, trial: Trial, progress: Check | None = None) -> Row:
    """The row of a trial that is done now; an overload without an end has no figures."""
    try:
        return measure(trial.do(progress=progress))
    except Overloaded as error:
        return {"warnings": str(error), "untrusted": str(error)}
