"""Progress on the terminal: a line on standard error, nothing unless it is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from thinktime.cli.common import errors

ProgressCallback = Callable[[int, float, int], None]

_STATE = "{task.fields[state]}"


@contextmanager
def _bar(title: str, quiet: bool, *columns: str) -> Iterator[Callable[..., None] | None]:
    """A title and a bar, then texts or the columns of rich that have these names.

    Yields what updates it; None if it is not shown.
    """
    if quiet or not errors.is_terminal:
        yield None
        return
    from rich import progress as rich

    after = (
        getattr(rich, one)() if hasattr(rich, one) else rich.TextColumn(one) for one in columns
    )
    parts = (rich.TextColumn("{task.description}"), rich.BarColumn(), *after)
    with rich.Progress(*parts, console=errors, transient=True) as bar:
        yield partial(bar.update, bar.add_task(title, total=None, state=""))


@contextmanager
def run_progress(
    title: str, requests: int | None, end_s: float | None, quiet: bool = False
) -> Iterator[ProgressCallback | None]:
    """A line on standard error that shows a run's progress; nothing unless it is a terminal."""
    with _bar(title, quiet, _STATE, "TimeElapsedColumn") as update:

        def show(done: int, time_s: float, in_system: int) -> None:
            assert update is not None
            shares = [part / whole for part, whole in ((done, requests), (time_s, end_s)) if whole]
            known = {"completed": max(shares), "total": 1.0} if shares else {}
            update(state=f"{done:,} requests, {in_system:,} in the system", **known)

        yield None if update is None else show


@contextmanager
def sweep_progress(quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show how many points of a sweep are finished, if standard error is a terminal."""
    with _bar("sweeping", quiet, "MofNCompleteColumn", "TimeRemainingColumn") as update:

        def show(done: int, whole: int) -> None:
            assert update is not None
            update(completed=done, total=whole)

        yield None if update is None else show


@contextmanager
def reading_progress(quiet: bool) -> Iterator[ProgressCallback | None]:
    """Show the progress of reading logs, then of learning, if standard error is a terminal."""
    with _bar("reading", quiet, _STATE) as update:

        def show(entries: int, share: float, unpacked: int) -> None:
            assert update is not None
            state = f"{entries:,} requests, {unpacked / 1e6:,.0f} MB"
            if share >= 1:
                state = f"{entries:,} requests"
                update(description="learning", completed=1, total=1, state=state)
            elif share > 0:
                update(completed=share, total=1.0, state=state)
            else:
                update(state=state)

        yield None if update is None else show
