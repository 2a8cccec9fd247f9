"""What a simulated request costs, counted instead of timed.

python3 benches/instructions/count.py [--profile PROFILE] [--check | --record] [CASE...]

Runs the example `speed` under cachegrind with two numbers of requests and prints, for one request:
instructions, data references, and misses of a cache of 512 KiB. Each is the difference of the two
runs divided by that of their requests, so that starting up counts for nothing. The counts are the
same however busy the machine is; they depend on the compiler, whose version the table names.

The profile is `release`, or `checked`, whose build the tests have made already. `--check` compares
with the table of the profile, `release.toml` or `checked.toml` beside this file, and ends with
status 1 if a count is off by more than 3 %, in either direction: a gain is recorded too, by
`--record`. It also does if a cluster of many servers costs more than twice one of few. With another
compiler than the table's nothing is compared, and it says so.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROFILES = {"release": 1, "checked": 10}
"""Each profile, and by how much fewer requests it runs: assertions take time under valgrind."""
CASES = [
    "M/H2/1 FCFS open",
    "M/M/1 PS open, load 0.9",
    "M/M/1 SRPT open, load 0.9",
    "M/M/1 LAS open, load 0.9",
    "FCFS closed, 1000 clients",
    "FCFS partly open, 5 requests",
    "PS, 3 populations with pages",
    "3 of 1000 stations open",
    "JSQ(2), 10 servers",
    "JSQ(2), 1000 servers",
]
AT_MOST_TWICE = ("JSQ(2), 1000 servers", "JSQ(2), 10 servers")
"""The first may take twice the instructions of the second: no choice looks at all servers."""
FEW, MANY = 100_000, 300_000
FEWER = {"3 of 1000 stations open": (10_000, 30_000)}
"""The numbers of requests where each costs more."""
TOLERANCE = 0.03
MISSES_LEAST = 0.01
"""The least tolerance for misses: other contents of the cache decide about a few."""
CACHES = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=524288,64,64"]
"""The last has many ways. With eight, misses changed by 3 % as other paths or a longer environment
moved what lies in memory; with 64 by 0.1 %."""


@dataclass(frozen=True)
class Cost:
    """The cost of one request."""

    instructions: float
    data_references: float
    misses: float

    def differences(self, recorded: Cost) -> list[str]:
        """The counts that are off by more than the tolerance, in words."""
        pairs = [
            ("instructions", self.instructions, recorded.instructions, 0.0),
            ("data references", self.data_references, recorded.data_references, 0.0),
            ("misses", self.misses, recorded.misses, MISSES_LEAST),
        ]
        return [
            f"{found:.3f} {name} a request, recorded are {expected:.3f}"
            for name, found, expected, least in pairs
            if abs(found - expected) > max(TOLERANCE * expected, least)
        ]


def table(profile: str) -> Path:
    """The file with the recorded counts of a profile."""
    return Path(__file__).with_name(f"{profile}.toml")


def example(profile: str) -> str:
    """Builds the example, and returns its path.

    With `checked` everything is built that the tests need: a part alone has other features.
    """
    build = ["cargo", "build", f"--profile={profile}", "--locked", "--quiet"]
    whole = ["--workspace", "--all-targets"]
    build += whole if profile == "checked" else ["-p", "thinktime-sim", "--example", "speed"]
    messages = subprocess.run(
        [*build, "--message-format=json"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    found = re.findall(r'"executable":"([^"]*/examples/speed[^"]*)"', messages)
    if not found:
        raise SystemExit("cargo named no executable of the example `speed`")
    return found[-1]


def totals(program: str, case: str, requests: int) -> list[int]:
    """Instructions, data references and misses of a whole run."""
    with tempfile.TemporaryDirectory() as directory:
        out, link = Path(directory) / "counts", Path(directory) / "program"
        # A short environment and a path of one length: both lie on the stack, and would move what
        # lies below them.
        link.symlink_to(Path(program).resolve())
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", *CACHES, "--quiet"]
        command += [f"--cachegrind-out-file={out}", str(link), str(requests), case]
        subprocess.run(command, check=True, capture_output=True, env={"PATH": "/usr/bin:/bin"})
        text = out.read_text()
    names = re.findall(r"^events: (.*)$", text, re.M)[-1].split()
    sums = re.findall(r"^summary: (.*)$", text, re.M)[-1].split()
    of = dict(zip(names, map(int, sums), strict=True))
    return [of["Ir"], of["Dr"] + of["Dw"], of["ILmr"] + of["DLmr"] + of["DLmw"]]


def a_request(program: str, case: str, fewer: int) -> Cost:
    """The cost of one request; the two runs are simultaneous."""
    numbers = [number // fewer for number in FEWER.get(case, (FEW, MANY))]
    with ThreadPoolExecutor() as both:
        few, many = both.map(lambda requests: totals(program, case, requests), numbers)
    requests = numbers[1] - numbers[0]
    return Cost(*((more - less) / requests for less, more in zip(few, many, strict=True)))


def compiler() -> str:
    """The compiler's version, as in `1.95.0 x86_64-unknown-linux-gnu`."""
    told = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    fields = dict(line.split(": ", 1) for line in told.splitlines() if ": " in line)
    return f"{fields['release']} {fields['host']}"


