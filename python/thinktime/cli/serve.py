"""`thinktime serve`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from thinktime import InputError, serve
from thinktime.cli import common, function_options
from thinktime.cli.options import LISTEN
from thinktime.inputs.files import named_workload
from thinktime.operations import TokenTotals
from thinktime.present import units


@function_options.of(serve.__init__)
def command(
    system: Annotated[
        Path | None, typer.Argument(help="The system file.", show_default=False)
    ] = None,
    listen: str = LISTEN,
    workload: Path | None = None,
    cores: str | None = None,
    **given: Any,
) -> None:
    """Serve a system over HTTP/1.1: responses leave when the model says so.

    With --burn they leave when a thread has used the demand of CPU time on this machine. A request
    may carry its own service demand in the header Thinktime-Demand (a time for each station,
    separated by commas); else the server draws it. With --files DIR it serves a folder, and decides
    whose bytes are sent next: behind a thin link, with --policy srpt and a --bandwidth a little
    below the link's, small files do not wait for large ones. A system with a server of tokens
    answers /v1/chat/completions and /v1/completions as OpenAI does, and streams tokens when the
    model gives them. Ctrl-C or SIGTERM ends the server.
    """
    with (
        common.mapped_errors(),
        serve(
            system,
            listen=listen,
            cores=None if cores is None else _cores(cores),
            workload=None if workload is None else named_workload(workload),
            **given,
        ) as serving,
    ):
        _until_interrupted(serving)


def _until_interrupted(server: serve) -> None:
    """Print where it serves, and wait until it ends or the user ends it."""
    try:
        typer.echo(f"serving on {server.url}; Ctrl-C or SIGTERM ends it")
        if server.work_units_per_s is not None:
            typer.echo(f"calibrated: {units.number(server.work_units_per_s)} work units a second")
        while server.running:
            time.sleep(0.2)
    except KeyboardInterrupt:
        pass
    _say_what_it_did(server)


def _say_what_it_did(server: serve) -> None:
    served = server.stop()
    if served is not None:
        typer.echo(
            f"answered {units.counted(served[0], 'request')}, refused {units.count(served[1])}"
        )
    if server.tokens is not None:
        _say_what_tokens_it_gave(server.tokens)
    if server.burned is not None:
        used = server.burned
        used_s, demanded_s = units.seconds(used.used_s), units.seconds(used.demanded_s)
        typer.echo(f"used {used_s} of CPU time, for demands of {demanded_s}")
    if server.cpu_stat is not None:
        stat = server.cpu_stat
        share = units.percent(stat.throttled_periods / stat.periods if stat.periods else 0.0)
        typer.echo(
            f"throttled in {units.count(stat.throttled_periods)} of {units.count(stat.periods)} "
            f"periods ({share}), for {units.seconds(stat.throttled_s)} over all cores"
        )


def _say_what_tokens_it_gave(done: TokenTotals) -> None:
    from thinktime.report.token_servers import sentence

    for name, figures in done.servers.items():
        typer.echo(f"{sentence(name, figures)}; {units.counted(figures['steps'], 'step')}")
    mean, largest = units.seconds(done.lateness_mean_s), units.seconds(done.lateness_max_s)
    typer.echo(f"tokens were late by {mean} on average, at most by {largest}")
    if done.cancellations:
        left = units.counted(done.cancellations, "request")
        typer.echo(f"{left} ended early, because the client left")


def _cores(text: str) -> list[int]:
    try:
        cores = [int(part) for part in text.split(",")]
    except ValueError:
        cores = [-1]
    if any(core < 0 for core in cores):
        raise InputError(f"--cores is a list of numbers from 0 on, as in 0,1, not `{text}`")
    return cores
