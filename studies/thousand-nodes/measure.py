"""The cost of generators for the gathering process, measured with one to eight on this machine.

.venv/bin/python studies/thousand-nodes/measure.py [--rounds N] [--to FILE]

CPU time is that of the gathering process alone, as the kernel counts it, so that other work on the
machine disturbs little. Each figure is the difference of a long run and a short one: what it takes
to begin and to end cancels out.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ray

import thinktime as tt
from thinktime.distributed import connection
from thinktime.distributed.conductor import Conductor

HERE = Path(__file__).resolve().parent
NUMBERS = (1, 2, 4, 8)
RATES = (20, 2000)
"""Requests a second, of all generators together: hardly any, and many."""

GENERATORS = 3
"""The generators in runs with a loss."""

LENGTHS_S = (4.0, 14.0)
SYSTEM = 'name = "s"\n[[station]]\nname = "s"\ndemand = "const(10us)"\n'


class Told:
    """The generators' reports: their number and size, the start times, and the time of a loss."""

    def __init__(self) -> None:
        self.reports = self.bytes = 0
        self.begin_s: list[float] = []
        self.lost_s: list[float] = []

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note it for the time being."""
        kind = Conductor
        get, begin, lost = ray.get, kind.begin, kind._lost

        def getting(*given: Any, **named: Any) -> Any:
            found = get(*given, **named)
            if isinstance(found, tuple) and len(found) == 3 and isinstance(found[0], bytes):
                self.reports += 1
                self.bytes += len(found[0])
            return found

        def beginning(conductor: Conductor) -> None:
            begun_s = time.thread_time()
            begin(conductor)
            self.begin_s.append(time.thread_time() - begun_s)

        def losing(*given: Any) -> None:
            self.lost_s.append(time.monotonic())
            lost(*given)

        ray.get, kind.begin, kind._lost = getting, beginning, losing
        try:
            yield
        finally:
            ray.get, kind.begin, kind._lost = get, begin, lost


@contextmanager
def served() -> Iterator[str]:
    """A server in a process of its own; yields its url."""
    with TemporaryDirectory() as name:
        system = Path(name) / "system.toml"
        system.write_text(SYSTEM, "ascii")
        command = [sys.executable, "-c", "from thinktime.cli import main; main()", "serve"]
        server = subprocess.Popen(
            [*command, str(system), "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            yield server.stdout.readline().split()[2].rstrip(";")
        finally:
            server.terminate()
            server.wait(timeout=10)


def workload(rate: float) -> dict[str, Any]:
    """Requests that arrive by themselves."""
    return {
        "name": "w",
        "arrivals": {"model": "open", "rate": rate},
        "request": [{"name": "a", "get": "/"}],
    }


def once(url: str, rate: float, generators: int, length_s: float) -> dict[str, Any]:
    """The figures of one run."""
    told, before = Told(), resource.getrusage(resource.RUSAGE_SELF)
    with told.noted():
        done = tt.run(
            workload(rate), url, duration=length_s, rows="none", on="auto", generators=generators
        ).summary
    after = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "reports": told.reports,
        "bytes": told.bytes,
        "requests": done["requests"],
        "length_s": length_s,
        "begin_s": told.begin_s[0],
        "begun_late_s": [one["begun_late_s"] for one in done["generators"]],
    }


def gathering(url: str, rounds: int) -> list[dict[str, Any]]:
    """For each number of generators and each rate, the cost of a run by its length, in turns."""
    found: list[dict[str, Any]] = []
    for _ in range(rounds):
        for generators in NUMBERS:
            for rate in RATES:
                runs = [once(url, rate, generators, length_s) for length_s in LENGTHS_S]
                found.append({"generators": generators, "rate": rate, "runs": runs})
                print(f"{generators} generators, {rate} requests/s", flush=True)
    return found


def losses(url: str, how: signal.Signals, times: int) -> list[float]:
    """The time from a generator's end, or its freezing, until it is known."""
    found = []
    for number in range(times):
        told, done = Told(), []

        def strike(
            before: set[int], after_s: float = 3 + 0.13 * number, done: list[float] = done
        ) -> None:
            while len(new := generators() - before) < GENERATORS:
                time.sleep(0.05)
            time.sleep(after_s)
            os.kill(min(new), how)
            done.append(time.monotonic())

        thread = threading.Thread(target=strike, args=[generators()])
        thread.start()
        with told.noted():
            tt.run(workload(20), url, duration=16.0, rows="none", on="auto", generators=GENERATORS)
        thread.join()
        found.append(told.lost_s[0] - done[0])
        print(f"{how.name}: {found[-1]:.2f} s", flush=True)
    return found


def generators() -> set[int]:
    """The processes of this cluster's generators."""
    found = set()
    for place in Path("/proc").iterdir():
        try:
            ours = place.name.isdigit() and f"STUDY={os.getpid()}".encode() in (
                place / "environ"
            ).read_bytes().split(b"\0")
            if ours and (place / "cmdline").read_bytes().startswith(b"ray::Generator"):
                found.add(int(place.name))
        except OSError:
            continue  # it has ended meanwhile
    return found


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured")
    parser.add_argument("--to", type=Path, default=HERE / "measured.json", help="where to write")
    options = parser.parse_args()
    os.environ.update(connection.SURROUNDINGS | {"STUDY": str(os.getpid())})
    ray.init(
        address="local", num_cpus=2, include_dashboard=False, logging_level="error",
        log_to_driver=False,
    )  # fmt: skip
    with served() as url:
        # The first ones take longer: their files are read from the disk.
        tt.run(workload(20), url, duration=1.0, rows="none", on="auto", generators=8)
        runs = gathering(url, options.rounds)
        lost = {
            how.name: losses(url, how, options.rounds + 1)
            for how in (signal.SIGKILL, signal.SIGSTOP)
        }
    ray.shutdown()
    options.to.write_text(json.dumps({"runs": runs, "lost_s": lost}, indent=1) + "\n", "ascii")


if __name__ == "__main__":
    main()
