"""A simulation or run of a command: of files or of an older result, shown while it lasts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime import InputError, Result, System, Workload, _core
from thinktime.cli import common, live_view, watch
from thinktime.cli.progress import run_progress
from thinktime.cli.watch import Watch
from thinktime.inputs import arrivals
from thinktime.inputs.files import system_of
from thinktime.inputs.options import options_json
from thinktime.operations.run_options import run_options_json
from thinktime.results.provenance import note_file
from thinktime.trials import Trial

if TYPE_CHECKING:
    from thinktime.monitor.feed import Feed
    from thinktime.monitor.frames import WatchedRun


def load_system(path: Path) -> System:
    """A system file.

    Raises:
        InputError: It cannot be read, or is not a system.
    """
    note_file("system", path)
    return system_of(path)


def of_result(
    path: Path,
    kind: str,
    secrets: Workload | None,
    options: Mapping[str, Any],
    target: str | None = None,
) -> Trial:
    """The trial of a result directory, once more; `kind` is the command's.

    Raises:
        InputError: The result is of another kind, or does not say what was done.
    """
    done = Result.load(path)
    if done.kind != kind:
        other = "run" if done.kind == "run" else "simulation"
        raise InputError(f"{path} is a {other}: `thinktime {done.kind} --again {path}`")
    return Trial.of(done, secrets, target, options)


def watched_run_of(trial: Trial, watched: Watch) -> WatchedRun:
    """Its title, its end, and the facts of its workload that checks need while it lasts."""
    given = trial.options
    workload = arrivals.with_arrivals(trial.workload, given)
    is_run = trial.target is not None
    end = _core.planned_end(
        trial.kind,
        workload,
        run_options_json(given) if is_run else options_json("simulate", given),
    )
    known: dict[str, Any] = {}
    if is_run:
        known = {"here": given.get("on") is None, **watch.check_inputs("run", workload)}
    elif watched.is_shown:
        load, system = given.get("load"), trial.system
        # Simulations find the think times that hold a load; they are not made twice.
        if load is not None and system is not None and workload.model in ("open", "partly-open"):
            workload = workload.at_load(system, load)
        known = watch.check_inputs("simulate", workload)
        known["replications"] = given.get("replications") or 1
    return watch.watched_run(trial.kind, workload.name, trial.target, end, **known)


def shown(
    trial: Trial, planned: WatchedRun, quiet: bool, feed: Feed | None, output: Path | None
) -> Result:
    """Do it, with its progress on the terminal and for watchers."""
    ends = planned.requests, planned.end_s
    if trial.target is None:
        with run_progress("simulating", *ends, quiet) as progress:
            return trial.do(
                output=output,
                progress=watch.both(progress, None if feed is None else feed.progress),
            )
    with live_view.view_of_run(f"running against {trial.target}", *ends, quiet) as monitor:
        return trial.do(
            output=output, monitor=watch.both(monitor, None if feed is None else feed.moment)
        )


def operation(
    trial: Trial, planned: WatchedRun, watched: Watch, quiet: bool, output: Path | None
) -> common.Operation:
    """Does it; watchers get the report at the end."""

    def do() -> Result:
        with watched.on(planned) as feed:
            return watch.watched(feed, lambda: shown(trial, planned, quiet, feed, output))

    return do
