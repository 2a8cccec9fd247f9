"""`serve`: a system, or a folder of files, as a real server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thinktime import _core
from thinktime._core import InputError
from thinktime._core_types import TokenServerFigures
from thinktime.inputs.arguments import checked
from thinktime.inputs.dicts import present_keys
from thinktime.inputs.files import GivenSystem, GivenWorkload, system_of, workload_of


@dataclass(frozen=True)
class BurnTotals:
    """The CPU time that a server with `burn` has used, in seconds."""

    demanded_s: float
    """The demands of the answered requests together."""

    used_s: float
    """The use of the server's threads: for these demands, for reading, writing and starting
    threads, and for requests that the server's end cut off."""


@dataclass(frozen=True)
class CpuStat:
    """What a CPU limit did to a server with `burn`: `cpu.stat` of its control group."""

    periods: int
    """Periods in which its threads were at work (`nr_periods`)."""

    throttled_periods: int
    """Those at whose end it was throttled on at least one core (`nr_throttled`)."""

    throttled_s: float
    """For how long, in seconds, summed over cores (`throttled_usec`)."""


@dataclass(frozen=True)
class TokenTotals:
    """What a server did whose system has servers of tokens."""

    servers: dict[str, TokenServerFigures]
    """Their figures by name, as in `token_servers` of a summary, over the whole time."""

    cancellations: int
    """Requests whose clients left before the end of the response."""

    lateness_mean_s: float
    """How much later than the model's times tokens were sent, in seconds: the mean."""

    lateness_max_s: float
    """The largest."""


