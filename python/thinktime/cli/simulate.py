"""`thinktime simulate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from thinktime import InputError, Result, _core, again, simulate
from thinktime.cli import common, options, told
from thinktime.given import options_json


@options.of("simulate")
def command(
    workload: Annotated[
        Path | None, typer.Argument(help=options.WORKLOAD + "; none with --again.")
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
    **given: Any,
) -> None:
    """Simulate a workload on a model of a server."""
    if output is None:
        given["rows"] = "none"
    chosen = common.chosen(given | {"label": label})
    with common.mapped_errors():
        files = told.files(junit, markdown)
        if again is not None:
            if workload is not None:
                raise InputError("with --again the workload and the system are the result's")
            operation, requests, end_s = _again(again, output, chosen)
        elif workload is None or system is None:
            raise InputError("give a workload file and a system file, or --again DIR")
        else:
            operation, requests, end_s = _anew(workload, system, output, chosen)

    def shown() -> Result:
        with common.progress_shown("simulating", requests, end_s, quiet) as progress:
            return operation(progress)

    common.finish(shown, json, output, files)


_Planned = tuple[Callable[[Any], Result], int | None, float | None]
"""What is to be done, and when it ends."""


def _anew(workload: Path, system: Path, output: Path | None, chosen: dict[str, Any]) -> _Planned:
    loaded = common.load_workload(workload)
    end = _core.planned_end("simulate", loaded, options_json("simulate", chosen))

    def operation(progress: Any) -> Result:
        return simulate(loaded, system, output=output, progress=progress, **chosen)

    return operation, *end


def _again(path: Path, output: Path | None, chosen: dict[str, Any]) -> _Planned:
    done = Result.load(path)
    if done.kind != "simulate":
        raise InputError(f"{path} is a run: `thinktime run --again {path}`")
    workload, _ = done.inputs()
    end = _core.planned_end("simulate", workload, options_json("simulate", done.options | chosen))

    def operation(progress: Any) -> Result:
        return again(done, output=output, progress=progress, **chosen)

    return operation, *end
