"""Memory and CPU time of many connected clients, each a Luau program, against `thinktime serve`.

Each client has a connection of its own, as far as the system allows that number of open files.
Their think time is such that all together send 5,000 requests a second. The server runs in a
process of its own, on another core if there is one. Memory is the resident set of this process,
minus its size before the run.

With `--generators N` the clients come from N generators of a Ray cluster on this machine, each with
its own limit of open files, and go to N servers, each with its own, from several addresses: Linux
takes ever longer to find a port once half of those between two addresses are in use. All are Luau
programs, and connect one after another in the first `CLIENTS / 5000` seconds. Memory is then the
resident sets of all generators together, minus those of another run with one client each.

    .venv/bin/python benches/clients.py [CLIENTS] [SECONDS] [--generators N]
"""

from __future__ import annotations

import argparse
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from load import processes

import thinktime as tt

SYSTEM = 'name = "quick"\n[[station]]\nname = "server"\ndemand = "const(10us)"\n'
WORKLOAD = """
name = "many"
[arrivals]
model = "closed"
clients = {clients}
[clients]
connections = "{connections}"
[session]
think = "{first}"
"""
SCRIPT = """
return function(client)
	while true do
		client:get("/")
		client:think("exp({think}s)")
	end
end
"""
RATE = 5000
SPARE = 500
"""Open files for everything else."""
PORTS = 10_000
"""Connections from one source address to one target, with room to spare."""


def resident_mib(process: int | str = "self") -> float:
    """The resident memory of a process; 0 if it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    lines = (line for line in status.splitlines() if line.startswith("VmRSS"))
    return sum(int(line.split()[1]) / 1024 for line in lines)


def run(
    directory: Path, url: str, clients: int, connections: str, seconds: float, script: bool
) -> None:
    """Run once, and print a line."""
    think = clients / RATE
    text = WORKLOAD.format(clients=clients, first=f"exp({think}s)", connections=connections)
    if script:
        (directory / "client.luau").write_text(SCRIPT.format(think=think))
        text += 'script = "client.luau"\n'
    path = directory / "many.toml"
    path.write_text(text)
    sources = [f"127.0.0.{2 + n}" for n in range(1 + clients // PORTS)]
    workload = tt.Workload.load(path)
    before = resident_mib()
    most = before

    def look(_: tt.Moment) -> None:
        nonlocal most
        most = max(most, resident_mib())

    result = tt.run(
        workload,
        url,
        duration=seconds,
        warmup=seconds / 2,
        rows="none",
        sources=sources,
        monitor=look,
    )
    summary = result.summary
    opened = summary["generator"]["connections_max"]
    print(
        f"{'Luau' if script else 'plain'}: {clients:,} clients, {opened:,} connections, "
        f"{summary['throughput']:.0f} requests/s, {summary['errors']} errors, "
        f"{most - before:.0f} MiB, {(most - before) * 1024 / clients:.2f} KiB a client; "
        f"{most:.0f} MiB with Python; "
        f"CPU {summary['generator']['cpu_share']:.0%}, "
        f"p99 lateness {summary['lateness_s']['p99'] * 1e6:.0f} us",
        flush=True,
    )


@contextmanager
def served(directory: Path, listen: str, core: int) -> Iterator[str]:
    """A server on a core; yields its url."""
    command = [sys.executable, "-c", "from thinktime.cli import main; main()", "serve"]
    server = subprocess.Popen(
        [*command, str(directory / "system.toml"), "--listen", listen],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        os.sched_setaffinity(server.pid, {core})
        assert server.stdout is not None
        yield server.stdout.readline().split()[2].rstrip(";")
    finally:
        server.terminate()
        server.wait(timeout=10)


@contextmanager
def largest_mib() -> Iterator[list[float]]:
    """The largest resident sets of generators, together."""
    sizes: dict[int, float] = {}
    done, found = threading.Event(), [0.0]

    def look() -> None:
        while not done.wait(0.5):
            for pid, name in processes.descendants().items():
                if name.startswith("ray::Generator"):
                    sizes[pid] = max(sizes.get(pid, 0.0), resident_mib(pid))

    watch = threading.Thread(target=look, daemon=True)
    watch.start()
    try:
        yield found
    finally:
        done.set()
        watch.join()
        found[0] = sum(sizes.values())


def spread(directory: Path, clients: int, seconds: float, generators: int, core: int) -> None:
    """Run from several generators, and print a line."""
    with socket.create_server(("127.0.1.1", 0)) as free:
        port = free.getsockname()[1]
    addresses = [f"127.0.1.{1 + number}" for number in range(generators)]
    ready = clients / RATE
    with ExitStack() as stack:
        for address in addresses:
            stack.enter_context(served(directory, f"{address}:{port}", core))
        summaries, sizes = [], []
        for number in (generators, clients):
            # A client thinks before it begins, so that they connect one after another.
            first = f"uniform(0s, {ready}s)"
            text = WORKLOAD.format(clients=number, first=first, connections="per-session")
            (directory / "client.luau").write_text(SCRIPT.format(think=ready))
            path = directory / "many.toml"
            path.write_text(text + 'script = "client.luau"\n')
            with largest_mib() as size:
                done = tt.run(
                    path,
                    f"http://many.test:{port}",
                    duration=5.0 if number == generators else ready + seconds,
                    warmup=0.0 if number == generators else ready,
                    rows="none",
                    resolve=[f"many.test:{port}:{','.join(addresses)}"],
                    sources=[f"127.0.0.{2 + n}" for n in range(1 + clients // generators // PORTS)],
                    on="ray",
                    generators=generators,
                )
            summaries.append(done.summary)
            sizes.append(size[0])
            if done.untrusted:
                print(f"  not to be trusted: {done.untrusted}", flush=True)
    tell(summaries[1], clients, sizes)


def tell(summary: dict[str, Any], clients: int, sizes: Sequence[float]) -> None:
    """Print the line of a run from several generators."""
    more = sizes[1] - sizes[0]
    print(
        f"Luau from {len(summary['generators'])} generators: {clients:,} clients, "
        f"{summary['generator']['connections_max']:,} connections, "
        f"{summary['throughput']:.0f} requests/s, {summary['errors']} errors, "
        f"{more:.0f} MiB, {more * 1024 / clients:.2f} KiB a client; "
        f"{sizes[1]:.0f} MiB with Python; "
        f"p99 lateness {(summary['lateness_s']['p99'] or 0) * 1e6:.0f} us; "
        f"load average {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    for warning in summary["warnings"]:
        print(f"  warning: {warning}")


def alone(directory: Path, clients: int, seconds: float, cores: Sequence[int]) -> None:
    """Run plain and Luau clients from this process."""
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    connected = min(clients, allowed - SPARE)
    with served(directory, "127.0.0.1:0", cores[0]) as url:
        os.sched_setaffinity(0, {cores[-1]})
        for script in (False, True):
            run(directory, url, connected, "per-session", seconds, script)
        if connected < clients:
            print(f"The system allows {allowed:,} open files; without connections of their own:")
            run(directory, url, clients, "keep-alive", seconds, script=True)


def main() -> None:
    """Serve, and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clients", nargs="?", type=int, default=100_000)
    parser.add_argument("seconds", nargs="?", type=float, default=60.0)
    parser.add_argument("--generators", type=int, help="from so many generators")
    given = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "system.toml").write_text(SYSTEM)
        if given.generators is None:
            alone(directory, given.clients, given.seconds, cores)
        else:
            spread(directory, given.clients, given.seconds, given.generators, cores[0])


if __name__ == "__main__":
    main()
