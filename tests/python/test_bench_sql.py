"""The comparison with pgbench runs, and reports its measurements. No times are asserted."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from postgres_server import program

BENCH = Path(__file__).resolve().parents[2] / "benches" / "sql.py"
MEASURED = re.compile(
    r"(?P<what>select|tpcb)(?P<rate> at 200/s)? +(?P<tool>thinktime|pgbench) +"
    r"(?P<cpu>\d+\.\d\d) us of CPU a transaction, +(?P<system>\d+\.\d\d) of them the kernel's, "
    r"(?P<done>\d+) done"
    r"(?P<late>, lateness p99 \d+ us)?"
)
RATIO = re.compile(r"(?P<what>select|tpcb)(?P<rate> at 200/s)? +ratio of CPU (?P<ratio>\d+\.\d\d)")


def test_both_tools_are_measured_at_the_same_work() -> None:
    for name in ("initdb", "postgres", "psql", "pgbench"):
        program(name)
    given = ["--rounds", "1", "--seconds", "1", "--clients", "2", "--rate", "200"]
    done = subprocess.run(
        [sys.executable, str(BENCH), *given], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 13, done.stdout
    assert re.fullmatch(r"who only sleeps until 200 times a second: lateness p99 \d+ us", lines[-1])
    works = [("select", None), ("select", " at 200/s"), ("tpcb", None), ("tpcb", " at 200/s")]
    for number, work in enumerate(works):
        ours, theirs, ratio = lines[3 * number : 3 * number + 3]
        found = [MEASURED.fullmatch(line) for line in (ours, theirs)]
        for tool, one in zip(("thinktime", "pgbench"), found, strict=True):
            assert one is not None, done.stdout
            assert (one["what"], one["rate"], one["tool"]) == (*work, tool)
            assert int(one["done"]) > 0
            assert float(one["cpu"]) >= float(one["system"]) > 0
            # In the closed case pgbench schedules nothing that could be late.
            assert (one["late"] is None) == (tool == "pgbench" and work[1] is None)
        cpu = [float(one["cpu"]) for one in found if one is not None]
        compared = RATIO.fullmatch(ratio)
        assert compared is not None, ratio
        assert (compared["what"], compared["rate"]) == work
        # With one round it is the ratio of the two figures above, which are rounded.
        assert abs(float(compared["ratio"]) - cpu[0] / cpu[1]) <= 0.01 + 0.02 * cpu[0] / cpu[1]
