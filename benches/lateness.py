"""Lateness of the generator at 1,000 requests a second (or another rate), open Poisson.

The server runs in a process of its own, on another core if there is one, so that the generator is
alone on its core. Prints median and p99 of the time between a request's scheduled and its actual
sending, and the distance of the gaps between sendings from an exponential law (Anderson and
Darling).

    .venv/bin/python benches/lateness.py [SECONDS] [RATE]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars

import thinktime as tt
from thinktime.stats import anderson_darling_exponential

SYSTEM = 'name = "quick"\n[[station]]\nname = "server"\ndemand = "const(10us)"\n'
WORKLOAD = 'name = "bench"\n[arrivals]\nmodel = "open"\nrate = "{rate}/s"\n'


def main() -> None:
    """Measure and print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    rate = sys.argv[2] if len(sys.argv) > 2 else "1000"
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as directory:
        system = Path(directory) / "system.toml"
        system.write_text(SYSTEM)
        command = [sys.executable, "-c", "from thinktime.cli import main; main()"]
        server = subprocess.Popen(
            [*command, "serve", str(system), "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            os.sched_setaffinity(server.pid, {cores[0]})
            os.sched_setaffinity(0, {cores[-1]})
            assert server.stdout is not None
            url = server.stdout.readline().split()[2].rstrip(";")
            result = tt.run(
                tt.Workload(WORKLOAD.format(rate=rate)), url, duration=seconds, warmup=1
            )
        finally:
            server.terminate()
            server.wait(timeout=10)
    lateness = result.summary["lateness_s"]
    print(
        f"lateness at {result.summary['offered_rate']:.0f} requests/s: "
        f"median {lateness['p50'] * 1e6:.0f} us, p99 {lateness['p99'] * 1e6:.0f} us, "
        f"p99.9 {lateness['p99.9'] * 1e6:.0f} us"
    )
    gaps_of(result)


def gaps_of(result: tt.Result) -> None:
    """Print the distance of the gaps from an exponential law, as scheduled and as sent."""
    rows = polars.DataFrame(result.requests)
    draws = np.random.default_rng(1)
    for name in ("scheduled_ns", "sent_ns"):
        times = rows[name].sort().to_numpy() / 1e9
        gaps = np.diff(times[times >= 1.0])
        gaps = gaps[gaps > 0]
        some = anderson_darling_exponential(draws.choice(gaps, min(1000, len(gaps)), False))
        print(
            f"{name}: A² = {anderson_darling_exponential(gaps).corrected:.1f} for all "
            f"{len(gaps):,} gaps, {some.corrected:.1f} for 1,000 of them "
            f"(exponential ones exceed {some.CRITICAL[0.05]} in 5 %)"
        )


if __name__ == "__main__":
    main()
