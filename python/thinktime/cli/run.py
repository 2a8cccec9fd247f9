"""`thinktime run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from thinktime import InputError, Result, Workload, _core, again, run
from thinktime.cli import common, live, options, told
from thinktime.given import options_json


@options.of("run")
def command(
    workload: Annotated[
        Path | None, typer.Argument(help=options.WORKLOAD + "; none with --again.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="The server, as in http://127.0.0.1:8080.")
    ] = None,
    demands: Annotated[
        Path | None,
        typer.Option(
            help="A system file whose service demands the requests carry, as `simulate` with the "
            "same seed would draw them; for `thinktime serve`."
        ),
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
    """Run a workload against a real server."""
    if output is None:
        given["rows"] = "none"
    chosen = common.chosen(given | {"label": label})
    with common.mapped_errors():
        files = told.files(junit, markdown)
        if again is not None:
            if workload is not None or demands is not None:
                raise InputError("with --again the workload and its demands are the result's")
            name, operation = _again(again, target, output, quiet, chosen)
        elif workload is None or target is None:
            raise InputError("give a workload file and --target, or --again DIR")
        else:
            more = {"demands": demands, "output": output, **chosen}
            name, operation = _anew(common.load_workload(workload), target, quiet, more)
    common.finish(operation, json, output, files, name)


_Named = tuple[str, common.Operation]
"""The workload's name, and what is to be done."""


def _anew(workload: Workload, target: str, quiet: bool, more: dict[str, Any]) -> _Named:
    requests, end_s = _core.planned_end("run", workload, options_json("run", more))

    def operation() -> Result:
        with live.shown(f"running against {target}", requests, end_s, quiet) as monitor:
            return run(workload, target, monitor=monitor, **more)

    return workload.name, operation


def _again(
    path: Path, target: str | None, output: Path | None, quiet: bool, given: dict[str, Any]
) -> _Named:
    done = Result.load(path)
    if done.kind != "run":
        raise InputError(f"{path} is a simulation: `thinktime simulate --again {path}`")
    workload, _ = done.inputs()
    where = target or str(done.target)
    requests, end_s = _core.planned_end("run", workload, options_json("run", done.options | given))

    def operation() -> Result:
        with live.shown(f"running against {where}", requests, end_s, quiet) as monitor:
            return again(done, target=target, output=output, monitor=monitor, **given)

    return workload.name, operation
