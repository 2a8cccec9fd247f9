"""Memory and CPU time of many connected clients, each a Luau program, against `thinktime serve`.

Each client has a connection of its own, as far as the system allows so many open files. They think
so long that all together ask for 5,000 requests a second. The server runs in a process of its own,
on another core where there is one. Memory is the resident set of this process, less what it was
before the run.

    .venv/bin/python benches/clients.py [CLIENTS] [SECONDS]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

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
think = "exp({think}s)"
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


def resident_mib() -> float:
    """What of this process lies in memory."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def run(
    directory: Path, url: str, clients: int, connections: str, seconds: float, script: bool
) -> None:
    """Run once, and print a line."""
    think = clients / RATE
    text = WORKLOAD.format(clients=clients, think=think, connections=connections)
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


def main() -> None:
    """Serve, and run plain and Luau clients."""
    clients = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
    cores = sorted(os.sched_getaffinity(0))
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))
    connected = min(clients, allowed - SPARE)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "system.toml").write_text(SYSTEM)
        command = [sys.executable, "-c", "from thinktime.cli import main; main()", "serve"]
        server = subprocess.Popen(
            [*command, str(directory / "system.toml"), "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            os.sched_setaffinity(server.pid, {cores[0]})
            os.sched_setaffinity(0, {cores[-1]})
            assert server.stdout is not None
            url = server.stdout.readline().split()[2].rstrip(";")
            for script in (False, True):
                run(directory, url, connected, "per-session", seconds, script)
            if connected < clients:
                print(
                    f"The system allows {allowed:,} open files; without connections of their own:"
                )
                run(directory, url, clients, "keep-alive", seconds, script=True)
        finally:
            server.terminate()
            server.wait(timeout=10)


if __name__ == "__main__":
    main()
