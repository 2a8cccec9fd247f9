"""Speed and memory of reading logs and finding sessions, beside GoAccess and `wc -l`.

.venv/bin/python benches/learning.py [--megabytes M] [--rounds N] [--huge GIGABYTES]

The log is made here, in the combined format, and lies in the page cache. `read` is reading with
sessions alone, `learn` the whole command with its fits, simulations and start. With --huge a log of
that number of gigabytes, each day of it with users of its own, comes through a pipe and is never
stored.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np

DAY = datetime(2026, 3, 1, tzinfo=UTC)
AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0"
READ = 'import sys; from thinktime import _core; _core.read_log(sys.argv[1:])["columns"].rows()'
MAIN = "from thinktime.cli import main; main()"


def day(megabytes: int) -> bytes:
    """The lines of one day: users who come, ask for some pages in a few minutes, and leave."""
    generator = np.random.default_rng(1)
    lines = megabytes * 1_000_000 // 228
    sessions = lines // 5
    starts = np.sort(generator.uniform(0, 86_000, sessions))
    session = generator.integers(0, sessions, lines)
    times = np.minimum(starts[session] + generator.exponential(60, lines), 86_399)
    order = np.argsort(times)
    items = (generator.pareto(0.9, lines) % 20_000).astype(int)
    sizes = generator.lognormal(8, 1.5, lines).astype(int)
    clock = [(DAY + timedelta(seconds=n)).strftime("%d/%b/%Y:%H:%M:%S") for n in range(86_400)]
    agents = [AGENT.format(n) for n in range(60, 140)]
    rows = []
    for n in order:
        user = int(session[n])
        address = f"10.{user >> 16 & 255}.{user >> 8 & 255}.{user & 255}"
        rows.append(
            f"{address} - - [{clock[int(times[n])]} +0000] "
            f'"GET /shop/item/{items[n]} HTTP/1.1" 200 {sizes[n]} '
            f'"https://shop.example.com/list/{items[n] % 97}" "{agents[user % 80]} Safari/537.36"\n'
        )
    return "".join(rows).encode()


def resident_mib(process: subprocess.Popen[bytes]) -> int:
    """The largest resident set of a process so far; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), 0)


def taken(command: list[str]) -> tuple[float, int]:
    """Wall-clock seconds of a command, and its largest resident set in MiB."""
    begin, memory = time.perf_counter(), 0
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        memory = max(memory, resident_mib(process))
        time.sleep(0.005)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} failed with {process.returncode}")
    return time.perf_counter() - begin, memory


def compare(log: Path, rounds: int) -> None:
    """Each command in turn with the others; medians."""
    megabytes = log.stat().st_size / 1e6
    packed = log.with_suffix(".gz")
    with log.open("rb") as plain, gzip.open(packed, "wb", compresslevel=6) as out:
        shutil.copyfileobj(plain, out, 1 << 20)
    python = [sys.executable, "-c"]
    commands = {
        "read": [*python, READ, str(log)],
        "read, gzip": [*python, READ, str(packed)],
        "gzip -dc alone": ["gzip", "-dc", str(packed)],
        "learn": [*python, MAIN, "learn", str(log), "--quiet"],
        "wc -l": ["wc", "-l", str(log)],
    }
    if shutil.which("goaccess"):
        page = str(log.with_suffix(".json"))
        commands["goaccess"] = ["goaccess", str(log), "--log-format=COMBINED", "-o", page]
        commands["goaccess"] += ["--no-progress"]
    start = median(taken([*python, "from thinktime import _core"])[0] for _ in range(5))
    found: dict[str, list[tuple[float, int]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(taken(command))
    print(f"{megabytes:.0f} MB, combined; Python's start of {start:.2f} s taken off from `read`")
    print("| command | seconds | MB/s | memory |\n|---|---|---|---|")
    for name, results in found.items():
        seconds = median(seconds for seconds, _ in results)
        seconds -= start if name.startswith("read") else 0
        memory = max(memory for _, memory in results)
        print(f"| {name} | {seconds:.2f} | {megabytes / seconds:,.0f} | {memory} MiB |", flush=True)


def huge(gigabytes: int, lines: bytes) -> None:
    """One day after another, through a pipe."""
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "learn", "-", "--quiet"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    begin, written, number, memory = time.perf_counter(), 0, 0, 0
    while written < gigabytes * 1_000_000_000:
        date = (DAY + timedelta(days=number)).strftime("%d/%b/%Y").encode()
        net = f"\n{11 + number % 200}.".encode()
        text = lines.replace(DAY.strftime("%d/%b/%Y").encode(), date).replace(b"\n10.", net)
        process.stdin.write(text)
        written, number = written + len(text), number + 1
        memory = max(memory, resident_mib(process))
    process.stdin.close()
    process.wait()
    seconds = time.perf_counter() - begin
    print(
        f"{written / 1e9:.1f} GB of {number} days through a pipe: {seconds:.0f} s, "
        f"{memory} MiB, status {process.returncode}"
    )


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--huge", type=int, metavar="GIGABYTES")
    options = parser.parse_args()
    if options.huge:
        huge(options.huge, day(100))
        return
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory) / "access.log"
        log.write_bytes(day(options.megabytes))
        compare(log, options.rounds)


if __name__ == "__main__":
    main()
