"""The processes that test_recovery.py kills."""

from __future__ import annotations

import itertools
from multiprocessing.connection import Connection
from pathlib import Path

import thinktime as tt
from thinktime.learn import learn
from thinktime.results.files import write_whole

OPEN = 'name = "killed"\n[arrivals]\nmodel = "open"\nrate = "400/s"\n'
SLO = OPEN + '[slo]\np99 = "50ms"\n'
SYSTEM = 'name = "server"\n[[station]]\nname = "server"\ndemand = "exp(1ms)"\n'


def measure(told: Connection, output: Path, url: str) -> None:
    """One run, which reports its progress."""
    told.send(0.0)
    workload = tt.Workload(OPEN).with_seed(7)
    tt.run(workload, url, duration=30, output=output, monitor=lambda seen: told.send(seen.time_s))


def simulate(told: Connection, output: Path) -> None:
    """One long simulation, which reports its progress."""
    told.send(0)
    tt.simulate(
        tt.Workload(OPEN).with_seed(7), tt.System(SYSTEM), requests=50_000_000, warmup=0,
        rows="all", output=output, progress=lambda requests, *_: told.send(requests),
    )  # fmt: skip


def write_again_and_again(told: Connection, output: Path, what: str) -> None:
    """Short work that is mostly writing, to the same place, with a seed that counts."""
    for seed in itertools.count(1):
        WORK[what](output, seed)
        told.send(seed)


def _simulated(output: Path, seed: int) -> None:
    workload = tt.Workload(OPEN).with_seed(seed)
    tt.simulate(workload, tt.System(SYSTEM), requests=200, warmup=0, output=output)


def _swept(output: Path, seed: int) -> None:
    workload = tt.Workload(OPEN).with_seed(seed)
    options = {"requests": 100, "warmup": 0}
    tt.sweep(workload, tt.System(SYSTEM), ["load=0.2,0.4"], output=output, **options)


def _capacity(output: Path, seed: int) -> None:
    workload = tt.Workload(SLO).with_seed(seed)
    tt.capacity(workload, tt.System(SYSTEM), requests=500, precision=0.3, output=output)


def _learned(output: Path, seed: int) -> None:
    log = output.with_name("access.log")
    learned = learn([log])
    write_whole(output, f"# {seed}\n{learned.workload_text}")


WORK = {"simulate": _simulated, "sweep": _swept, "capacity": _capacity, "learn": _learned}
