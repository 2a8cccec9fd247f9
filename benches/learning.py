"""Speed and memory of reading logs and finding sessions, beside GoAccess and `wc -l`.

.venv/bin/python benches/learning.py [--megabytes M] [--rounds N] [--huge GIGABYTES]
    [--kinds N | --populations N]

The log is made here, in the combined format, and lies in the page cache. `read` is reading with
sessions alone, `learn` the whole command with its fits, simulations and start. CPU seconds are
those of all threads, in the program and in the kernel. With --huge a log of that number of
gigabytes, each day of it with users of its own, comes through a pipe and is never stored. With
--kinds and --populations a log of that number of kinds of requests, or of programs with a host of
its own each, is learned.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import os
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
        rows.append(
            f"{address(user)} - - [{clock[int(times[n])]} +0000] "
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


def kinds(many: int) -> bytes:
    """Twenty lines for each of ``many`` paths that have no part in common with enough others."""
    generator = np.random.default_rng(2)
    words = ["red", "blue", "grey", "lime", "mint", "plum", "pink", "gold", "jade", "rust", "teal"]
    words, agents = [*words, "navy"], [AGENT.format(n) for n in range(60, 140)]
    paths = [
        "/".join(parts) for parts in itertools.islice(itertools.product(words, repeat=4), many)
    ]
    seconds = np.sort(generator.integers(0, 86_400, 20 * many)).tolist()
    which = generator.integers(0, len(paths), 20 * many).tolist()
    users = generator.integers(0, 2 * many, 20 * many).tolist()
    rows = (
        f"{address(user)} - - [{stamp(second)}] "
        f'"GET /{paths[path]} HTTP/1.1" 200 {1000 + path % 777} "-" "{agents[user % 80]}"\n'
        for second, user, path in zip(seconds, users, which, strict=True)
    )
    return "".join(rows).encode()


def populations(many: int) -> bytes:
    """A hundred lines for each of ``many`` programs, each with a host and an address of its own."""
    seconds = np.random.default_rng(3).integers(0, 86_400, (many, 100)).ravel()
    rows = (
        f"h{n // 100}.example.com:443 {address(n // 100)} - - [{stamp(int(seconds[n]))}] "
        f'"GET /api/{n // 100 % 12} HTTP/1.1" 200 {500 + n // 100} "-" "tool-{n // 100}/1.0"\n'
        for n in np.argsort(seconds, kind="stable").tolist()
    )
    return "".join(rows).encode()


def address(user: int) -> str:
    """The address of a user."""
    return f"10.{user >> 16 & 255}.{user >> 8 & 255}.{user & 255}"


def stamp(second: int) -> str:
    """The time of a second of the day."""
    return (DAY + timedelta(seconds=second)).strftime("%d/%b/%Y:%H:%M:%S +0000")


def taken(command: list[str]) -> tuple[float, float, int]:
    """Wall-clock and CPU seconds of a command, and its largest resident set in MiB."""
    begin, memory = time.perf_counter(), 0
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        memory = max(memory, resident_mib(process))
        time.sleep(0.005)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} failed with {process.returncode}")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, memory


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
    lines = log.read_bytes().count(b"\n")
    starts = [taken([*python, "from thinktime import _core"]) for _ in range(5)]
    found: dict[str, list[tuple[float, float, int]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(taken(command))
    print(f"{megabytes:.0f} MB, {lines:,} lines; Python's start is taken off from `read`")
    print(
        "| command | seconds | MB/s | CPU s | CPU ns a line | memory |\n|---|---|---|---|---|---|"
    )
    for name, results in found.items():
        off = starts if name.startswith("read") else [(0.0, 0.0, 0)]
        seconds, cpu_s = (
            median(result[at] for result in results) - median(start[at] for start in off)
            for at in (0, 1)
        )
        print(
            f"| {name} | {seconds:.2f} | {megabytes / seconds:,.0f} | {cpu_s:.2f} | "
            f"{cpu_s / lines * 1e9:,.0f} | {max(result[2] for result in results)} MiB |",
            flush=True,
        )


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
    parser.add_argument("--kinds", type=int, metavar="N", help="at most 20,736")
    parser.add_argument("--populations", type=int, metavar="N")
    options = parser.parse_args()
    if options.huge:
        huge(options.huge, day(100))
        return
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory) / "access.log"
        if options.kinds:
            log.write_bytes(kinds(options.kinds))
        elif options.populations:
            log.write_bytes(populations(options.populations))
        else:
            log.write_bytes(day(options.megabytes))
        compare(log, options.rounds)


if __name__ == "__main__":
    main()
