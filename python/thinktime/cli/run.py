"""`thinktime run`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from thinktime import InputError, gate, run
from thinktime.cli import common, function_options, options, repeated_runs, trial_view, watch
from thinktime.cli.watch import NOBODY, Watch
from thinktime.inputs import url
from thinktime.inputs.files import workload_of
from thinktime.operations.run_options import run_options_json
from thinktime.trials import Trial

GivenWorkload = Annotated[
    str | None,
    typer.Argument(
        metavar="[WORKLOAD|URL]",
        help=f"{options.WORKLOAD}, or a URL alone: one request, {url.RATE} for {url.DURATION} "
        f"unless told otherwise{options.NOT_AGAIN}",
    ),
]
Demands = Annotated[
    Path | None,
    typer.Option(
        help="A system file whose service demands the requests carry, as `simulate` with the "
        "same seed would draw them; for `thinktime serve`."
    ),
]


@function_options.of(run)
@watch.all_options
def command(
    workload: GivenWorkload = None,
    target: str | None = None,
    demands: Demands = None,
    again: options.Again = None,
    runs: repeated_runs.Runs = None,
    restart: repeated_runs.Restart = None,
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
    """Run a workload against a real server."""
    if output is None and report is None and "leave_rows" not in given:
        common.drop_rows(given)
    with common.mapped_errors():
        barred = {"--again": again, "--report": report, "--junit": junit, "--markdown": markdown,
                  "--verbose": verbose}  # fmt: skip
        many = repeated_runs.RepeatedRuns.asked(runs, restart, output, barred | _exports(watched))
        files = gate.files(junit, markdown)
        if again is not None:
            trial = _again(again, workload, target, demands, given)
        else:
            trial = _anew(workload, target, demands, given)
        _need_rights(trial)
        planned = trial_view.watched_run_of(trial, watched)
    if many is not None:
        with common.mapped_errors(), watched.on(planned) as feed:
            each = partial(trial_view.shown, planned=planned, quiet=quiet, feed=feed)
            repeated_runs.finish(many, trial, each, json, feed)
    else:
        operation = trial_view.operation(trial, planned, watched, quiet, output)
        showing = common.OutputOptions(json, verbose, output, report)
        common.finish(operation, showing, files, trial.workload.name)


def _again(
    path: Path,
    workload: str | None,
    target: str | None,
    demands: Path | None,
    given: dict[str, Any],
) -> Trial:
    """The run of the result at a path; `workload` has the secrets that the result lacks."""
    if demands is not None:
        raise InputError("with --again the demands are the result's")
    named = url.taken(workload, None, {})[0] if url.is_url(workload) else workload
    secrets = None if named is None else workload_of(named)
    return trial_view.of_result(path, "run", secrets, given, target)


def _anew(
    workload: str | None, target: str | None, demands: Path | None, given: dict[str, Any]
) -> Trial:
    """The run of a workload file, or of a URL alone.

    Raises:
        InputError: A file cannot be read, or something is missing.
    """
    carried = None if demands is None else trial_view.load_system(demands)
    if url.is_url(workload):
        loaded, at, given = url.taken(workload, target, given)
        return Trial(loaded, carried, at, given)
    if workload is None or target is None:
        if workload is not None and Path(workload).is_file():
            raise InputError(f"`{workload}` is a file: say against what, by --target http://HOST")
        file = "" if workload is None else f"; `{workload}` has no scheme, as http://: it is a file"
        raise InputError(f"give a URL, a workload file and --target, or --again DIR{file}")
    return Trial(common.load_workload(Path(workload)), carried, target, given)


def _need_rights(trial: Trial) -> None:
    """Continue only if the link, if any, can be made.

    Raises:
        InputError: It is not a link, or does not go with the rest.
        RunError: The user lacks the rights for it.
    """
    if trial.options.get("link") is None:
        return
    from thinktime.lab import permission, run_over_link

    run_options_json(trial.options)  # reports what is wrong with it
    run_over_link.check(trial.workload, trial.options)
    permission.need(run_over_link.NEED, reaching_out=True)


def _exports(watched: Watch) -> dict[str, Any]:
    """The options, by name, that report the figures of one run elsewhere."""
    return {"--metrics": watched.metrics, "--otlp": watched.otlp}
