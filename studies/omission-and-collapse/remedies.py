"""The remedies against the collapse, and the remaining service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from cases import Case, Changes
from collapse import Run, run_until_collapse, series, simulate
from drawing import LineChart
from lab import Lab
from statistics_of_runs import collapses

READINGS = "ABC"
HORIZON_S = 10.0
ENOUGH = 0.9
"""A run with a large backlog has collapsed if less than this share of its requests succeed."""

RETRY = "request.get.retry"


@dataclass(frozen=True)
class Remedy:
    """A possible action of clients or of the server."""

    key: str
    words: str
    more: Changes = ()
    server: Changes = ()
    retries: int | None = None

    def case(self, reading: str) -> Case:
        """The article's system with it."""
        return Case(
            reading, self.retries, more=self.more, server=self.server, pending=5000, either=True
        )


def _backoff(law: str, growth: int, most: str) -> Changes:
    return (
        (f"{RETRY}.backoff", law),
        (f"{RETRY}.growth", str(growth)),
        (f"{RETRY}.backoff_max", most),
    )


SOON: Changes = ((f"{RETRY}.backoff", "exp(15ms)"),)


def _budget(share: str) -> Changes:
    return (("clients.retry_budget", f'{{ share = "{share}", burst = 10 }}'),)


def _concurrency(number: int) -> Changes:
    return (("clients.concurrency", str(number)),)


def _policy(name: str) -> Changes:
    return (("policy", name),)


REMEDIES = [
    Remedy("none", "none"),
    Remedy("no-retries", "no retries at all", retries=0),
    Remedy("one-retry", "at most 1 retry", retries=1),
    Remedy("backoff-15ms", "backoff exp(15 ms), doubling, 1 s at most",
           _backoff("exp(15ms)", 2, "1s")),
    Remedy("backoff-100ms", "backoff exp(100 ms), doubling, 10 s at most",
           _backoff("exp(100ms)", 2, "10s")),
    Remedy("budget-10%", "retry budget 10 %", _budget("10%")),
    Remedy("budget-20%", "retry budget 20 %", _budget("20%")),
    Remedy("budget-50%", "retry budget 50 %", _budget("50%")),
    Remedy("concurrency-10", "at most 10 attempts in flight", _concurrency(10)),
    Remedy("concurrency-100", "at most 100 attempts in flight", _concurrency(100)),
    Remedy("concurrency-200", "at most 200 attempts in flight", _concurrency(200)),
    Remedy("concurrency-1000", "at most 1000 attempts in flight", _concurrency(1000)),
    Remedy("queue-limit", "queue limit 100, backoff exp(15 ms)", SOON, (("queue_limit", "100"),)),
    Remedy("queue-timeout-10", "dropped after 10 ms in the queue, backoff exp(15 ms)", SOON,
           (("queue_timeout", "10ms"),)),
    Remedy("queue-timeout-5", "dropped after 5 ms in the queue, backoff exp(15 ms)", SOON,
           (("queue_timeout", "5ms"),)),
    Remedy("newest-first", "newest first above 10 waiting", (), (("newest_first_above", "10"),)),
    Remedy("plcfs", "PLCFS", (), _policy("plcfs")),
    Remedy("ps", "PS", (), _policy("ps")),
    Remedy("sjf", "SJF", (), _policy("sjf")),
    Remedy("srpt", "SRPT", (), _policy("srpt")),
    Remedy("las", "LAS", (), _policy("las")),
]  # fmt: skip
QUICK = ("none", "budget-10%", "concurrency-10", "srpt")


@dataclass(frozen=True)
class Service:
    """The service of one run's clients."""

    goodput: float
    """Requests that succeeded in the last half of the run, as a share of those offered then."""

    on_time: float
    """The share of all requests that had their answer within the timeout of the first attempt."""

    attempts: float
    """Attempts a request, in the last half of the run."""


def study(lab: Lab, chosen: Sequence[Remedy], runs: int) -> dict[str, Any]:
    """Each remedy with each reading, on the same seeds."""
    return {one.key: {"words": one.words, **_study(lab, one, runs)} for one in chosen}


def _study(lab: Lab, remedy: Remedy, number: int) -> dict[str, Any]:
    def one(of: tuple[str, int]) -> tuple[Run, Service]:
        reading, seed = of
        case = remedy.case(reading)
        run = run_until_collapse(case, seed, HORIZON_S, first_s=0.8, growth=1.5)
        got = _service(run, case)
        run.result = None
        return run, got

    pairs = [(reading, seed) for reading in READINGS for seed in range(1, number + 1)]
    done = lab.map(f"remedies, {remedy.words}", one, pairs)
    found: dict[str, Any] = {}
    for place, reading in enumerate(READINGS):
        part = done[place * number : (place + 1) * number]
        backlog = [run.crossed_s is not None for run, _ in part]
        lost = [big and got.goodput < ENOUGH for big, (_, got) in zip(backlog, part, strict=True)]
        found[reading] = {
            "runs": number,
            "collapsed": sum(lost),
            "backlog": sum(backlog),
            "goodput": float(np.mean([got.goodput for _, got in part])),
            "on_time": float(np.mean([got.on_time for _, got in part])),
            "attempts": float(np.mean([got.attempts for _, got in part])),
            **_told([run for run, _ in part]),
        }
    return found


def _told(runs: list[Run]) -> dict[str, int]:
    found = collapses(runs)
    return {key: getattr(found, key) for key in ("told", "untold", "false_alarms", "stable")}


def _service(run: Run, case: Case) -> Service:
    assert run.result is not None
    rows = series(run.result, run.length_s)
    late = rows.filter(pl.col("start_s") >= run.length_s / 2)
    offered = max(int(late["scheduled"].sum()), 1)
    summary = run.result.summary
    times, longer = run.result.survival()
    place = int(np.searchsorted(times, case.timeout_ms / 1e3, side="right")) - 1
    successes = summary["requests"] - summary["errors"]
    within = (1 - float(longer[place])) * successes if place >= 0 else 0.0
    return Service(
        goodput=int(late["completed"].sum()) / offered,
        on_time=within / max(summary["requests"], 1),
        attempts=int(late["attempts"].sum()) / offered,
    )


SHOWN = {"none": 2.0, "backoff-100ms": 5.0, "concurrency-1000": 5.0, "budget-10%": 5.0, "srpt": 5.0}
SEED = 1


def draw(folder: Path) -> None:
    """The attempts in the server with some of the remedies."""
    chart = LineChart(
        "Reading B with remedies, load 0.8 (one run)",
        "time (s)",
        "attempts in the server, those given up included",
        y_log=True,
        y_limits=(0.5, 2e5),
    )
    for remedy in REMEDIES:
        if remedy.key in SHOWN:
            length = SHOWN[remedy.key]
            result = simulate(remedy.case("B"), SEED, length)
            rows = series(result, length)
            ends = (rows["start_s"] + rows["interval_s"]).to_list()
            there = [max(one, 0.5) for one in rows["in_server"].to_list()]
            chart.line(_short(remedy.words), ends, there, marks=False)
    chart.save(folder / "remedies.svg")


def _short(words: str) -> str:
    return "no remedy" if words == "none" else words.split(",")[0].removesuffix(" in flight")
