"""The 15 ms retry in all its readings: whether the system collapses, and how soon.

What is expected is the result of a simulator of another make: a C program of a few lines for this
one server, 500 runs a row (200 for constants and longer timeouts), with a horizon of 1000 s. It
takes the unfinished work itself, where Thinktime's series gives the number of attempts in the
server, to be multiplied by E[S].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from cases import Case
from collapse import GROWTH, Run, run_until_collapse
from lab import Lab
from statistics_of_runs import Collapses, collapses

TOLD_RUNS = 10
"""The number of runs in which the tool's report of the collapse is checked."""

MANY = 80
"""More retries than any request uses before the collapse: the end of a long run is then less
work."""

SAME = (("request.get.retry.same_demand", "true"),)


@dataclass(frozen=True)
class Expected:
    """Of the other simulator; times in milliseconds."""

    p50: float | None = None
    p10: float | None = None
    p90: float | None = None
    within_5_s: float | None = None
    stable: bool = False


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    key: str
    words: str
    case: Case
    expected: Expected | None = None
    horizon_s: float = 10.0
    runs: float = 1.0
    """The number of runs, as a share of that of most rows."""

    first_s: float = 0.3
    growth: float = GROWTH
    first_seed: int = 1


def _basic() -> list[Row]:
    queued = Case("C", pending=5000)
    named = [
        Row(
            f"A{n}",
            f"A, at most {n} {_word(n)}",
            Case("A", n),
            Expected(p50, within_5_s=share),
            runs=0.5,
        )
        for n, p50, share in ((1, 3030, 0.98), (2, 2054, 0.998), (3, 1869, 0.996))
    ] + [
        Row(
            f"B{n}",
            f"B, at most {n} {_word(n)}",
            Case("B", n),
            Expected(p50, within_5_s=share),
            runs=0.5,
        )
        for n, p50, share in ((1, 2125, 0.998), (2, 1170, 1.0), (3, 969, 1.0))
    ]
    return [
        Row(
            "A", "A: again when the response was late", Case("A"), Expected(1708, 1317, 2871, 0.996)
        ),
        *named[:3],
        Row("B", "B: again at the timeout", Case("B"), Expected(631, 265, 1635, 1.0)),
        *named[3:],
        Row(
            "B-same",
            "B, the retry brings the same demand",
            Case("B", more=SAME),
            Expected(553, 221, 1384),
            runs=0.5,
        ),
        Row(
            "C",
            "C: as B, taken back if still queued",
            queued,
            Expected(2149, 1053, 5305, 0.88),
            horizon_s=12.0,
            runs=0.3,
            growth=1.15,
        ),
        *(
            Row(key, words, case, expected, horizon_s=20.0, runs=0.25)
            for key, words, case, expected in (
                ("C1", "C, at most 1 retry", Case("C", 1, pending=5000), Expected(stable=True)),
                ("C3", "C, at most 3 retries", Case("C", 3, pending=5000), None),
                ("D", "D: taken back even out of service", Case("D", pending=5000), None),
                ("none", "no retries", Case("A", 0), Expected(stable=True)),
            )
        ),
    ]


def _word(number: int) -> str:
    return "retry" if number == 1 else "retries"


def _services() -> list[Row]:
    def case(reading: str, service: str) -> Case:
        return Case(reading, MANY if reading == "B" else None, service=service)

    constants = [
        Row("A-constants", "A, demands 0.1 ms and 10 ms", case("A", "constants"),
            Expected(2347, 1435, 4984, 0.91), runs=0.5),
        Row("B-constants", "B, demands 0.1 ms and 10 ms", case("B", "constants"),
            Expected(1230, 443, 3896, 0.98), runs=0.5),
    ]  # fmt: skip
    return constants + [
        Row(
            f"{reading}-exponential",
            f"{reading}, exponential demand 0.1 ms",
            case(reading, "exponential"),
            Expected(stable=True),
            horizon_s=100.0,
            runs=0.04,
            first_s=100.0,
        )
        for reading in "AB"
    ]


LOADS = (0.3, 0.4, 0.5, 0.6, 0.7)


