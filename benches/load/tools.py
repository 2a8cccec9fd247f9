"""The generators: the command of each for the same work, and its reported number of requests.

Each runs as a process of its own on one core. Its CPU time is that of the whole process, user and
system, as the kernel counts it; Thinktime's own is taken from just before the run to just after it,
because the start of Python (0.4 s) is no part of the generator.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Work:
    """The work: `clients` connections as fast as they can, or at a rate."""

    url: str
    seconds: float
    clients: int = 50
    rate: float | None = None
    lateness: str | None = None
    """The permitted lateness of Thinktime."""
    http2: bool = False
    """Whether several requests share a connection: then 4 connections with `clients` streams."""


@dataclass(frozen=True)
class Cost:
    """The cost of it."""

    requests: int
    cpu_s: float
    lateness_p99_s: float | None = None
    memory_kib: int = 0

    @property
    def cpu_us(self) -> float:
        """CPU time a request in microseconds."""
        return self.cpu_s / max(self.requests, 1) * 1e6


Tool = Callable[[Work, int], Cost]

COUNTER: list[str] = []
"""A command in front of the tools', which counts their work."""


def spend(command: list[str], core: int, text: str | None = None) -> tuple[str, float, int]:
    """Run a command on one core: its output, its CPU time in seconds, its memory in KiB."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as given:
        given.write(text or "")
        given.seek(0)
        process = subprocess.Popen(
            [*COUNTER, *command],
            stdin=given,
            stdout=out,
            stderr=subprocess.STDOUT,
            preexec_fn=lambda: os.sched_setaffinity(0, {core}),
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        output = out.read()
    if process.returncode not in (0, 99):
        raise SystemExit(f"{command[0]} failed:\n{output[-2000:]}")
    return output, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def thinktime(work: Work, core: int, script: bool = False) -> Cost:
    """Thinktime, with scheduled times and all percentiles."""
    job = {"work": work.__dict__, "script": script}
    here = Path(__file__).parent / "thinktime_run.py"
    output, _, memory = spend([sys.executable, str(here), json.dumps(job)], core)
    found = json.loads(output.splitlines()[-1])
    return Cost(found["requests"], found["cpu_s"], found["lateness_p99_s"], memory)


def sparing(work: Work, core: int) -> Cost:
    """Thinktime, allowed to send up to 0.5 ms late in order to wake more rarely."""
    return thinktime(replace(work, lateness="500us"), core)


def luau(work: Work, core: int) -> Cost:
    """Thinktime, with a Luau program for each client."""
    return thinktime(work, core, script=True)


def wrk(work: Work, core: int) -> Cost:
    """wrk, closed only."""
    command = [program("wrk"), "-t1", f"-c{work.clients}", f"-d{work.seconds:.0f}s", work.url]
    output, cpu_s, memory = spend(command, core)
    return Cost(count(r"(\d+) requests in", output), cpu_s, None, memory)


def oha(work: Work, core: int) -> Cost:
    """oha; at a rate it paces evenly."""
    command = [program("oha"), "--no-tui", "-z", f"{work.seconds:.0f}s", "-c", str(work.clients)]
    command += ["-q", f"{work.rate:.0f}"] if work.rate else []
    command += ["--insecure"] if work.url.startswith("https") else []
    output, cpu_s, memory = spend([*command, "--output-format", "json", work.url], core)
    codes = json.loads(output)["statusCodeDistribution"]
    return Cost(sum(codes.values()), cpu_s, None, memory)


K6 = """
import http from 'k6/http';
export const options = { discardResponseBodies: true, insecureSkipTLSVerify: true,
  summaryTrendStats: ['p(99)'], scenarios: { work: %s } };
export default function () { http.get('%s'); }
"""


def k6(work: Work, core: int) -> Cost:
    """k6, with its open executor if a rate is given."""
    seconds = f"{work.seconds:.0f}s"
    if work.rate:
        scenario = {
            "executor": "constant-arrival-rate",
            "rate": work.rate,
            "timeUnit": "1s",
            "duration": seconds,
            "preAllocatedVUs": work.clients,
            "maxVUs": 10 * work.clients,
        }
    else:
        scenario = {"executor": "constant-vus", "vus": work.clients, "duration": seconds}
    text = K6 % (json.dumps(scenario), work.url)
    output, cpu_s, memory = spend([program("k6"), "run", "--quiet", "-"], core, text)
    return Cost(count(r"http_reqs\.*: (\d+)", output), cpu_s, None, memory)


def h2load(work: Work, core: int) -> Cost:
    """h2load, closed only: over HTTP/2 four connections share the streams."""
    shape = ["-c4", f"-m{work.clients // 4}"] if work.http2 else [f"-c{work.clients}", "--h1"]
    command = [program("h2load"), "-t1", *shape, f"-D{work.seconds:.0f}", work.url]
    output, cpu_s, memory = spend(command, core)
    return Cost(count(r"(\d+) succeeded", output), cpu_s, None, memory)


def vegeta(work: Work, core: int) -> Cost:
    """vegeta: at a rate, or as fast as its workers can."""
    rate = f"-rate={work.rate:.0f}" if work.rate else "-rate=0"
    command = [program("vegeta"), "attack", rate, f"-duration={work.seconds:.0f}s"]
    workers = [f"-max-workers={work.clients}", f"-workers={work.clients}", "-insecure"]
    with tempfile.TemporaryDirectory() as directory:
        results = Path(directory) / "results.bin"
        attack = [*command, *workers, f"-output={results}"]
        _, cpu_s, memory = spend(attack, core, f"GET {work.url}\n")
        report = [program("vegeta"), "report", "-type=json", str(results)]
        output = subprocess.run(report, check=True, capture_output=True, text=True).stdout
    return Cost(int(json.loads(output)["requests"]), cpu_s, None, memory)


def program(name: str) -> str:
    """The path of a peer."""
    found = shutil.which(name)
    if found is None:
        raise SystemExit(f"{name} is not installed; see docs/performance.md")
    return found


def count(pattern: str, text: str) -> int:
    """The number that a tool prints."""
    found = re.search(pattern, text)
    if found is None:
        raise SystemExit(f"no `{pattern}` in:\n{text[-2000:]}")
    return int(found.group(1))


def rested(tool: Tool, work: Work, core: int) -> Cost:
    """One run after a pause, in which connections of the last one end."""
    time.sleep(0.5)
    return tool(work, core)
