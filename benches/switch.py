"""The cost of forwarding: the switch beside nginx and HAProxy, each before the same nginx.

    .venv/bin/python benches/switch.py [--rate R] [--seconds S] [--rounds N] [--bytes B]
        [--proxies NAME...] [--calls] [--idle CONNECTIONS]

All proxies run at once, each with one thread on the last core, and receive requests in turns,
another first in each round; the load generator and the server share the first core. Times are from
sending to the last byte; what a proxy adds is what it takes beyond the server alone in the same
round. CPU time is that of all processes of a proxy, as the kernel counts it in hundredths of a
second.

--calls counts the system calls of a request with strace instead, which slows what it counts.
--idle opens that number of client connections, asks once on each, and prints the proxy's memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from load.proxies import Proxy, available, proxy
from load.server import Server, nginx
from system_calls import total

import thinktime as tt

WORKLOAD = 'name = "bench"\n[arrivals]\nmodel = "open"\nrate = "{rate}/s"\n'
DIRECT = "server alone"
WARM_UP_S = 1.0
SPARE = 5000
"""Client connections beside the idle ones: a client that pauses for a second meets many
arrivals."""


@dataclass(frozen=True)
class Turn:
    """The measurements of one turn; times in microseconds."""

    cpu_us: float
    p50_us: float
    p99_us: float


def load(name: str, url: str, rate: float, seconds: float) -> dict:
    """Send requests to the proxy of that name at that rate; the summary."""
    workload = tt.Workload(WORKLOAD.format(rate=rate))
    summary = tt.run(workload, url, duration=seconds, rows="none").summary
    if summary["errors"]:
        raise SystemExit(f"requests to {name} have failed: {summary['errors_by_kind']}")
    return summary


def turn(name: str, url: str, asked: Proxy | None, options: argparse.Namespace) -> Turn:
    """Send requests for a while, and measure the cost."""
    load(name, url, options.rate, WARM_UP_S)
    before = asked.cpu_s() if asked else 0.0
    summary = load(name, url, options.rate, options.seconds)
    spent = asked.cpu_s() - before if asked else 0.0
    times = summary["service_time_s"]
    return Turn(spent / summary["requests"] * 1e6, times["p50"] * 1e6, times["p99"] * 1e6)


def measure(
    server: Server, proxies: dict[str, Proxy], options: argparse.Namespace
) -> list[dict[str, Turn]]:
    """By round, the cost of each."""
    asked: list[tuple[str, Proxy | None]] = [(DIRECT, None), *proxies.items()]
    rounds = []
    for number in range(options.rounds):
        first = number % len(asked)
        rounds.append(
            {
                name: turn(name, one.url if one else server.http, one, options)
                for name, one in asked[first:] + asked[:first]
            }
        )
    return rounds


def spread(values: list[float], digits: int = 0) -> str:
    """Median and range."""
    return f"{median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def table(rounds: list[dict[str, Turn]], proxies: list[str]) -> None:
    """A line for each proxy: medians of the rounds, and their ranges."""
    alone = [one[DIRECT] for one in rounds]
    print("| | CPU a request, µs | to nginx's | added median, µs | added p99, µs |")
    print("|---|---|---|---|---|")
    for name in proxies:
        turns = [one[name] for one in rounds]
        share = "–"
        if "nginx" in proxies:
            share = spread([one[name].cpu_us / one["nginx"].cpu_us for one in rounds], 2)
        p50, p99 = (
            spread([getattr(a, what) - getattr(b, what) for a, b in zip(turns, alone, strict=True)])
            for what in ("p50_us", "p99_us")
        )
        print(f"| {name} | {spread([one.cpu_us for one in turns])} | {share} | {p50} | {p99} |")
    p50, p99 = (spread([getattr(one, what) for one in alone]) for what in ("p50_us", "p99_us"))
    print(f"\nThe {DIRECT}: median {p50} µs, p99 {p99} µs.")


def against_better(rounds: list[dict[str, Turn]], proxies: list[str]) -> None:
    """The time added by the switch, as a share of that of the better one of the others."""
    others = [name for name in proxies if name != "switch"]
    if "switch" not in proxies or not others:
        return
    for what, words in (("p50_us", "median"), ("p99_us", "p99")):
        added = {
            name: median(getattr(one[name], what) - getattr(one[DIRECT], what) for one in rounds)
            for name in proxies
        }
        better = min(others, key=added.__getitem__)
        share = f"{added['switch'] / added[better]:.2f} of" if added[better] > 0 else "beside"
        print(f"Added {words} of the switch: {share} that of {better}.")


def calls(proxies: dict[str, Proxy], options: argparse.Namespace, directory: Path) -> None:
    """Count the system calls of a request, by name."""
    if shutil.which("strace") is None:
        raise SystemExit("strace is not installed: apt-get install strace")
    for name, one in proxies.items():
        load(name, one.url, options.rate, WARM_UP_S)
        file = directory / "calls"
        command = ["strace", "--follow-forks", "--summary-only", f"--output={file}"]
        counter = subprocess.Popen(
            [*command, *(f"--attach={pid}" for pid in one.pids())], stderr=subprocess.DEVNULL
        )
        try:
            time.sleep(0.5)
            requests = load(name, one.url, options.rate, options.seconds)["requests"]
        finally:
            counter.send_signal(signal.SIGINT)
            counter.wait(timeout=30)
        text = file.read_text()
        each = {call: count / requests for call, count in by_name(text).items()}
        most = ", ".join(f"{call} {count:.2f}" for call, count in each.items() if count >= 0.01)
        print(f"{name}: {total(text) / requests:.2f} system calls a request: {most}", flush=True)


def by_name(text: str) -> dict[str, int]:
    """The counts of strace by system call, the most frequent first."""
    rows = [line.split() for line in text.splitlines() if line.strip()[:1].isdigit()]
    counts = {row[-1]: int(row[3]) for row in rows if row[-1] != "total"}
    return dict(sorted(counts.items(), key=lambda one: -one[1]))


def idle(proxies: dict[str, Proxy], connections: int) -> None:
    """Print the memory of idle client connections."""
    request = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    print(f"| {connections:,} idle connections | before, MiB | connected | after a request each |")
    print("|---|---|---|---|")
    for name, one in proxies.items():
        seen = [one.resident_mib()]
        port = int(one.url.rpartition(":")[2])
        with ExitStack() as opened:
            clients = []
            for _ in range(connections):
                client = socket.create_connection(("127.0.0.1", port), timeout=30)
                clients.append(opened.enter_context(client))
            time.sleep(1)
            seen.append(one.resident_mib())
            for client in clients:
                client.sendall(request)
                if not client.recv(65536).startswith(b"HTTP/1.1 200"):
                    raise SystemExit(f"{name} has not answered")
            time.sleep(1)
            seen.append(one.resident_mib())
        print(f"| {name} | " + " | ".join(f"{mib:.0f}" for mib in seen) + " |", flush=True)


def room_for(connections: int) -> None:
    """Raise the limit of open files to this need, for this process and its children."""
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if connections + SPARE > allowed:
        raise SystemExit(
            f"{connections:,} connections take {connections + SPARE:,} open files, and the system "
            f"allows {allowed:,}: raise it with `ulimit -Hn`, or ask for fewer"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rate", type=float, default=2000, help="requests a second")
    parser.add_argument("--seconds", type=float, default=5, help="of each turn")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bytes", type=int, default=1024, help="of an answer's body")
    parser.add_argument("--proxies", nargs="+", default=["nginx", "HAProxy", "switch"])
    parser.add_argument("--calls", action="store_true", help="count system calls")
    parser.add_argument("--idle", type=int, metavar="CONNECTIONS", help="measure memory")
    return parser.parse_args()


def main() -> None:
    """Measure, and print."""
    options = arguments()
    names = available(options.proxies)
    room_for(options.idle or 0)
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name, ExitStack() as running:
        directory = Path(name)
        server = running.enter_context(nginx(directory, cores[0], options.bytes))
        os.sched_setaffinity(0, {cores[0]})
        proxies = {
            one: running.enter_context(
                proxy(one, directory, server.http, cores[-1], (options.idle or 0) + SPARE)
            )
            for one in names
        }
        if options.idle is not None:
            idle(proxies, options.idle)
        elif options.calls:
            calls(proxies, options, directory)
        else:
            print(
                f"{options.rate:,.0f} requests a second, answers of {options.bytes:,} bytes; "
                f"medians of {options.rounds} rounds of {options.seconds:g} s (and ranges); "
                f"load of the machine {os.getloadavg()[0]:.1f}\n"
            )
            rounds = measure(server, proxies, options)
            table(rounds, names)
            against_better(rounds, names)


if __name__ == "__main__":
    main()
