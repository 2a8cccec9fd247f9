"""Generators' figures for a server that freezes for 1 s in every 5 s, at 200 requests a second.

A fifth of independent arrivals comes while it stands still, and waits for an even share of the
second: the true p90, p95 and p99 are 500, 750 and 950 ms. nginx is stopped and continued by
signals. Closed tools, and tools that skip unsent requests, see less of it.

    .venv/bin/python benches/freezing.py [SECONDS]
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from load import tools
from load.server import Server, nginx

import thinktime as tt

RATE = 200
PERIOD_S, FROZEN_S = 5.0, 1.0
TRUTH_MS = (500.0, 750.0, 950.0)
Percentiles = tuple[float, float, float]


@contextmanager
def freezing(worker: int) -> Iterator[None]:
    """Stop that process for a second in every five, until the end of the block."""
    done = threading.Event()

    def freeze() -> None:
        while not done.wait(PERIOD_S - FROZEN_S):
            os.kill(worker, signal.SIGSTOP)
            done.wait(FROZEN_S)
            os.kill(worker, signal.SIGCONT)

    thread = threading.Thread(target=freeze)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def worker_of(directory: Path) -> int:
    """The process of nginx that answers."""
    master = (directory / "nginx.pid").read_text().strip()
    return int(Path(f"/proc/{master}/task/{master}/children").read_text().split()[0])


def thinktime(url: str, seconds: float, limit: int | None) -> Percentiles:
    """Thinktime, with a limit of requests in flight; the others wait."""
    clients = f"[clients]\nconcurrency = {limit}\n" if limit else ""
    text = f'name = "f"\n[arrivals]\nmodel = "open"\nrate = "{RATE}/s"\nprocess = "even"\n{clients}'
    times = tt.run(tt.Workload(text), url, duration=seconds, rows="none").summary["response_time_s"]
    return times["p90"] * 1e3, times["p95"] * 1e3, times["p99"] * 1e3


def oha(url: str, seconds: float, core: int) -> Percentiles:
    """Run oha at the rate, its correction switched on."""
    command = [tools.program("oha"), "--no-tui", "-z", f"{seconds:.0f}s", "-c", "50"]
    options = ["-q", str(RATE), "--latency-correction", "--output-format", "json", url]
    found = json.loads(tools.spend([*command, *options], core)[0])["latencyPercentiles"]
    return found["p90"] * 1e3, found["p95"] * 1e3, found["p99"] * 1e3


def k6(url: str, seconds: float, core: int) -> Percentiles:
    """k6's open executor."""
    scenario = {
        "executor": "constant-arrival-rate",
        "rate": RATE,
        "timeUnit": "1s",
        "duration": f"{seconds:.0f}s",
        "preAllocatedVUs": 50,
        "maxVUs": 500,
    }
    text = (tools.K6 % (json.dumps(scenario), url)).replace(
        "['p(99)']", "['p(90)', 'p(95)', 'p(99)']"
    )
    output = tools.spend([tools.program("k6"), "run", "--quiet", "-"], core, text)[0]
    line = next(line for line in output.splitlines() if "http_req_duration" in line)
    found = re.findall(r"p\(\d+\)=([\d.]+)(ms|s|µs)", line)
    scale = {"ms": 1.0, "s": 1e3, "µs": 1e-3}
    p90, p95, p99 = (float(value) * scale[unit] for value, unit in found)
    return p90, p95, p99


def wrk(url: str, seconds: float, core: int) -> Percentiles:
    """wrk, which is closed: 50 connections as fast as they can."""
    command = [tools.program("wrk"), "-t1", "-c50", f"-d{seconds:.0f}s", "--latency", url]
    output = tools.spend(command, core)[0]
    scale = {"us": 1e-3, "ms": 1.0, "s": 1e3}
    found = {int(share): float(value) * scale[unit] for share, value, unit in PERCENTILE(output)}
    return found[90], float("nan"), found[99]


PERCENTILE = re.compile(r"(\d+)%\s+([\d.]+)(us|ms|s)").findall


def main() -> None:
    """Print a line for each tool."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    cores = sorted(os.sched_getaffinity(0))
    with (
        tempfile.TemporaryDirectory() as name,
        nginx(Path(name), cores[0]) as server,
        freezing(worker_of(Path(name))),
    ):
        print("| tool | p90 | p95 | p99 |\n|---|---|---|---|")
        print("| truth | " + " | ".join(f"{value:.0f} ms" for value in TRUTH_MS) + " |")
        for tool, found in measured(server, seconds, cores[-1]):
            cells = " | ".join(f"{value:.1f} ms" for value in found)
            print(f"| {tool} | {cells} |", flush=True)


def measured(server: Server, seconds: float, core: int) -> Iterator[tuple[str, Percentiles]]:
    """The figures of each tool, one after another."""
    yield "thinktime", thinktime(server.http, seconds, None)
    yield "thinktime, at most 10 in flight", thinktime(server.http, seconds, 10)
    yield "thinktime, HTTP/2", thinktime(server.h2c.replace("http", "h2c"), seconds, None)
    yield "oha, 50 connections", oha(server.http, seconds, core)
    yield "k6, constant arrival rate", k6(server.http, seconds, core)
    yield "wrk, 50 connections", wrk(server.http, seconds, core)


if __name__ == "__main__":
    main()
