"""`thinktime sweep`."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime import Stopped, Unwritten, Workload, gate, simulate, sweep
from thinktime.cli import common, function_options, options, signals, watch
from thinktime.cli.progress import sweep_progress
from thinktime.cli.watch import NOBODY, Watch
from thinktime.trials import Trial

if TYPE_CHECKING:
    import polars as pl

    from thinktime.present.report import Report
    from thinktime.sweeps.curves import SweepCurves

_AT_EACH_POINT = {
    "requests": "Number of requests that begin at each point after the warm-up; 1000000 in a "
    "simulation if nothing else ends it.",
    "duration": "Time at which no more requests begin at a point, as in 10min: virtual time in a "
    "simulation. 30s against a server if nothing else ends the run, 10 min with a precision.",
    "warmup": "Requests scheduled before this time do not count. In a simulation auto, the default "
    "as in `simulate`, finds how long the start makes a difference; against a server 0s.",
    "precision": "Simulate or run until the half-width of the mean's 95 % interval is this share "
    "of the mean, as in 5%.",
    **dict.fromkeys(("load", "replications"), "{} Not with --target."),
}
"""Options of `simulate` that mean something else, or not all, for the points of a sweep."""


@function_options.of(sweep, simulate, but=("label", "rows", "seed"), texts=_AT_EACH_POINT)
@watch.options
def command(
    workload: options.Workload,
    system: Annotated[Path | None, typer.Argument(help="The system file; none with --target.")] = (
        None
    ),
    vary: list[str] = [],  # noqa: B006 - typer makes a new one each time
    quiet: options.Quiet = False,
    output: Path | None = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print a list with an object a point alone.")
    ] = False,
    junit: options.Junit = None,
    markdown: options.Markdown = None,
    watched: Watch = NOBODY,
    **given: Any,
) -> None:
    """Vary any keys over ranges or lists, on all cores.

    With --output each finished point is kept, and the same command continues from there.
    """
    from thinktime.sweeps.report import outcome, report_of

    if not vary:
        raise common.fail(
            "give at least one key to vary, as in --vary load=0.1..0.9/9", common.Exit.INPUT_WRONG
        )
    given["output"] = output
    with common.mapped_errors():
        files = gate.files(junit, markdown)
        loaded = common.load_workload(workload)
        with files.failure_written(loaded.name):
            swept, missing, why = _done(loaded, system, vary, given, quiet, watched)
    with signals.waiting() as came:
        found = outcome(swept, missing, kept=output is not None).unwritten(why)
        made = report_of(swept, loaded.name, found)
        _show(swept, made, json, None if why else output)
        common.end(found.unwritten(files.unwritten(lambda: [made])), came)


def _done(
    loaded: Workload,
    system: Path | None,
    vary: list[str],
    given: dict[str, Any],
    quiet: bool,
    watched: Watch,
) -> tuple[SweepCurves, int, str]:
    """The points, shown as they come, the number still missing, and why they are unwritten."""
    missing, why = 0, ""
    trial = Trial(loaded, None, given.get("target"))
    watched_run = watch.watched_run("sweep", loaded.name, trial.target, (None, None))
    with watched.on(watched_run) as feed, sweep_progress(quiet) as progress:

        def monitor(table: pl.DataFrame, whole: int) -> None:
            assert feed is not None
            feed.tell("swept", (_swept(table, vary, trial), len(table), whole))

        try:
            seen = None if feed is None else monitor
            table = sweep(loaded, system, vary, progress=progress, monitor=seen, **given)
        except Stopped as stopped:
            table, missing, why = stopped.table, stopped.missing, stopped.unwritten
        except Unwritten as failed:
            table, why = failed.result, str(failed)
        swept = _swept(table, vary, trial)
        if feed is not None and not table.is_empty():
            from thinktime.sweeps.report import report_of

            feed.finish(lambda: report_of(swept).page)
    return swept, missing, why


def _swept(table: pl.DataFrame, vary: list[str], trial: Trial) -> SweepCurves:
    from thinktime.sweeps import curves_of, parse

    return curves_of(table, [parse(one) for one in vary], trial)


def _print(swept: SweepCurves, made: Report) -> None:
    """The points as a table, and the resulting advice; their warnings go to standard error."""
    from rich.markup import escape

    from thinktime.sweeps.advice import advice

    common.print_report(made)
    for one in advice(swept):
        common.print_wide("\n".join(["", *map(escape, one.lines)]))
    if swept.rows:
        common.say_warnings(made.warnings)


def _show(swept: SweepCurves, made: Report, as_json: bool, output: Path | None) -> None:
    if as_json:
        typer.echo(json_module.dumps(swept.rows, indent=2))
    else:
        _print(swept, made)
    if output is not None:
        common.remark(f"result: {output / 'results.parquet'}, {output / 'sweep.html'}")