def _loads() -> list[Row]:
    """(median, share within 5 s, horizon) a load."""
    found: list[tuple[str, float, float, float, float]] = [
        ("A", 0.3, 25102, 0.04, 60), ("A", 0.4, 8645, 0.25, 25), ("A", 0.5, 4195, 0.66, 12),
        ("A", 0.6, 2729, 0.90, 10), ("A", 0.7, 2065, 0.94, 10),
        ("B", 0.3, 7607, 0.38, 20), ("B", 0.4, 2640, 0.69, 10), ("B", 0.5, 1870, 0.91, 10),
        ("B", 0.6, 1212, 0.96, 10), ("B", 0.7, 808, 1.0, 10),
    ]  # fmt: skip
    return [
        Row(
            f"{reading}-load-{load}",
            f"{reading}, load {load}",
            Case(reading, MANY if reading == "B" else None, load=load),
            Expected(p50, within_5_s=share),
            horizon_s=horizon,
            runs=0.25,
            first_s=p50 / 5e3,
        )
        for reading, load, p50, share, horizon in found
    ]


TIMEOUTS_MS = (20, 30, 50, 75, 100)


def _timeouts() -> list[Row]:
    rows = []
    for timeout, p50, horizon, runs in (
        (20, 1122, 10, 0.25), (30, 2235, 15, 0.25), (50, 10753, 40, 0.15),
        (75, 76322, 60, 0.08), (100, 364585, 60, 0.08),
    ):  # fmt: skip
        rows.append(
            Row(
                f"B-timeout-{timeout}",
                f"B, timeout {timeout} ms (threshold 3000 ms)",
                Case("B", MANY // 2, timeout_ms=timeout, work_s=3.0),
                Expected(p50),
                horizon_s=horizon,
                runs=runs,
                first_s=min(p50 / 5e3, 10.0),
                growth=1.15,
            )
        )
    return rows


def rows() -> list[Row]:
    """The whole table, each row with seeds of its own, so that luck is not shared."""
    found = [*_basic(), *_services(), *_loads(), *_timeouts()]
    return [replace(row, first_seed=1 + 1000 * place) for place, row in enumerate(found)]


QUICK = ("A", "B", "C1", "none", "A-exponential", "B-exponential")
"""The rows of a quick study."""


def quick_rows() -> list[Row]:
    """A few rows, with fewer and shorter runs if no collapse is expected."""
    chosen = [row for row in rows() if row.key in QUICK]
    return [
        replace(row, runs=0.2, horizon_s=min(row.horizon_s, 20.0), first_s=min(row.first_s, 20.0))
        if row.expected and row.expected.stable
        else row
        for row in chosen
    ]


def study(lab: Lab, chosen: Sequence[Row], runs: int) -> dict[str, Any]:
    """Simulate the rows."""
    return {row.key: _study(lab, row, max(int(runs * row.runs), 4)) for row in chosen}


def _study(lab: Lab, row: Row, number: int) -> dict[str, Any]:
    def one(seed: int) -> Run:
        confirm = seed < row.first_seed + TOLD_RUNS
        run = run_until_collapse(row.case, seed, row.horizon_s, row.first_s, row.growth, confirm)
        run.result = None  # a few megabytes each
        return run

    seeds = range(row.first_seed, row.first_seed + number)
    runs = lab.map(f"retries, {row.words}", one, seeds)
    found = collapses(runs)
    return {
        "words": row.words,
        "reading": row.case.reading,
        "retries": row.case.retries,
        "load": row.case.load,
        "timeout_ms": row.case.timeout_ms,
        "horizon_s": row.horizon_s,
        "found": asdict(found),
        "expected": None if row.expected is None else asdict(row.expected),
        "agrees": _agrees(row, found),
        "times_ms": [None if run.crossed_s is None else run.crossed_s * 1e3 for run in runs],
    }


def _agrees(row: Row, found: Collapses) -> bool | None:
    """Whether the expected median lies in the interval of the one found, widened by 5 %.

    The expected one has an error of its own, about two thirds of ours.
    """
    if row.expected is None:
        return None
    if row.expected.stable:
        return found.collapsed == 0
    expected = row.expected.p50
    if expected is None or found.p50_low is None:
        return None
    return bool(found.p50_low * 0.95 <= expected <= (found.p50_high or float("inf")) * 1.05)
