"""`run`: a workload against a real server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from thinktime import _core
from thinktime.inputs import arrivals, url
from thinktime.inputs.arguments import checked
from thinktime.inputs.arrivals import ByPopulation
from thinktime.inputs.files import GivenSystem, GivenWorkload, system_of
from thinktime.inputs.proxies import chosen as chosen_proxy
from thinktime.operations import target_allowlist
from thinktime.operations.arrivals_end import arrivals_notes
from thinktime.operations.fitted_system import fitted
from thinktime.operations.outcome import Progress, Time, with_seed, written_result
from thinktime.operations.run_options import run_options_json
from thinktime.operations.run_progress import Moment
from thinktime.results.result import Result
from thinktime.results.run_notes import Notes


@checked
def run(
    workload: GivenWorkload,
    target: str | None = None,
    *,
    seed: int | None = None,
    requests: int | None = None,
    duration: Time | None = None,
    warmup: Time | None = None,
    precision: float | str | None = None,
    drain: Time | None = None,
    scale: float | None = None,
    rate: float | str | ByPopulation | None = None,
    clients: int | str | ByPopulation | None = None,
    think: Time | ByPopulation | None = None,
    demands: GivenSystem | None = None,
    rows: str | None = None,
    output: str | Path | None = None,
    label: str | None = None,
    progress: Progress | None = None,
    monitor: Callable[[Moment], None] | None = None,
    stop_on_slo: bool = False,
    show_errors: bool = False,
    ca_file: str | Path | None = None,
    insecure: bool = False,
    certificate: str | Path | None = None,
    key: str | Path | None = None,
    sources: Sequence[str] = (),
    resolve: Sequence[str] = (),
    ip_version: int | None = None,
    lookup: Time | None = None,
    unix_socket: str | Path | None = None,
    proxy: str | None = None,
    link: str | None = None,
    lateness: Time | None = None,
    loops: int = 1,
    on: str | None = None,
    generators: int | None = None,
    on_loss: str | None = None,
    leave_rows: str | Path | None = None,
) -> Result:
    """Run a workload against a real server.

    Args:
        workload: A workload, the path of its file, or its keys as a dict; or a URL alone, which is
            one request: 10/s, or as many as the `clients` make, for 10 s unless told otherwise.
        target: The server, as in http://127.0.0.1:8080. None with a URL.
        seed: The seed, instead of the workload's.
        requests: Number of requests that begin after the warm-up; without a limit by default.
        duration: Time at which no more requests begin, as in 60s; 30s if nothing else ends the run.
        warmup: Requests scheduled before this time are sent, but do not count; 0s by default.
        precision: Run until the half-width of the mean's 95 % interval is this share of the mean,
            as in 5%: for at least 10 s and 1,250 requests, and at most the duration, which is then
            10 min if nothing else ends the run. The responses to what has begun are still waited
            for. Not with several generators.
        drain: Longest wait for the last responses; 10s by default.
        scale: Factor of the rates and clients of all populations, as in 2. It is above 0.
        rate: The rate of sessions or, in an open model, requests, instead of the workload's. A
            number a second, or a text such as "600/min"; not for a closed model. For populations a
            dict of their names, as in `{"people": "8/s"}`.
        clients: The clients of a closed model, instead of the workload's. 1 to 10,000,000; for
            populations a dict.
        think: The think time of a closed or partly-open model, instead of the workload's. A time,
            or a distribution such as "exp(7s)"; for populations a dict. Requests with a think time
            of their own keep it.
        demands: A system whose service demands the requests carry, drawn as `simulate` would draw
            them with the same seed: for a target that is `serve`.
        rows: Rows of requests.parquet: all (the default), none, or 1/N of the sessions.
        output: The result directory to write. It replaces an older result at the end.
        label: The name of the result; by default its workload, the commit and the time.
        progress: Called about twenty times a second.
        monitor: Called about ten times a second with more of the state so far.
        stop_on_slo: End once the SLO can no longer be met. An error share or a percentile's share
            is then above its limit by two half-widths of its 95 % interval, or would be with any
            further requests, after at least 1,000 of them. A warning says so; the result is that up
            to then.
        show_errors: Show the beginning of the first response of each kind of failure. It is kept by
            request and cause: `by_request.NAME.bodies` of the summary, and the table of failures.
            The result then has words of the server, without the secrets that the server received.
        ca_file: PEM file of the certificate authorities of an https, wss or h3 target or of a
            database; those that Mozilla trusts by default.
        insecure: Accept any certificate of an https, wss or h3 target or of a database.
        certificate: PEM file of the client's certificate for an https, wss or h3 target or a
            database, with those that lead to its authority.
        key: PEM file of the certificate's private key; the certificate's file by default. It has no
            password.
        sources: Source address of connections, perhaps with a range of ports
            (127.0.0.2:20000-60000). Connections use several in turn.
        resolve: Addresses of the target's host, instead of a lookup: HOST:PORT:ADDRESS, with commas
            between several; new connections use them in turn.
        ip_version: The version of IP: 4 or 6; by default that of the first address that answers.
        lookup: Time between lookups of the host during the run; one lookup before the run by
            default. 10 ms at least.
        unix_socket: The path of a Unix socket that connections go to, instead of the target's host.
            The url gives the rest.
        proxy: An HTTP proxy by which the target is reached, as in http://HOST:PORT. No result has
            its user and password. By default the one that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name
            for a target that is not on this machine; "" for no proxy.
        link: A link for all packets to the target and back, as in "delay = 50ms, loss = 1%, rate =
            10Mbit/s"; or a file with one [[link]]; needs root or user namespaces. It has the keys
            of a lab's `[[link]]`. TCP over it is the kernel's own. Each of several generators has
            such a link of its own.
        lateness: Largest lateness of requests, allowed to save CPU time; 0s by default. The
            generator of an open model then wakes less often.
        loops: Event loops, each on a core of its own. Each has its share of the sessions; together
            they do the work of one.
        on: Run from the machines of a Ray cluster: ray for one on this machine, ray://HOST:PORT or
            auto for a running one. "auto" is the one that this machine belongs to.
        generators: Number of generators on the cluster; one on each of its nodes by default. Each
            is a process.
        on_loss: Reaction to a lost generator: stop (the default), or continue with its sessions on
            another one.
        leave_rows: Leave the rows on the nodes, each in this folder of its own disk, instead of
            gathering them in requests.parquet; thinktime collect fetches them. It is an absolute
            path. The summary has their places (`generators`).

    Raises:
        InputError: if the input is wrong.
        RunError: if the target cannot be reached at all, or nothing comes over the link to it.
        Unwritten: if `output` cannot be written to; with the result.
        Interrupted: on Ctrl-C, with the result so far.
    """
    given = locals()
    if url.is_url(workload):
        workload, target, given = url.taken(workload, target, given)
    elif target is None:
        raise _core.InputError("target: give the address of the server, or a URL alone")
    loaded = with_seed(workload, seed)
    target_allowlist.check(loaded, target, given)
    given |= {"proxy": chosen_proxy(proxy, target, unix_socket)}
    options = run_options_json(given)
    workload = arrivals.with_arrivals(loaded, given)
    modelled, told = None, arrivals_notes("run", workload, options)
    if demands is not None:
        modelled, unused = fitted(system_of(demands), workload)
        told = [*unused, *told]
    notes = Notes.of(workload, modelled, given, told)

    def do(
        gathering: _core.Gathering | None = None, crossing: tuple[Path, str] | None = None
    ) -> _core.ResultData:
        return _core.run(
            workload, target, options, demands=modelled,
            output=None if output is None else Path(output),
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            progress=notes.progress,
            monitor=None if monitor is None else lambda seen: monitor(Moment.of(seen)),
            gathering=gathering, crossing=crossing,
        )  # fmt: skip

    over = None
    if link is not None:
        from thinktime.lab.run_over_link import crossing_of

        over = crossing_of(link, workload, target, given)
    if on is not None:
        from thinktime.distributed import run_on_cluster

        done, records = run_on_cluster(workload, target, options, modelled, do, over)
        if over is not None:
            return written_result(done, notes, over.together(records).note)
    elif over is not None:
        with over.made(given) as (inside, found):
            done = do(crossing=inside)
        return written_result(done, notes, found.note)
    else:
        done = do()
    return written_result(done, notes)
