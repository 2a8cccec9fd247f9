"""The findings of `explain` on three real servers here: the demo's, nginx, and PostgreSQL.

    .venv/bin/python benches/explain_three.py [--seconds 20] [--only demo nginx database]

Each server runs on one core, and the generator on another one; they listen on free ports and are
ended at the end. The demo's server is measured closed, with ten clients. nginx answers a file, and
PostgreSQL a sum over a range of an index; both are measured open, at a load of about 0.6 by their
times at low load, once with demands learned from these times and once with those at low load. If a
model is shown, its prediction for the other kind of clients is measured as well: the same load open
for the demo, closed with 50 clients for the others. Prints a section in Markdown.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "python"))

import pytest
from load.server import free_port, nginx, wait_for
from sql import tables

import thinktime as tt
from thinktime import demo
from thinktime.explain import explain_result
from thinktime.explain.explanation import Explanation
from thinktime.explain.questions import Answer
from thinktime.present import units

LOAD = 0.6
"""The load of open runs, computed from the mean response time at low load."""

LOW_RATE, LOW_SECONDS = 100.0, 15.0
"""At low load: somewhat more than the necessary 1,000 requests."""

RATE_MAX = 5000.0
NEAR = 0.20
"""The tolerance of a prediction for nginx: beyond it the answer should have been `cannot tell`."""

FILE_BYTES = 65_536
ROWS = 5_000
QUERY = f"select sum(abalance) from pgbench_accounts where aid between $1::int and $1::int + {ROWS}"
DATABASE = f'[[request]]\nname = "sum"\nsql = "{QUERY}"\nparameters = ["uniform(0.5, 80000.5)"]\n'
FILE = '[[request]]\nname = "file"\nget = "/index.html"\n'

OPEN, CLOSED = "the same load, open", "the same load, closed, 50 clients"


@dataclass(frozen=True)
class Subject:
    """A running server, and its requests."""

    title: str
    target: str
    requests: str
    """The `[[request]]` tables of its workloads."""

    seconds: float

    def run(self, workload: tt.Workload, folder: Path, seconds: float | None = None) -> tt.Result:
        """Measure it."""
        return tt.run(
            workload, self.target, duration=seconds or self.seconds, output=folder, rows="all"
        )

    def open(self, rate: float) -> tt.Workload:
        """Requests that arrive by themselves."""
        return tt.Workload(
            f'name = "open"\n[arrivals]\nmodel = "open"\nrate = {rate:.6g}\n{self.requests}'
        )

    def closed(self, found: Explanation) -> tt.Workload:
        """50 clients, with the think time that gives the same load by the model."""
        assert found.system is not None
        assert found.load is not None
        text = (
            'name = "closed"\n[arrivals]\nmodel = "closed"\nclients = 50\n'
            f'[session]\nthink = "exp(1s)"\n{self.requests}'
        )
        return tt.Workload(text).at_load(tt.System(found.system), found.load)


def main() -> None:
    """Measure, and print a section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, default=list(SUBJECTS))
    given = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[-1]})
    for name in given.only:
        try:
            with tempfile.TemporaryDirectory() as folder:
                SUBJECTS[name](Path(folder), cores[0], given.seconds)
        except (SystemExit, pytest.skip.Exception) as missing:
            print(f"**{name}**: not measured: {missing}\n", flush=True)


# ---- the three


def demo_server(folder: Path, core: int, seconds: float) -> None:
    """The server of `thinktime demo`, measured by its closed test with ten clients."""
    place = Path(demo.__file__).parent
    with served(place / "system.toml", core) as target:
        about = Subject("The demo's server, ten clients, closed", target, "", seconds)
        result = about.run(tt.Workload.load(place / "closed-10.toml"), folder / "measured")
        found = explained(about, result, None)
        if found is not None and not found.refused:
            told = about.run(about.open(found.throughput), folder / "open")
            compared(OPEN, found, told)


def nginx_server(folder: Path, core: int, seconds: float) -> None:
    """A file of nginx with one worker."""
    (folder / "server").mkdir()
    with nginx(folder / "server", core, FILE_BYTES) as server:
        title = f"nginx, a file of {FILE_BYTES // 1024} KiB, open"
        both_ways(Subject(title, server.http, FILE, seconds), folder)


def database(folder: Path, core: int, seconds: float) -> None:
    """PostgreSQL, and a sum of many rows."""
    with tables(core) as cluster:
        title = f"PostgreSQL, a sum of {ROWS:,} rows by an index, open"
        both_ways(Subject(title, cluster.url, DATABASE, seconds), folder)


SUBJECTS: dict[str, Callable[[Path, int, float], None]] = {
    "demo": demo_server,
    "nginx": nginx_server,
    "database": database,
}


@contextmanager
def served(system: Path, core: int) -> Iterator[str]:
    """`thinktime serve`, in a process of its own on that core."""
    port = free_port()
    program = "from thinktime.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", str(system), "--listen", f"127.0.0.1:{port}"]
    with subprocess.Popen(
        ["taskset", "-c", str(core), *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


# ---- measuring and reporting


def both_ways(about: Subject, folder: Path) -> None:
    """With demands learned from its own times, and with those at low load."""
    low = about.run(about.open(LOW_RATE), folder / "low", LOW_SECONDS)
    mean_s = low.summary["service_time_s"]["mean"]
    rate = min(LOAD / mean_s, RATE_MAX)
    seconds = max(about.seconds, 2000 / rate)
    result = about.run(about.open(rate), folder / "measured", seconds)
    for number, known in enumerate((None, low)):
        found = explained(about, result, known)
        if found is not None and not found.refused:
            told = about.run(about.closed(found), folder / f"closed-{number}")
            compared(CLOSED, found, told)


def explained(about: Subject, result: tt.Result, low: tt.Result | None) -> Explanation | None:
    """Print the findings of `explain`; None if it rejects such a result."""
    title = about.title if low is None else f"{about.title}, with the demands at low load"
    try:
        found = explain_result(result, low_load=low)
    except tt.InputError as error:
        print(f"**{title}**: no model is shown: {error}\n", flush=True)
        return None
    told = found.sentence if low is None else found.sentence.replace(str(low.path), "another run")
    print(
        f"**{title}**: {found.requests:,} requests, mean {units.seconds(found.mean_s)}, "
        f"p99 {units.seconds(found.p99_s)}, {units.rate(found.throughput)}. "
        f"{units.sentence(told)}"
    )
    for one in found.answers:
        print(f"- {one.question}: {said(one)}")
    print(flush=True)
    return found


def said(one: Answer) -> str:
    """The mean of an answer, or the reason for its absence."""
    if one.mean_s is None or one.mean_within_s is None:
        return one.refused
    return f"{units.seconds(one.mean_s)}, 19 of 20: {units.times_between(*one.mean_within_s)}"


def compared(question: str, found: Explanation, told: tt.Result) -> None:
    """Print the measurement beside the prediction."""
    asked = {one.question: one for one in found.answers}.get(question)
    mean_s = told.summary["service_time_s"]["mean"]
    if asked is None or asked.mean_s is None or not mean_s:
        print(f"{question}: nothing to compare\n", flush=True)
        return
    off = asked.mean_s / mean_s - 1
    near = "within" if abs(off) <= NEAR else "not within"
    doubt = f" ({told.untrusted})" if told.untrusted else ""
    print(
        f"{question}: predicted {said(asked)}; measured {units.seconds(mean_s)}{doubt}: "
        f"{units.deviation(off)}, {near} {NEAR:.0%}\n",
        flush=True,
    )


if __name__ == "__main__":
    main()