class serve:  # noqa: N801 - it is used like a function: `with serve(system) as server`
    """A system as a real HTTP/1.1 server, in threads of its own: modelled, or burning CPU time.

    A modelled server sends each response when the model says so. One that burns models nothing:
    each request is served by a thread that uses its demand of CPU time on this machine, so that
    its response time is what the kernel makes of it. Sleeps of behaviours use none.

    A request may carry its own service demand in the header `Thinktime-Demand`, a time for each
    station in the order of the system file, separated by commas; else the server draws it.

        with tt.serve("server.toml") as server:
            tt.run(workload, server.url)

    A system with a server of tokens speaks OpenAI's interface at `/v1/chat/completions` and
    `/v1/completions`, and streams its tokens when the model gives them.

    With `files` it serves a folder instead, and decides whose bytes are sent next:

        with tt.serve(files="site", policy="srpt", bandwidth="1.2MB/s") as server:
            ...
    """

    _burned: BurnTotals | None = None
    _cpu_stat: CpuStat | None = None
    _tokens: TokenTotals | None = None

    @checked
    def __init__(
        self,
        system: GivenSystem | None = None,
        *,
        listen: str = "127.0.0.1:0",
        seed: int = 1,
        burn: bool = False,
        threads: int | str | None = None,
        cores: Sequence[int] | None = None,
        cpu_limit: str | float | None = None,
        workload: GivenWorkload | None = None,
        server: int | None = None,
        files: str | Path | None = None,
        policy: str | None = None,
        bandwidth: str | None = None,
        link_class: str | None = None,
        server_timing: bool = False,
    ) -> None:
        """Bind to `HOST:PORT` (port 0: a free one) and serve at once.

        Args:
            system: A system, the path of its file, or its keys as a dict; one that burns is one
                machine or station.
            listen: HOST:PORT; port 0 takes a free one.
            seed: The seed of the demands that the server draws.
            burn: Burn the demands as CPU time of threads; model nothing.
            threads: With `burn`: per-request, or the size of a pool of threads. By default the
                machine's, or those that the station's policy suggests: under `fcfs` a pool of as
                many threads as it has servers, under `ps` one a request.
            cores: With `burn`: the cores that its threads are confined to, as in 0,1. They count
                from 0. By default as many as the machine has; with a station all.
            cpu_limit: With `burn`: the most CPU time that its threads may use, in cores, as in 700m
                or 1.5, in periods of 100 ms. They have a control group of their own for that, which
                the server's end removes. By default the limit of the system's machine, if any.
            workload: The workload file, or a name of `thinktime workload list`, with the sizes of
                responses. A workload, the path of its file, or its keys as a dict: it names
                requests, and gives their responses the sizes that a simulation with its seed gives
                them. Without it all have 16 bytes. If its requests have `tokens`, those are drawn,
                and `max_tokens` of a request is a limit. Not for a server that burns.
            server: Serve only this server of the system's cluster, counted from 0. It is for a
                switch in front of it, with the same file. The system is one cluster, and perhaps
                links before it, over which requests have come when they reach a server. With `burn`
                the server has no cache and no changes.
            files: Serve the files of this folder, instead of a system.
            policy: With `files`: fair (the default), or srpt, which first sends the response with
                the least left. Under `fair` the bytes of all responses are sent in turn.
            bandwidth: With `files`: the largest rate of sending, as in 1.2MB/s. It is a little less
                than a thin link takes, so that its queue stands in the server, which orders it.
                Headers of packets do not count. By default as fast as clients take them.
            link_class: With `files`: the first of eight classes of the link's queue, as in 1:10;
                responses with the least left use it. The link has classes of `htb`, in `tc`'s
                notation: packets of responses with at most 2, 5, 10, 20, 50, 100 and 200 kB left,
                and more, name one each (`SO_PRIORITY`). Takes the capability CAP_NET_ADMIN.
            server_timing: Report each request's demand in its response: Server-Timing:
                demand;dur=12.5. It is in milliseconds. Not with files.

        Raises:
            InputError: if the system, the address, the threads, the cores, the workload or how
                files are sent are wrong, or do not fit together, or there is no such folder.
            RunError: if the address is taken, the CPU time may not be limited, or the files may not
                be sent so.
        """
        if files is not None:
            of_system = (system, threads, cores, cpu_limit, workload, server)
            if any(one is not None for one in of_system) or burn or server_timing:
                raise InputError("files are served instead of a system: leave out its options")
            self._server = _of_files(files, listen, policy, bandwidth, link_class)
            return
        if system is None:
            raise InputError("nothing to serve: give a system, or a folder of files")
        if any(one is not None for one in (policy, bandwidth, link_class)):
            raise InputError("`policy`, `bandwidth` and `link_class` go with `files`: give it too")
        model = system_of(system)
        self._server = _core.Server(
            model if server is None else one_server(model, server, bare=burn),
            listen,
            seed,
            burn,
            _text(threads),
            None if cores is None else list(cores),
            None if workload is None else workload_of(workload),
            server_timing,
            _text(cpu_limit),
        )

    @property
    def url(self) -> str:
        """Where it listens, as in `http://127.0.0.1:8080`."""
        return self._server.url

    @property
    def running(self) -> bool:
        """Whether it still serves."""
        return self._server.running

    @property
    def work_units_per_s(self) -> float | None:
        """The calibration of a server that burns; None for others.

        It is the number of steps of a chain of multiplications that a core does in a second. The
        CPU clock measures long demands, except for their last 50 ms; the calibration alone measures
        those and short demands.
        """
        return self._server.work_units_per_s

    @property
    def burned(self) -> BurnTotals | None:
        """The CPU time that a server that burns has used; None until it is stopped."""
        return self._burned

    @property
    def cpu_stat(self) -> CpuStat | None:
        """What the CPU limit of a server that burns has done so far; None without a limit."""
        now = self._server.throttled
        return self._cpu_stat if now is None else CpuStat(*now)

    @property
    def tokens(self) -> TokenTotals | None:
        """What its servers of tokens did; None until it is stopped, and if there are none."""
        return self._tokens

    def stop(self) -> tuple[int, int] | None:
        """Stop, and return the numbers of requests answered and refused; None if stopped before.

        A server that burns cuts off its current demands.
        """
        done = self._server.stop()
        if done is None:
            return None
        answered, refused, cpu, throttled, tokens = done
        if cpu is not None:
            self._burned = BurnTotals(*cpu)
        if throttled is not None:
            self._cpu_stat = CpuStat(*throttled)
        if tokens is not None:
            late = tokens["lateness"]
            self._tokens = TokenTotals(
                tokens["servers"], tokens["cancellations"], late["mean_s"], late["max_s"]
            )
        return answered, refused

    def __enter__(self) -> serve:
        """Serve until the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.stop()


def one_server(system: _core.System, number: int, *, bare: bool = False) -> _core.System:
    """One server of a system's cluster, behind a switch elsewhere.

    Requests have come over the system's links before they reach it. A `bare` one is its stations or
    its machine by themselves, for a server that is real.

    Raises:
        InputError: The system is not one cluster and its links, has no such server, or, if `bare`,
            the server has a cache or changes, which only a model has.
    """
    alone = without_links(system).only_server(number)
    if not bare:
        return alone
    tables = present_keys(alone.tables)
    (cluster,) = tables["cluster"]
    for key in ("cache", "change"):
        if cluster.get(key):
            raise InputError(
                f"burn: a real server has no `{key}` of a model: leave it out of "
                f"`{cluster['name']}`"
            )
    return system_of({**tables, "cluster": [], "station": cluster["station"]})


def without_links(system: _core.System) -> _core.System:
    """The system as it is behind its links."""
    tables = present_keys(system.tables)
    return system_of({**tables, "link": []}) if tables["link"] else system


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _of_files(
    files: str | Path,
    listen: str,
    policy: str | None,
    bandwidth: str | None,
    link_class: str | None,
) -> _core.Server:
    if not Path(files).is_dir():
        raise InputError(f"files: `{files}` is no folder")
    order = "fair" if policy is None else policy
    return _core.Server.of_files(files, listen, order, bandwidth, link_class)
