"""`switch`: a cluster's dispatch policy in front of real servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from thinktime import _core
from thinktime.inputs.arguments import checked
from thinktime.inputs.files import GivenSystem, GivenWorkload, system_of, workload_of
from thinktime.operations.outcome import Time


@dataclass(frozen=True)
class SwitchTotals:
    """The counts of a switch."""

    passed: int
    """Requests that a server answered."""

    refused: int
    """Requests that the switch answered itself, with an error."""

    requests: list[int]
    """By server, the requests that it answered."""

    failures: list[int]
    """By server, the number of missing connections, missing answers and responses without an
    end."""

    log_failure: str | None = None
    """Why lines of the access log are missing; None if all are there."""


def identity_of(certificate: str | Path | None, key: str | Path | None) -> tuple[Path, Path] | None:
    """The files by which a server proves its identity: its certificate and its key.

    Raises:
        InputError: There is a key without a certificate.
    """
    if certificate is None:
        if key is not None:
            raise _core.InputError("`key` is that of a `certificate`: give both")
        return None
    return Path(certificate), Path(certificate if key is None else key)


class switch:  # noqa: N801 - it is used like a function: `with switch(cluster, ...) as proxy`
    """A reverse proxy that sends each request where a cluster's dispatch policy says.

    The policy is the very code that simulations of the cluster use. Of the system file only what
    the switch does is used: `dispatch`, `weights`, `classes` and `seen_after`; stations and caches
    are the model of the servers, which are real here.

        with tt.switch("cluster.toml", servers=["http://127.0.0.1:8081", ...]) as proxy:
            tt.run(workload, proxy.url)
    """

    @checked
    def __init__(
        self,
        system: GivenSystem,
        servers: Sequence[str],
        *,
        listen: str = "127.0.0.1:0",
        cluster: str | None = None,
        workload: GivenWorkload | None = None,
        seed: int = 1,
        log: str | Path | None = None,
        certificate: str | Path | None = None,
        key: str | Path | None = None,
        metrics: str | None = None,
        threads: int = 1,
        connections: int = 10_000,
        body_bytes: int = 64 * 2**20,
        waiting: int = 1000,
        wait: Time = "30s",
        client: Time = "60s",
        connect: Time = "2s",
        first_byte: Time = "60s",
        idle: Time = "30s",
        retries: int = 1,
        failures: int = 3,
        closed: Time = "10s",
        health: str | None = None,
        health_every: Time | None = None,
        health_within: Time | None = None,
        probe: str | None = None,
        drain: Time = "10s",
        behind_proxy: bool = False,
    ) -> None:
        """Bind to `HOST:PORT` (port 0: a free one) and forward at once.

        Args:
            system: A system with a cluster, the path of its file, or its keys as a dict.
            servers: The real server for each of the cluster's, as in `http://127.0.0.1:8081`.
            listen: HOST:PORT; port 0 takes a free one.
            cluster: The name of the cluster, if there are several.
            workload: The workload file, or a name of `thinktime workload list`, that gives requests
                their names. A workload, the path of its file, or its keys as a dict; the names are
                for the cluster's classes. Without it the name is the first part of the target's
                path.
            seed: The seed of the policy's draws. It gives the same as a simulation's.
            log: The file that gets a line for each request, as `learn` reads it. It is in the
                Combined Log Format with the response time and the server behind it, a second later.
            certificate: Accept clients by TLS with this certificate (PEM). Those that lead to its
                authority follow in the file. Clients then speak HTTP/2 or HTTP/1.1.
            key: As in `run`.
            metrics: HOST:PORT of the metrics for Prometheus, at /metrics. Port 0 takes a free one;
                it is another port than that of `listen`.
            threads: Threads that forward.
            connections: Most client connections at a time; others wait.
            body_bytes: The most bytes of a request's body.
            waiting: Requests that may wait at the switch, if the policy lets them.
            wait: Longest wait of such a request.
            client: Longest time for a client's head, and between its requests.
            connect: Longest time to connect to a server.
            first_byte: Longest time until a server's response begins.
            idle: Longest pause within a body.
            retries: Retries at another server, for a request that may be repeated.
            failures: Failures in a row after which a server gets no requests.
            closed: Time without requests after these failures.
            health: The path for health checks; a server that does not answer well gets no requests.
            health_every: Time between health checks of a server; 5s by default.
            health_within: Longest time for the answer to a health check; 1s by default.
            probe: The path at which servers report their work, for `prequal`.
            drain: Time for requests in progress at the end.
            behind_proxy: Trust the header fields that name a request's sender.

        Raises:
            InputError: if the system, the servers, the workload, the address or a setting are
                wrong, the policy needs information that a real switch does not have, the log cannot
                be opened, or the certificate and key cannot be read or do not belong together.
            RunError: if the address is taken.
        """
        times = {
            "wait": wait,
            "client": client,
            "connect": connect,
            "first_byte": first_byte,
            "idle": idle,
            "closed": closed,
            "drain": drain,
            "health_every": health_every,
            "health_within": health_within,
        }
        self._servers = list(servers)
        self._workload = None if workload is None else workload_of(workload)
        self._switch = _core.Switch(
            system_of(system),
            self._servers,
            listen,
            cluster,
            self._workload,
            seed,
            None if log is None else Path(log),
            identity_of(certificate, key),
            metrics,
            {
                "threads": threads,
                "connections": connections,
                "body_bytes": body_bytes,
                "waiting": waiting,
                "retries": retries,
                "failures": failures,
                "behind_proxy": behind_proxy,
                "health": health,
                "probe": probe,
                **{name: None if time is None else str(time) for name, time in times.items()},
            },
        )

    @property
    def url(self) -> str:
        """Where it listens, as in `http://127.0.0.1:8080`; https with a certificate."""
        return self._switch.url

    @property
    def metrics_url(self) -> str | None:
        """The address of the metrics, as in `http://127.0.0.1:9100/metrics`; None without any."""
        return self._switch.metrics_url

    @property
    def running(self) -> bool:
        """Whether it still forwards."""
        return self._switch.running

    def messages(self) -> list[str]:
        """The events of servers since the last call, one per line.

        A server that gets no requests any more, or gets some again, with the reason; and one that
        answers no probes. Beyond 1,000 lines the oldest are lost.
        """
        return self._switch.messages()

    @checked
    def reload(
        self,
        system: GivenSystem,
        servers: Sequence[str] | None = None,
        *,
        workload: GivenWorkload | None = None,
    ) -> None:
        """Place requests by another system from now on, without a lost one.

        Requests in progress stay on their servers, and the new policy counts them. It remembers
        nothing else of the time before. A server whose URL stays is the same server: it is closed
        if it was. All arguments of the start that are not given here stay. The file of the access
        log is opened again, so that it may have been moved away.

        Args:
            system: As at the start.
            servers: The real server for each of the cluster's; None for those of now.
            workload: As at the start; None for that of now.

        Raises:
            InputError: if the system, the servers or the workload are wrong, or the number of
                servers is not the cluster's. The switch stays as before.
        """
        given = self._servers if servers is None else list(servers)
        names = self._workload if workload is None else workload_of(workload)
        self._switch.reload(system_of(system), given, names)
        self._servers, self._workload = given, names

    def stop(self) -> SwitchTotals | None:
        """End the work in progress, stop, and return the counts; None if stopped before."""
        done = self._switch.stop()
        return None if done is None else SwitchTotals(*done)

    def __enter__(self) -> switch:
        """Forward until the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop."""
        self.stop()
