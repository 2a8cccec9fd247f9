"""What the commands share: exit statuses, errors, progress, and showing a result."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any

import polars as pl
import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from thinktime import InputError, Interrupted, Result, RunError

errors = Console(stderr=True, highlight=False)


class Exit(IntEnum):
    """Exit statuses."""

    DONE = 0
    SLO_NOT_MET = 1
    INPUT_WRONG = 2
    NOT_TO_BE_TRUSTED = 3


def fail(message: str, status: Exit) -> typer.Exit:
    """Say on standard error what is wrong; the caller raises what is returned."""
    errors.print("error:", message, style="red", markup=False, soft_wrap=True)
    return typer.Exit(status)


@contextmanager
def mapped_errors() -> Iterator[None]:
    """Turn errors into messages and exit statuses."""
    try:
        yield
    except InputError as error:
        raise fail(str(error), Exit.INPUT_WRONG) from None
    except RunError as error:
        raise fail(str(error), Exit.NOT_TO_BE_TRUSTED) from None
    except OverflowError as error:
        raise fail(f"a number is out of its range: {error}", Exit.INPUT_WRONG) from None
    except OSError as error:
        raise fail(str(error), Exit.INPUT_WRONG) from None


ProgressCallback = Callable[[int, float, int], None]


@contextmanager
def progress_shown(
    title: str, requests: int | None, end_s: float | None
) -> Iterator[ProgressCallback | None]:
    """A line on standard error that shows how far a run is; nothing where that is no terminal."""
    if not errors.is_terminal:
        yield None
        return
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
def reading_shown(quiet: bool) -> Iterator[ProgressCallback | None]:
    """Show on a terminal, on standard error, how far logs are read."""
    if quiet or not errors.is_terminal:
        yield None
        return
    columns = (TextColumn("reading"), BarColumn(), TextColumn("{task.fields[state]}"))
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task("reading", total=None, state="")

        def show(entries: int, share: float, unpacked: int) -> None:
            state = f"{entries:,} requests, {unpacked / 1e6:,.0f} MB"
            if share > 0:
                bar.update(task, completed=share, total=1.0, state=state)
            else:
                bar.update(task, state=state)

        yield show


def finish(operation: Callable[[], Result], as_json: bool, output: Path | None) -> None:
    """Do the operation, show its result, and end with the exit status that it deserves."""
    interrupted = False
    with mapped_errors():
        try:
            result = operation()
        except Interrupted as stopped:
            result, interrupted = stopped.result, True
    show(result, as_json, output)
    if interrupted:
        raise fail("interrupted: the result is that up to then", Exit.NOT_TO_BE_TRUSTED)
    if result.untrusted is not None:
        raise fail(f"not to be trusted: {result.untrusted}", Exit.NOT_TO_BE_TRUSTED)
    if breaches := result.breaches():
        raise fail("the SLO is not met: " + "; ".join(breaches), Exit.SLO_NOT_MET)


def show(result: Result, as_json: bool, output: Path | None) -> None:
    """Print a result: its summary as JSON, or its table; warnings go to standard error."""
    if as_json:
        typer.echo(json.dumps(result.summary | _theory(result), indent=2))
    else:
        print_table([result])
        _say_of_sharing(result)
    for note in result.summary.get("notes", []):
        errors.print("note:", note, style="dim", markup=False, soft_wrap=True)
    for warning in result.summary.get("warnings", []):
        errors.print("warning:", warning, style="yellow", markup=False, soft_wrap=True)
    if output is not None:
        errors.print(f"result: {output}", markup=False, soft_wrap=True)


def print_table(results: list[Result]) -> None:
    """Print results as a table, with theory beside them where there is one."""
    from thinktime import report
    from thinktime.report import terminal

    width = None if sys.stdout.isatty() else 150
    Console(width=width, highlight=False).print(terminal.render(report.rows(results)))


def _say_of_sharing(result: Result) -> None:
    """Say whether a system with machines could have been modelled without their schedulers."""
    if result.system is None or not result.system.machines or result.interrupted:
        return
    from thinktime import report

    sentence = report.processor_sharing(result)
    if sentence is not None:
        typer.echo(sentence)


def _theory(result: Result) -> dict[str, Any]:
    """The exact values beside a simulation's summary, where there are any."""
    theory = result.theory if result.kind == "simulate" else None
    if theory is None:
        return {}
    from thinktime.report import figures

    return {
        "theory": {
            "model": theory.model,
            "source": theory.source,
            "load": theory.load,
            "throughput": theory.throughput,
            "response_time_s": dict(figures.of_theory(theory).times_s),
        }
    }


def print_frame(table: pl.DataFrame, names: Mapping[str, str]) -> None:
    """Print some columns of a table under shorter names; those that say nothing are left out."""
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    shown = [name for name in names if name in table.columns and any(table[name].to_list())]
    for name in shown:
        drawn.add_column(Text(names[name]), justify="right", overflow="fold")
    for row in table.select(shown).iter_rows():
        texts = (f"{one:.5g}" if isinstance(one, float) else str(one) for one in row)
        drawn.add_row(*map(Text, texts))
    width = None if sys.stdout.isatty() else 150
    Console(width=width, highlight=False).print(drawn)


def seconds(text: str | None) -> float | None:
    """The number of seconds that a time such as `30s` means; None where there is none."""
    from thinktime import Distribution

    return None if text is None else Distribution(text).mean
