"""`thinktime simulate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime import InputError, Result, Workload, _core, again, simulate
from thinktime.cli import common, options, told, watch
from thinktime.cli.watch import NOBODY, Watch
from thinktime.given import options_json
from thinktime.inputs import workload_of

if TYPE_CHECKING:
    from thinktime.watching.feed import Feed
    from thinktime.watching.frames import Begun


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
    output: options.Output = None,
    label: options.Label = None,
    json: options.Json = False,
    junit: options.Junit = None,
    markdown: options.Markdown = None,
    watched: Watch = NOBODY,
    **given: Any,
) -> None:
    """Simulate a workload on a model of a server."""
    if output is None:
        given["rows"] = "none"
    chosen = common.chosen(given | {"label": label})
    with common.mapped_errors():
        files = told.files(junit, markdown)
        if again is not None:
            if system is not None:
                raise InputError("with --again the system is the result's")
            planned = _again(
                again, None if workload is None else workload_of(workload), output, chosen
            )
        elif workload is None or system is None:
            raise InputError("give a workload file and a system file, or --again DIR")
        else:
            planned = _anew(workload, system, output, chosen)
    common.finish(_shown(planned, quiet, watched), json, output, files)


_Planned = tuple[Callable[[Any], Result], "Begun"]
"""What is to be done, and how it is called and when it ends."""


def _shown(planned: _Planned, quiet: bool, watched: Watch) -> common.Operation:
    """On the terminal and for those who watch."""
    operation, begun = planned

    def shown(feed: Feed | None) -> Result:
        ends = begun.requests, begun.end_s
        with common.progress_shown("simulating", *ends, quiet) as progress:
            return operation(watch.both_progress(progress, feed))

    def do() -> Result:
        with watched.on(begun) as feed:
            return watch.watched(feed, lambda: shown(feed))

    return do


def _anew(workload: Path, system: Path, output: Path | None, chosen: dict[str, Any]) -> _Planned:
    loaded = common.load_workload(workload)
    end = _core.planned_end("simulate", loaded, options_json("simulate", chosen))

    def operation(progress: Any) -> Result:
        return simulate(loaded, system, output=output, progress=progress, **chosen)

    return operation, watch.begun("simulate", loaded.name, None, end)


def _again(
    path: Path, secrets: Workload | None, output: Path | None, chosen: dict[str, Any]
) -> _Planned:
    done = Result.load(path)
    if done.kind != "simulate":
        raise InputError(f"{path} is a run: `thinktime run --again {path}`")
    workload, _ = done.inputs(secrets)
    end = _core.planned_end("simulate", workload, options_json("simulate", done.options | chosen))

    def operation(progress: Any) -> Result:
        return again(done, workload=secrets, output=output, progress=progress, **chosen)

    return operation, watch.begun("simulate", workload.name, None, end)
