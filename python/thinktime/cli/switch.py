"""`thinktime switch`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from thinktime import InputError, switch
from thinktime.cli import common, signals
from thinktime.present import units
from thinktime.workload import load

Servers = Annotated[
    list[str],
    typer.Option(
        help="A server, as in http://HOST:PORT; repeat it for each server of the cluster.",
        metavar="URL",
    ),
]
Named = Annotated[
    Path | None, typer.Option(help="The workload file that gives requests their names.")
]
Cluster = Annotated[str | None, typer.Option(help="The name of the cluster, if there are several.")]
Connections = Annotated[int, typer.Option(help="Most client connections at a time; others wait.")]
BodyBytes = Annotated[int, typer.Option(help="The most bytes of a request's body.")]
Waiting = Annotated[
    int, typer.Option(help="Requests that may wait at the switch, if the policy lets them.")
]
Wait = Annotated[str, typer.Option(help="Longest wait of such a request.")]
Client = Annotated[
    str, typer.Option(help="Longest time for a client's head, and between its requests.")
]
Connect = Annotated[str, typer.Option(help="Longest time to connect to a server.")]
FirstByte = Annotated[str, typer.Option(help="Longest time until a server's response begins.")]
Idle = Annotated[str, typer.Option(help="Longest pause within a body.")]
Retries = Annotated[
    int, typer.Option(help="Retries at another server, for a request that may be repeated.")
]
Failures = Annotated[
    int, typer.Option(help="Failures in a row after which a server gets no requests.")
]
Closed = Annotated[str, typer.Option(help="Time without requests after these failures.")]
Drain = Annotated[str, typer.Option(help="Time for requests in progress at the end.")]
Log = Annotated[
    Path | None,
    typer.Option(help="The file that gets a line for each request, as `learn` reads it."),
]
Certificate = Annotated[
    Path | None, typer.Option(help="Accept clients by TLS with this certificate (PEM).")
]
Key = Annotated[
    Path | None, typer.Option(help="The certificate's private key, if it has its own file (PEM).")
]
Metrics = Annotated[
    str | None, typer.Option(help="HOST:PORT of the metrics for Prometheus, at /metrics.")
]
BehindProxy = Annotated[
    bool,
    typer.Option("--behind-proxy", help="Trust the header fields that name a request's sender."),
]
Health = Annotated[
    str | None,
    typer.Option(
        help="The path for health checks; a server that does not answer well gets no requests."
    ),
]
HealthEvery = Annotated[
    str | None, typer.Option(help="Time between health checks of a server; 5s by default.")
]
Probe = Annotated[
    str | None,
    typer.Option(help="The path at which servers report their work, for `prequal`."),
]
HealthWithin = Annotated[
    str | None, typer.Option(help="Longest time for the answer to a health check; 1s by default.")
]
SETTINGS = (
    "threads", "connections", "body_bytes", "waiting", "wait", "client", "connect", "first_byte",
    "idle", "retries", "failures", "closed", "drain", "behind_proxy",
    "health", "health_every", "health_within", "probe",
)  # fmt: skip


def command(
    context: typer.Context,
    system: Annotated[Path, typer.Argument(help="The system file with the cluster.")],
    server: Servers,
    listen: Annotated[str, typer.Option(help="HOST:PORT; port 0: a free one.")] = "127.0.0.1:8080",
    cluster: Cluster = None,
    workload: Named = None,
    seed: Annotated[int, typer.Option(help="The seed of the policy's draws.")] = 1,
    log: Log = None,
    certificate: Certificate = None,
    key: Key = None,
    metrics: Metrics = None,
    threads: Annotated[int, typer.Option(help="Threads that forward.")] = 1,
    connections: Connections = 10_000,
    body_bytes: BodyBytes = 64 * 2**20,
    waiting: Waiting = 1000,
    wait: Wait = "30s",
    client: Client = "60s",
    connect: Connect = "2s",
    first_byte: FirstByte = "60s",
    idle: Idle = "30s",
    retries: Retries = 1,
    failures: Failures = 3,
    closed: Closed = "10s",
    health: Health = None,
    health_every: HealthEvery = None,
    health_within: HealthWithin = None,
    probe: Probe = None,
    drain: Drain = "10s",
    behind_proxy: BehindProxy = False,
) -> None:
    """Forward requests to real servers, each to the one that a cluster's dispatch policy chooses.

    The policy is the code that simulates the cluster; the cluster's stations and cache are a model
    and not used. Ctrl-C or SIGTERM ends the switch when what is in progress has ended; SIGHUP makes
    it read its files, and open its access log, again.
    """
    settings = {name: context.params[name] for name in SETTINGS}
    with common.mapped_errors():
        named = None if workload is None else load(workload)
        hangups = signals.count_hangups()
        with switch(
            system,
            server,
            listen=listen,
            cluster=cluster,
            workload=named,
            seed=seed,
            log=log,
            certificate=certificate,
            key=key,
            metrics=metrics,
            **settings,
        ) as proxy:
            _until_interrupted(proxy, hangups, system, workload)


def _until_interrupted(
    proxy: switch, hangups: list[int], system: Path, workload: Path | None
) -> None:
    """Print where it listens, and wait until it ends or the user ends it."""
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
        if done.log_failure is not None:
            common.say_warnings([f"lines of the access log are missing: {done.log_failure}"])


def _tell(proxy: switch) -> None:
    """Events of servers are printed on standard error, as they happen."""
    for line in proxy.messages():
        typer.echo(line, err=True)


def _reload(proxy: switch, system: Path, workload: Path | None) -> None:
    """Read the files again; if they are wrong the switch stays as before."""
    try:
        proxy.reload(system, workload=None if workload is None else load(workload))
    except (InputError, OSError, OverflowError, UnicodeEncodeError) as error:
        common.say_warnings([f"not reloaded: {error}"])
    else:
        typer.echo(f"reloaded {system}")
