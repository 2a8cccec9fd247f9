"""CPU time a transaction of Thinktime and pgbench, in turns, against one PostgreSQL.

Both send the same prepared statements over as many connections, each from one core; the server is
on another one. Closed, as fast as they can: `select` is one statement, `tpcb` the transaction of
TPC-B as pgbench has it, whose statements wait for each other. Then open, at a rate: how late the
beginnings are. CPU time is user and system; Thinktime's is taken from just before the run to just
after it, because the start of Python is no part of the generator, and pgbench's is that of the
process.

    .venv/bin/python benches/sql.py [--rounds N] [--seconds S] [--rate R] [--clients N]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "python"))

from load.tools import Cost, count, spend
from postgres_server import USER, Database, program, serving

ACCOUNTS = 100_000
SELECT = ["select abalance from pgbench_accounts where aid = {aid};"]
TPCB = [
    "update pgbench_accounts set abalance = abalance + {delta} where aid = {aid};",
    "select abalance from pgbench_accounts where aid = {aid};",
    "update pgbench_tellers set tbalance = tbalance + {delta} where tid = {tid};",
    "update pgbench_branches set bbalance = bbalance + {delta} where bid = {bid};",
    "insert into pgbench_history (tid, bid, aid, delta, mtime) "
    "values ({tid}, {bid}, {aid}, {delta}, current_timestamp);",
]
DRAWN = {"aid": f"1, {ACCOUNTS}", "tid": "1, 10", "bid": "1, 1", "delta": "0, 5000"}


SLEEPER = """
import random, sys, time
rate, seconds = map(float, sys.argv[1:])
late, due = [], time.monotonic()
end = due + seconds
while (due := due + random.expovariate(rate)) < end:
    time.sleep(max(due - time.monotonic(), 0))
    late.append(time.monotonic() - due)
print(sorted(late)[int(0.99 * len(late))])
"""


@dataclass(frozen=True)
class SqlCost(Cost):
    """Its cost, with the kernel's part."""

    system_s: float = 0.0

    @property
    def system_us(self) -> float:
        """The kernel's CPU time a transaction in microseconds."""
        return self.system_s / max(self.requests, 1) * 1e6


def parameters(texts: list[str]) -> list[str]:
    """The names in the statements."""
    return [name for name in DRAWN if any(f"{{{name}}}" in text for text in texts)]


def pgbench_itself() -> str:
    """The program, not Debian's wrapper of it, whose Perl would count as pgbench's."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"))
    return str(found[-1]) if found else program("pgbench")


def pgbench(texts: list[str], database: Database, options: argparse.Namespace) -> list[str]:
    """The command of pgbench, whose script is written beside the database."""
    names = parameters(texts)
    lines = [f"\\set {name} random({DRAWN[name]})" for name in names]
    body = [text.format(**{name: f":{name}" for name in names}) for text in texts]
    script = database.directory / "script.sql"
    whole = body if len(body) == 1 else ["begin;", *body, "commit;"]
    script.write_text("\n".join([*lines, *whole]) + "\n")
    command = [pgbench_itself(), "-n", "-M", "prepared", "-f", str(script)]
    command += ["-c", str(options.clients), "-j", "1", "-T", str(options.seconds)]
    command += ["-h", "127.0.0.1", "-p", str(database.port), "-U", USER, "postgres"]
    return command


def workload(texts: list[str], options: argparse.Namespace, rate: float | None) -> str:
    """The same as a workload file."""
    names = parameters(texts)
    marks = {name: f"${place}" for place, name in enumerate(names, 1)}
    body = [text.format(**marks).rstrip(";") for text in texts]
    lines = ['name = "bench"', "[arrivals]"]
    if rate is None:
        lines += ['model = "closed"', f"clients = {options.clients}", "[session]", 'think = "0s"']
    else:
        lines += ['model = "open"', f'rate = "{rate}/s"']
    # Each bound is half a step further out, so that all whole numbers are equally likely.
    laws = [[float(bound) for bound in DRAWN[name].split(",")] for name in names]
    drawn = [f"uniform({max(low - 0.5, 0)}, {high + 0.5})" for low, high in laws]
    lines += ["[clients]", f"connections = {options.clients}", "[[request]]", 'name = "one"']
    key = f"sql = {json.dumps(body[0])}" if len(body) == 1 else f"transaction = {json.dumps(body)}"
    return "\n".join([*lines, key, f"parameters = {json.dumps(drawn)}"]) + "\n"


def theirs(command: list[str], core: int, rate: float | None = None) -> SqlCost:
    """The cost of pgbench."""
    given = [] if rate is None else ["--rate", str(rate), "--log", "--log-prefix", "late"]
    with tempfile.TemporaryDirectory() as directory:
        before = Path.cwd()
        os.chdir(directory)
        try:
            system_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_stime
            output, cpu_s, memory = spend([*command, *given], core)
            system_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_stime - system_s
            late = None if rate is None else p99_of_log(next(Path(directory).glob("late*")))
        finally:
            os.chdir(before)
    requests = count(r"transactions actually processed: (\d+)", output)
    return SqlCost(requests, cpu_s, late, memory, system_s)


def p99_of_log(file: Path) -> float:
    """The p99 of pgbench's schedule lag in seconds, the last column of its log."""
    lags = sorted(int(line.split()[6]) for line in file.read_text().splitlines())
    return lags[int(0.99 * len(lags))] / 1e6


