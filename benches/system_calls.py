"""System calls a request, of Thinktime and its peers, against one nginx.

.venv/bin/python benches/system_calls.py [--seconds S] [CASE...]

strace counts them. It slows a program down, which lets more be ready at each wake-up, for all
tools alike. Each count is the difference of a longer and a shorter run, divided by that of their
requests, so that starting up counts for nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from generators import cases
from load import tools
from load.server import nginx
from load.tools import Tool, Work

LONGER = 3


def a_request(tool: Tool, work: Work, core: int) -> float:
    """How many system calls a request."""
    found = []
    for seconds in (work.seconds, work.seconds * LONGER):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "counts"
            tools.COUNTER[:] = ["strace", "--follow-forks", "--summary-only", f"--output={file}"]
            cost = tools.rested(tool, replace(work, seconds=seconds), core)
            tools.COUNTER.clear()
            found.append((cost.requests, total(file.read_text())))
    (few, less), (many, more) = found
    return (more - less) / (many - few)


def total(text: str) -> int:
    """What strace counted in all."""
    found = re.search(r"^\s*100.00\s.*?(\d+)\s+(?:\d+\s+)?total$", text, re.M)
    if found is None:
        raise SystemExit(f"no total in:\n{text[-1000:]}")
    return int(found.group(1))


def main() -> None:
    """Count, and print a table for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("cases", nargs="*", default=["closed", "open-5000"])
    options = parser.parse_args()
    if shutil.which("strace") is None:
        raise SystemExit("strace is not installed: apt-get install strace")
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as directory, nginx(Path(directory), cores[0]) as server:
        known = cases(server, options.seconds)
        for case in options.cases:
            work, peers = known[case]
            print(f"\n{case}\n| tool | system calls a request |\n|---|---|")
            for name, tool in peers.items():
                print(f"| {name} | {a_request(tool, work, cores[-1]):.2f} |", flush=True)


if __name__ == "__main__":
    main()
