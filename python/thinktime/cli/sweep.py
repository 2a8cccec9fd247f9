"""`thinktime sweep`."""

from __future__ import annotations

import json as json_module
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from thinktime import Stopped, sweep
from thinktime.cli import common, options


def command(
    workload: options.Workload,
    system: Annotated[Path | None, typer.Argument(help="The system file; none with --target.")] = (
        None
    ),
    vary: Annotated[
        list[str],
        typer.Option(
            help="KEY=FROM..TO/STEPS, KEY=FROM..TO/STEPSlog or KEY=A,B,C; again for more keys. "
            "A key of the workload or system file, or load, requests, replications, ..."
        ),
    ] = [],  # noqa: B006 - typer makes a new one each time
    target: Annotated[
        str | None, typer.Option(help="Run against this url, one point after another.")
    ] = None,
    requests: Annotated[int | None, typer.Option(help="Requests at each point.")] = None,
    duration: Annotated[str | None, typer.Option(help="The duration at each point.")] = None,
    load: Annotated[float | None, typer.Option(help="Hold this load at each point.")] = None,
    warmup: options.Warmup = None,
    replications: Annotated[
        int | None, typer.Option(help="Independent replications at each point.")
    ] = None,
    output: options.Output = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print a list with an object a point alone.")
    ] = False,
) -> None:
    """Vary any keys over ranges or lists, on all cores; go on where it was stopped."""
    if not vary:
        raise common.fail(
            "give at least one key to vary, as in --vary load=0.1..0.9/9", common.Exit.INPUT_WRONG
        )
    given = {
        "requests": requests,
        "duration": duration,
        "load": load,
        "warmup": warmup,
        "replications": replications,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    missing = 0
    with common.mapped_errors(), _progress() as progress:
        try:
            table = sweep(
                workload, system, vary, target=target, output=output, progress=progress, **chosen
            )
        except Stopped as stopped:
            table, missing = stopped.table, stopped.missing
    _show(table, [one.partition("=")[0].strip() for one in vary], json, output)
    if missing:
        again = "" if output is None else "; the same command goes on with them"
        raise common.fail(
            f"interrupted: {missing} points are missing{again}", common.Exit.NOT_TO_BE_TRUSTED
        )


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    if not common.errors.is_terminal:
        yield None
        return
    columns: tuple[Any, ...] = (
        TextColumn("sweeping"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=common.errors, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, whole: bar.update(task, completed=done, total=whole)


_SHOWN = {
    "response_mean_s": "mean [s]",
    "response_ci95_s": "± [s]",
    "exact_response_mean_s": "exact [s]",
    "response_p50_s": "p50 [s]",
    "response_p99_s": "p99 [s]",
    "load": "load",
    "found_load": "load found",
    "throughput": "throughput [/s]",
    "think_time_s": "think time [s]",
    "errors": "errors",
    "retries": "retries",
    "migrations": "moves",
    "preemptions": "preemptions",
}


def _show(table: pl.DataFrame, keys: list[str], as_json: bool, output: Path | None) -> None:
    if as_json:
        typer.echo(json_module.dumps(table.to_dicts(), indent=2))
    else:
        common.print_frame(table, {name: name for name in keys} | _SHOWN)
        warned = 0 if table.is_empty() else table.filter(pl.col("warnings") != "").height
        if warned:
            common.errors.print(
                f"warning: {warned} points have warnings: see the column `warnings`",
                style="yellow", markup=False,
            )  # fmt: skip
    if output is not None:
        common.errors.print(
            f"result: {output / 'results.parquet'}, {output / 'sweep.html'}",
            markup=False, soft_wrap=True,
        )  # fmt: skip