def written(profile: str, rustc: str, costs: dict[str, Cost]) -> str:
    """The table as a file."""
    lines = [
        "# The cost of a request, recorded by",
        f"# `python3 benches/instructions/count.py --profile {profile} --record`.",
        f'rustc = "{rustc}"',
    ]
    for case, cost in costs.items():
        lines += [
            "",
            f'[case."{case}"]',
            f"instructions = {cost.instructions:.1f}",
            f"data_references = {cost.data_references:.1f}",
            f"misses = {cost.misses:.3f}",
        ]
    return "\n".join(lines) + "\n"


def twice(costs: dict[str, Cost]) -> list[str]:
    """Whether many servers cost more than twice as much as few, in words."""
    many, few = (costs.get(case) for case in AT_MOST_TWICE)
    if many is None or few is None or many.instructions <= 2 * few.instructions:
        return []
    return [f"{AT_MOST_TWICE[0]}: more than twice the instructions of {AT_MOST_TWICE[1]}"]


def check(profile: str, rustc: str, costs: dict[str, Cost]) -> int:
    """Compares with the table; returns the exit status."""
    file = table(profile)
    known = tomllib.loads(file.read_text())
    if known["rustc"] != rustc:
        print(f"NOT COMPARED: the table is of rustc {known['rustc']}, this is {rustc}.")
        print("Record it anew with --record before anything else is changed.")
        return 0
    complaints = []
    for case, cost in costs.items():
        recorded = known["case"].get(case)
        off = ["is not in the table"] if recorded is None else cost.differences(Cost(**recorded))
        complaints += [f"{case}: {words}" for words in off]
    complaints += twice(costs)
    if complaints:
        print("\n".join(complaints))
        print(f"Where more than {TOLERANCE:.0%} off is meant, record it: --record")
        return 1
    print(f"All within {TOLERANCE:.0%} of {file.relative_to(ROOT)}.")
    return 0


def main() -> int:
    """Count, print, and compare or record."""
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="compare with the recorded table")
    what.add_argument("--record", action="store_true", help="record the table anew")
    parser.add_argument("--profile", choices=PROFILES, default="release")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="all, if none is named")
    options = parser.parse_args()
    if unknown := sorted(set(options.cases) - set(CASES)):
        parser.error(f"no case {unknown[0]!r}; there are {', '.join(map(repr, CASES))}")
    if options.record and options.cases:
        parser.error("--record takes all cases, so that the table is of one compiler")
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: apt-get install valgrind", file=sys.stderr)
        return 2
    profile, costs = options.profile, {}
    program = example(profile)
    print(f"{'a request':30} {'instructions':>12} {'data references':>15} {'misses':>7}")
    for case in options.cases or CASES:
        cost = costs[case] = a_request(program, case, PROFILES[profile])
        counts = f"{cost.instructions:12.1f} {cost.data_references:15.1f} {cost.misses:7.3f}"
        print(f"{case:30} {counts}", flush=True)
    if options.record:
        table(profile).write_text(written(profile, compiler(), costs))
    return check(profile, compiler(), costs) if options.check else 0


if __name__ == "__main__":
    sys.exit(main())
