"""A closed system without think times: the finished requests, and the kinds of mean."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl
from lab import Lab
from points import MEAN, Point, system, workload

import thinktime as tt

CLIENTS = 100
STARVING = 0.1
"""A request starves if it was in the system for more than this share of the run."""

FAIR = ["fcfs", "ps", "rr(1s)", "rr(10s)", "pesjf", "peljf"]
UNFAIR = ["lcfs", "plcfs", "sjf", "ljf", "psjf", "srpt", "las"]
LENGTHS = [10_000, 100_000, 1_000_000]
"""Requests of the runs that show the effect of the run's length under SRPT."""


@dataclass(frozen=True)
class Saturated:
    """The results of a run at zero think time."""

    policy: str
    requests: int
    mean: float
    """The mean of all begun requests; their ends are waited for."""

    finished: float
    """The mean of those that finished before the last one was begun: the view of a run that just
    stops."""

    median: float
    p99: float
    starving: int
    others: float
    """The mean of those that do not starve."""

    throughput: float


def measure(policy: str, requests: int) -> Saturated:
    """Simulate without think times and keep every request."""
    point = Point("closed", policy, load=None, clients=CLIENTS, think=0.0)
    result = tt.simulate(workload(point), system(point), requests=requests, rows="all")
    rows = pl.DataFrame(result.requests).select("scheduled_ns", "done_ns")
    took = ((rows["done_ns"] - rows["scheduled_ns"]) / 1e9).alias("took")
    end = float(rows["scheduled_ns"].max() or 0)  # type: ignore[arg-type]  # a number here
    starves = took > STARVING * end / 1e9
    times = result.summary["response_time_s"]
    return Saturated(
        policy,
        requests,
        times["mean"],
        _mean(took.filter(rows["done_ns"] <= end)),
        times["p50"],
        times["p99"],
        int(starves.sum()),
        _mean(took.filter(~starves)),
        float((rows["done_ns"] <= end).sum()) / (end / 1e9),
    )


def _mean(values: pl.Series) -> float:
    return float(values.mean())  # type: ignore[arg-type]  # a number here


def measure_all(lab: Lab, quick: bool) -> list[Saturated]:
    """Every policy, and SRPT for several lengths of run."""
    length = 100_000 if quick else 1_000_000
    cases = [(policy, length) for policy in FAIR + UNFAIR]
    cases += [("srpt", requests) for requests in LENGTHS if requests < length]
    return lab.map("no think time", lambda case: measure(*case), cases)


def numbers(found: list[Saturated]) -> list[dict[str, Any]]:
    """The values in results.json."""
    return [{**asdict(one), "exact_mean": CLIENTS * MEAN} for one in found]