def ours(text: str, database: Database, core: int, seconds: int) -> SqlCost:
    """The cost of Thinktime."""
    job = {"text": text, "url": database.url, "seconds": seconds}
    here = Path(__file__).parent / "load" / "sql_run.py"
    output, _, memory = spend([sys.executable, str(here), json.dumps(job)], core)
    found = json.loads(output.splitlines()[-1])
    figures = [found[name] for name in ("requests", "cpu_s", "lateness_p99_s")]
    return SqlCost(*figures, memory, found["system_s"])


@contextmanager
def tables(core: int) -> Iterator[Database]:
    """A database with pgbench's tables, on a core of its own."""
    with serving("synchronous_commit=off", "max_connections=100") as database:
        assert database.process is not None
        command = [program("pgbench"), "-i", "-q", "-h", "127.0.0.1", "-p", str(database.port)]
        spend([*command, "-U", USER, "postgres"], core)
        os.sched_setaffinity(database.process.pid, {core})  # including all backends that it starts
        yield database


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--rate", type=float, default=1000)
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    with tables(cores[0]) as database:
        for name, texts in (("select", SELECT), ("tpcb", TPCB)):
            command = pgbench(texts, database, options)
            for rate in (None, options.rate):
                text = workload(texts, options, rate)
                pairs = []
                for _ in range(options.rounds):
                    one = ours(text, database, cores[-1], options.seconds)
                    pairs.append((one, theirs(command, cores[-1], rate)))
                show(name if rate is None else f"{name} at {rate:.0f}/s", pairs)
        given = [str(options.rate), str(options.seconds)]
        asleep = [
            float(spend([sys.executable, "-c", SLEEPER, *given], cores[-1])[0])
            for _ in range(options.rounds)
        ]
        print(f"who only sleeps until {options.rate:.0f} times a second: "
              f"lateness p99 {median(asleep) * 1e6:.0f} us")  # fmt: skip


def show(name: str, pairs: list[tuple[SqlCost, SqlCost]]) -> None:
    """Print medians, and that of the ratios of each round."""
    for tool, costs in zip(("thinktime", "pgbench"), zip(*pairs, strict=True), strict=True):
        late = [cost.lateness_p99_s for cost in costs if cost.lateness_p99_s is not None]
        text = f", lateness p99 {median(late) * 1e6:.0f} us" if late else ""
        each = f"{median(cost.cpu_us for cost in costs):7.2f} us of CPU a transaction"
        each += f", {median(cost.system_us for cost in costs):7.2f} of them the kernel's"
        print(f"{name:16} {tool:10} {each}, {median(c.requests for c in costs):.0f} done{text}")
    ratio = median(one.cpu_us / other.cpu_us for one, other in pairs)
    print(f"{name:16} ratio of CPU {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
