"""`thinktime switch`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from thinktime import InputError, switch
from thinktime.cli import common, function_options, signals
from thinktime.cli.options import LISTEN
from thinktime.inputs.files import named_workload
from thinktime.present import units

Servers = Annotated[
    list[str],
    typer.Option(
        help="A server, as in http://HOST:PORT; repeat it for each server of the cluster.",
        metavar="URL",
    ),
]


@function_options.of(switch.__init__)
def command(
    system: Annotated[Path, typer.Argument(help="The system file with the cluster.")],
    server: Servers,
    listen: str = LISTEN,
    workload: Path | None = None,
    **given: Any,
) -> None:
    """Forward requests to real servers, each to the one that a cluster's dispatch policy chooses.

    The policy is the code that simulates the cluster; the cluster's stations and cache are a model
    and not used. Ctrl-C or SIGTERM ends the switch when what is in progress has ended; SIGHUP makes
    it read its files, and open its access log, again.
    """
    with common.mapped_errors():
        named = None if workload is None else named_workload(workload)
        hangups = signals.count_hangups()
        with switch(system, server, listen=listen, workload=named, **given) as proxy:
            _until_interrupted(proxy, hangups, system, workload)


def _until_interrupted(
    proxy: switch, hangups: list[int], system: Path, workload: Path | None
) -> None:
    """Print where it listens, and wait until it ends or the user ends it."""
    began_s, used_s = time.monotonic(), time.process_time()
    try:
        typer.echo(f"switching on {proxy.url}; Ctrl-C or SIGTERM ends it")
        if proxy.metrics_url is not None:
            typer.echo(f"metrics at {proxy.metrics_url}")
        while proxy.running:
            if hangups:
                hangups.clear()
                _reload(proxy, system, workload)
            _tell(proxy)
            time.sleep(0.2)
    except KeyboardInterrupt:
        pass
    _tell(proxy)
    done = proxy.stop()
    if done is not None:
        passed = units.counted(done.passed, "request")
        typer.echo(f"forwarded {passed}, refused {units.count(done.refused)}")
        for at, (requests, failures) in enumerate(zip(done.requests, done.failures, strict=True)):
            counts = units.counted(requests, "request"), units.counted(failures, "failure")
            typer.echo(f"server {at}: {counts[0]}, {counts[1]}")
        typer.echo(_cost(time.process_time() - used_s, time.monotonic() - began_s))
        if done.log_failure is not None:
            common.say_warnings([f"lines of the access log are missing: {done.log_failure}"])


def _cost(used_s: float, lasted_s: float) -> str:
    """The CPU time of the process since its start was done, in words."""
    share = units.percent(used_s / lasted_s)
    return (
        f"used {units.seconds(used_s)} of CPU time in {units.seconds(lasted_s)}: {share} of a core"
    )


def _tell(proxy: switch) -> None:
    """Events of servers are printed on standard error, as they happen."""
    for line in proxy.messages():
        typer.echo(line, err=True)


def _reload(proxy: switch, system: Path, workload: Path | None) -> None:
    """Read the files again; if they are wrong the switch stays as before."""
    try:
        proxy.reload(system, workload=None if workload is None else named_workload(workload))
    except (InputError, OSError, OverflowError, UnicodeEncodeError) as error:
        common.say_warnings([f"not reloaded: {error}"])
    else:
        typer.echo(f"reloaded {system}")
