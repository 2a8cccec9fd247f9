"""CPU time of the generator with and without viewers, at 5,000 requests a second.

.venv/bin/python benches/watching.py [--rounds N] [--seconds S]

The rounds are interleaved. The process that serves the page and the viewers are not counted: they
are not the generator's. The watching itself in the generator's process is timed, too, by the clock
of its thread: on a busy machine the difference of two runs is uncertain.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import resource
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr
from dataclasses import asdict
from pathlib import Path
from statistics import median
from time import monotonic, thread_time

from load.server import nginx

import thinktime as tt
from thinktime.cli import common, watch
from thinktime.cli.watch import Watch
from thinktime.operations.run_progress import Moment

RATE = 5000
WORKLOAD = f"""
name = "watched"
[arrivals]
model = "open"
rate = "{RATE}/s"
[[request]]
name = "file"
get = "/"
"""
CASES = {
    "nobody": (Watch(), 0),
    "--live, nobody looks": (Watch(live=True), 0),
    "--live, two viewers": (Watch(live=True), 2),
    "--live, a viewer stalls": (Watch(live=True), -1),
    "--metrics, a scrape a second": (Watch(metrics="127.0.0.1:0"), 1),
    "--otlp, no collector there": (Watch(otlp="http://127.0.0.1:9"), 0),
}
"""The way of watching, and the number of viewers; -1 for one that stalls."""


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in CASES}
    with tempfile.TemporaryDirectory() as directory, nginx(Path(directory), cores[0]) as server:
        for _ in range(options.rounds):
            for name, (how, viewers) in CASES.items():
                found[name].append(share(server.http, how, viewers, options.seconds))
    print(f"medians of {options.rounds} rounds of {options.seconds:.0f} s at {RATE}/s")
    print("| watched by | CPU, share of a core | more than nobody (least to most) | timed |")
    print("|---|---|---|---|")
    for name, shares in found.items():
        pairs = zip(shares, found["nobody"], strict=True)
        more = [one - alone for (one, _), (alone, _) in pairs]
        span = f"{100 * min(more):+.2f} to {100 * max(more):+.2f} %"
        told = "" if name == "nobody" else f"{100 * median(more):+.2f} % ({span})"
        whole, timed = (100 * median(column) for column in zip(*shares, strict=True))
        print(f"| {name} | {whole:.2f} % | {told} | {timed:.3f} % |")


class Timed:
    """A run's messages and their receivers, timed by the clock of the thread."""

    def __init__(self, told: Callable[[Moment], None]) -> None:
        """The receiver."""
        self._told = told
        self.spent_s = 0.0

    def take(self, moment: Moment) -> None:
        """Pass it on; a moment is made from a table once more, as on its way here."""
        table = asdict(moment)
        begun = thread_time()
        Moment.of(table)
        self._told(moment)
        self.spent_s += thread_time() - begun


def share(target: str, how: Watch, viewers: int, seconds: float) -> tuple[float, float]:
    """The CPU time of this process by the time of a run: all its threads, and the timed part."""
    workload = tt.Workload(WORKLOAD)
    begun = watch.watched_run("run", workload.name, target, (None, seconds))
    with ExitStack() as stack:
        said = stack.enter_context(tempfile.NamedTemporaryFile("w+"))
        with redirected(said.name):
            feed = stack.enter_context(how.on(begun))
        stack.enter_context(looking(Path(said.name).read_text(), viewers))
        timed = Timed(lambda _: None) if feed is None else Timed(feed.moment)
        monitor = None if feed is None else timed.take
        before, start = used_s(), monotonic()
        tt.run(workload, target, duration=f"{seconds}s", rows="none", monitor=monitor)
        took_s = monotonic() - start
        return (used_s() - before) / took_s, timed.spent_s / took_s


def used_s() -> float:
    """CPU time of this process, user and system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def redirected(path: str) -> Iterator[None]:
    """The command's output goes to a file."""
    with open(path, "w") as file, redirect_stderr(file):
        known, common.errors.file = common.errors.file, file
        try:
            yield
        finally:
            common.errors.file = known


@contextmanager
def looking(said: str, viewers: int) -> Iterator[None]:
    """Viewers, each a process of its own, until the run is over."""
    if viewers == 0:
        yield
        return
    place = re.search(r"(live|metrics): (\S+)", said)
    assert place is not None, said
    if place[1] == "live":
        command = f"exec curl -sN '{place[2]}events'"
    else:
        command = f"while sleep 1; do curl -s '{place[2]}'; done"
    begun = [
        subprocess.Popen(["sh", "-c", command], stdout=subprocess.DEVNULL, start_new_session=True)
        for _ in range(abs(viewers))
    ]
    if viewers < 0:
        begun[0].send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for one in begun:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(one.pid, signal.SIGKILL)
            one.wait()


if __name__ == "__main__":
    main()
