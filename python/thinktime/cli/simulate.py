"""`thinktime simulate`."""

from __future__ import annotations

from typing import Annotated

import typer

from thinktime import Result, simulate
from thinktime.cli import common, options


def command(
    workload: options.Workload,
    system: options.System,
    requests: Annotated[
        int | None,
        typer.Option(help="Requests after the warm-up; 1000000 if nothing else ends it."),
    ] = None,
    duration: Annotated[
        str | None, typer.Option(help="Virtual time at which no more requests begin, as in 10min.")
    ] = None,
    load: Annotated[
        float | None,
        typer.Option(help="Hold this load (0 to 1): sets the rate, or solves the think time."),
    ] = None,
    warmup: options.Warmup = None,
    seed: options.Seed = None,
    replications: Annotated[int, typer.Option(help="Independent replications, on all cores.")] = 1,
    precision: Annotated[
        str | None,
        typer.Option(help="Go on until the mean's 95 % interval is this narrow, as in 1%."),
    ] = None,
    rows: options.Rows = None,
    output: options.Output = None,
    json: options.Json = False,
) -> None:
    """Simulate a workload on a model of a server."""
    with common.mapped_errors():
        end_s = common.seconds(duration)

    def operation() -> Result:
        with common.progress_shown("simulating", requests, end_s) as progress:
            return simulate(
                workload,
                system,
                load=load,
                seed=seed,
                requests=requests,
                duration=duration,
                warmup=warmup,
                replications=replications,
                precision=precision,
                rows=rows if output is not None else "none",
                output=output,
                progress=progress,
            )

    common.finish(operation, json, output)
