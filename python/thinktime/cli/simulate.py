"""`thinktime simulate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime import InputError, Result, System, Workload, _core, again, simulate
from thinktime.cli import ci_files, common, options, watch
from thinktime.cli.progress import run_progress
from thinktime.cli.watch import NOBODY, Watch
from thinktime.inputs import arrivals
from thinktime.inputs.files import system_of, workload_of
from thinktime.inputs.options import options_json

if TYPE_CHECKING:
    from thinktime.monitor.feed import Feed
    from thinktime.monitor.frames import WatchedRun


@options.of("simulate")
@watch.options
def command(
    workload: Annotated[
        Path | None, typer.Argument(help=options.WORKLOAD + options.NOT_AGAIN)
    ] = None,
    system: Annotated[
        Path | None, typer.Argument(help="The system file; none with --again.")
    ] = None,
    again: options.Again = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    output: options.Output = None,
    report: options.Report = None,
    label: options.Label = None,
    json: options.Json = False,
    junit: options.Junit = None,
    markdown: options.Markdown = None,
    watched: Watch = NOBODY,
    **given: Any,
) -> None:
    """Simulate a workload on a model of a server."""
    if output is None and report is None:
        given["rows"] = "none"
    chosen = common.chosen(given | {"label": label})
    with common.mapped_errors():
        files = ci_files.files(junit, markdown)
        if again is not None:
            if system is not None:
                raise InputError("with --again the system is the result's")
            planned = _again(
                again, None if workload is None else workload_of(workload), output, chosen, watched
            )
        elif workload is None or system is None:
            raise InputError("give a workload file and a system file, or --again DIR")
        else:
            planned = _anew(workload, system, output, chosen, watched)
    showing = common.Showing(json, verbose, output, report)
    common.finish(_watched_operation(planned, quiet, watched), showing, files)


_Planned = tuple[Callable[[Any], Result], "WatchedRun"]
"""The operation, its title, and its end."""


def _watched_operation(planned: _Planned, quiet: bool, watched: Watch) -> common.Operation:
    """Progress on the terminal and for watchers."""
    operation, watched_run = planned

    def shown(feed: Feed | None) -> Result:
        ends = watched_run.requests, watched_run.end_s
        with run_progress("simulating", *ends, quiet) as progress:
            return operation(watch.both_progress(progress, feed))

    def do() -> Result:
        with watched.on(watched_run) as feed:
            return watch.watched(feed, lambda: shown(feed))

    return do


def _anew(
    workload: Path, system: Path, output: Path | None, chosen: dict[str, Any], watched: Watch
) -> _Planned:
    loaded = common.load_workload(workload)

    def operation(progress: Any) -> Result:
        return simulate(loaded, system, output=output, progress=progress, **chosen)

    return operation, _watched_run(loaded, system, chosen, watched)


def _watched_run(
    workload: Workload,
    system: Path | System | None,
    chosen: dict[str, Any],
    watched: Watch,
) -> WatchedRun:
    """Its title, its end, and for watchers the facts of its workload."""
    workload = arrivals.with_arrivals(workload, chosen)
    end = _core.planned_end("simulate", workload, options_json("simulate", chosen))
    known: dict[str, Any] = {}
    if watched.is_shown:
        load = chosen.get("load")
        # Simulations find the think times that hold a load; they are not made twice.
        if load is not None and system is not None and workload.model in ("open", "partly-open"):
            workload = workload.at_load(system_of(system), load)
        known = watch.check_inputs("simulate", workload)
        known["replications"] = chosen.get("replications") or 1
    return watch.watched_run("simulate", workload.name, None, end, **known)


def _again(
    path: Path,
    secrets: Workload | None,
    output: Path | None,
    chosen: dict[str, Any],
    watched: Watch,
) -> _Planned:
    done = Result.load(path)
    if done.kind != "simulate":
        raise InputError(f"{path} is a run: `thinktime run --again {path}`")
    workload, _ = done.inputs(secrets)

    def operation(progress: Any) -> Result:
        return again(done, workload=secrets, output=output, progress=progress, **chosen)

    return operation, _watched_run(workload, done.system, done.options | chosen, watched)
