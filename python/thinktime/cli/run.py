"""`thinktime run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime import Result, Workload, run
from thinktime.cli import common, live, options


def command(
    workload: options.Workload,
    target: Annotated[str, typer.Option(help="The server, as in http://127.0.0.1:8080.")],
    duration: Annotated[
        str | None, typer.Option(help="Time at which no more requests begin; 30s by default.")
    ] = None,
    requests: Annotated[int | None, typer.Option(help="Requests after the warm-up.")] = None,
    warmup: options.Warmup = None,
    drain: Annotated[
        str | None, typer.Option(help="How long the last responses are waited for; 10s.")
    ] = None,
    seed: options.Seed = None,
    demands: Annotated[
        Path | None,
        typer.Option(
            help="A system file whose service demands the requests carry, as `simulate` with the "
            "same seed would draw them; for `thinktime serve`."
        ),
    ] = None,
    stop_on_slo: Annotated[
        bool, typer.Option("--stop-on-slo", help="End once the SLO can no longer be met.")
    ] = False,
    ca: Annotated[
        Path | None,
        typer.Option(help="Certificate authorities of an https target, as a file in PEM form."),
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Take any certificate of an https target.")
    ] = False,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="An address that connections come from, perhaps with a range of ports "
            "(127.0.0.2:20000-60000); may be given several times."
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(help="How much later than scheduled requests may be sent, to save CPU; 0s."),
    ] = None,
    loops: Annotated[
        int, typer.Option(help="Event loops, each on a core of its own.", min=1, max=1024)
    ] = 1,
    quiet: options.Quiet = False,
    rows: options.Rows = None,
    output: options.Output = None,
    json: options.Json = False,
) -> None:
    """Run a workload against a real server."""
    with common.mapped_errors():
        loaded = Workload.load(workload)
        replays = loaded.replayed_requests is not None
        end_s = common.seconds(duration if duration or requests or replays else "30s")

    def operation() -> Result:
        with live.shown(f"running against {target}", requests, end_s, quiet) as monitor:
            return run(
                loaded,
                target,
                seed=seed,
                requests=requests,
                duration=duration,
                warmup=warmup,
                drain=drain,
                demands=demands,
                rows=rows if output is not None else "none",
                output=output,
                monitor=monitor,
                stop_on_slo=stop_on_slo,
                ca_file=ca,
                insecure=insecure,
                sources=source or (),
                precision=precision,
                loops=loops,
            )

    common.finish(operation, json, output)
