"""Progress on the terminal: a line on standard error, nothing unless it is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from thinktime.cli.common import errors

ProgressCallback = Callable[[int, float, int], None]


@contextmanager
def run_progress(
    title: str, requests: int | None, end_s: float | None, quiet: bool = False
) -> Iterator[ProgressCallback | None]:
    """A line on standard error that shows a run's progress; nothing unless it is a terminal."""
    if quiet or not errors.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task(title, total=None, state="")

        def show(done: int, time_s: float, in_system: int) -> None:
            shares = [part / whole for part, whole in ((done, requests), (time_s, end_s)) if whole]
            state = f"{done:,} requests, {in_system:,} in the system"
            if shares:
                bar.update(task, completed=max(shares), total=1.0, state=state)
            else:
                bar.update(task, state=state)

        yield show


@contextmanager
def reading_progress(quiet: bool) -> Iterator[ProgressCallback | None]:
    """Show the progress of reading logs, then of learning, if standard error is a terminal."""
    if quiet or not errors.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"))
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task("reading", total=None, state="")

        def show(entries: int, share: float, unpacked: int) -> None:
            state = f"{entries:,} requests, {unpacked / 1e6:,.0f} MB"
            if share >= 1:
                state = f"{entries:,} requests"
                bar.update(task, description="learning", completed=1, total=1, state=state)
            elif share > 0:
                bar.update(task, completed=share, total=1.0, state=state)
            else:
                bar.update(task, state=state)

        yield show
