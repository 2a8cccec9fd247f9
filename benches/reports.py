"""The duration, the memory and the size of a report of many requests.

.venv/bin/python benches/reports.py [--requests N] [--rounds N] [--keep FOLDER]

Prints a Markdown table: of each case the medians of the rounds. Results are simulated here with
all their rows and lie in the page cache; `thinktime report` is a process of its own, so that
Python's start is in the time. With --keep the results are left in a folder, and found there again.

Where Chromium is installed, the page is opened in it, once a round: after how long its text is
there, after how long all its charts show values (medians), how many pauses there were meanwhile in
all rounds, in which it answers nobody for more than 50 ms, and the longest of them.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import thinktime as tt

if TYPE_CHECKING:
    from playwright.sync_api import Playwright

MAIN = """
import atexit, sys
from pathlib import Path
from thinktime.cli import main

def say():
    lines = Path("/proc/self/status").read_text().splitlines()
    print(next(line.split()[1] for line in lines if line.startswith("VmHWM")), file=sys.stderr)

atexit.register(say)
main()
"""
"""The command, which says at its end how many KiB it had at most."""
EXAMPLES = Path(__file__).parents[1] / "examples"
HOUR_S = 3600.0

RETRIES = """
name = "impatient"
[arrivals]
model = "open"
rate = "50/s"
[[request]]
name = "get"
timeout = "60ms"
retry = { attempts = 3, backoff = "exp(20ms)" }
"""
SERVER = 'name = "server"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n'


def made(name: str, requests: int, folder: Path) -> Path:
    """The result of a case, which may exist already."""
    path = folder / f"{name.replace(' ', '-')}-{requests}"
    if (path / "summary.json").exists():
        return path
    if name == "retries":
        inputs: tuple[object, object] = (tt.Workload(RETRIES), tt.System(SERVER))
    elif name == "pages":
        inputs = (EXAMPLES / "shop-visitors.toml", EXAMPLES / "shop-visitors-server.toml")
    else:
        inputs = (EXAMPLES / "shop.toml", EXAMPLES / "server.toml")
    limits = {"duration": HOUR_S} if name == "an hour" else {"requests": requests}
    load = None if name == "retries" else 0.6
    tt.simulate(*inputs, load=load, rows="all", output=path, **limits)
    return path


def report(result: Path, page: Path) -> tuple[float, float, float]:
    """Its duration in seconds, its CPU time, and the most memory in MiB."""
    words = [sys.executable, "-c", MAIN, "report", str(result), "-o", str(page)]
    begin, used = time.perf_counter(), cpu_s()
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    took, used = time.perf_counter() - begin, cpu_s() - used
    return took, used, int(done.stderr.split()[-1]) / 1024


WATCH = """
window.pauses = [];
new PerformanceObserver(all => all.getEntries().forEach(one => pauses.push(one.duration)))
  .observe({ type: "longtask", buffered: true });
"""
DRAWN = """
document.readyState === "complete" && !document.querySelector(".chart:not(:has(+ .chart-tools))")
  && performance.getEntriesByName("first-contentful-paint").length === 1
"""
SEEN = """[
  performance.getEntriesByName("first-contentful-paint")[0].startTime, performance.now(), pauses,
]"""


def opened(page: Path, rounds: int) -> str:
    """The times until Chromium shows its text and all charts, and pauses meanwhile; as cells."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        return "| – | – | – | –"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        seen = [seen_by(playwright, program, page) for _ in range(rounds)]
    text, drawn = (median(one[place] for one in seen) for place in (0, 1))
    pauses = [pause for one in seen for pause in one[2]]
    longest = f"{max(pauses):.0f} ms" if pauses else "below 50 ms"
    return f"| {text / 1e3:.1f} s | {drawn / 1e3:.1f} s | {len(pauses)} | {longest}"


def seen_by(playwright: Playwright, program: str, page: Path) -> list[Any]:
    """The records of a freshly started browser about a page that it opens."""
    browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
    window = browser.new_page(viewport={"width": 1200, "height": 900})
    window.add_init_script(WATCH)
    window.goto(page.as_uri())
    while not window.evaluate(DRAWN):
        window.wait_for_timeout(20)
    seen: list[Any] = window.evaluate(SEEN)
    browser.close()
    return seen


def cpu_s() -> float:
    """The CPU time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure all cases."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--requests", type=int, default=10_000_000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--keep", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = given.keep or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        head = ("result", "requests", "time", "CPU time", "memory", "page", "text shown",
                "charts drawn", "pauses", "longest")  # fmt: skip
        print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
        for name in ("sessions", "pages", "retries", "an hour"):
            result = made(name, given.requests, folder)
            page = Path(place) / "report.html"
            rounds = [report(result, page) for _ in range(given.rounds)]
            took, used, memory = (median(one) for one in zip(*rounds, strict=True))
            requests = tt.Result.load(result).summary["requests"]
            size = page.stat().st_size / 1e6
            times = f"{took:.1f} s | {used:.1f} s"
            sizes = f"{memory:,.0f} MiB | {size:.2f} MB"
            seen = opened(page, given.rounds)
            print(f"| {name} | {requests:,} | {times} | {sizes} {seen} |", flush=True)


if __name__ == "__main__":
    main()
