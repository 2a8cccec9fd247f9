"""`thinktime simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from thinktime import InputError, gate, simulate
from thinktime.cli import common, function_options, options, trial_view, watch
from thinktime.cli.watch import NOBODY, Watch
from thinktime.inputs.files import workload_of
from thinktime.trials import Trial


@function_options.of(simulate)
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
    output: Path | None = None,
    report: options.Report = None,
    json: options.Json = False,
    junit: options.Junit = None,
    markdown: options.Markdown = None,
    watched: Watch = NOBODY,
    **given: Any,
) -> None:
    """Simulate a workload on a model of a server."""
    if output is None and report is None:
        common.drop_rows(given)
    with common.mapped_errors():
        files = gate.files(junit, markdown)
        if again is not None:
            if system is not None:
                raise InputError("with --again the system is the result's")
            secrets = None if workload is None else workload_of(workload)
            trial = trial_view.of_result(again, "simulate", secrets, given)
        elif workload is None or system is None:
            raise InputError("give a workload file and a system file, or --again DIR")
        else:
            loaded = common.load_workload(workload)
            trial = Trial(loaded, trial_view.load_system(system), None, given)
        operation = trial_view.operation(
            trial, trial_view.watched_run_of(trial, watched), watched, quiet, output
        )
    common.finish(operation, common.OutputOptions(json, verbose, output, report), files)
