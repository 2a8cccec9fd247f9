"""Queue lengths over time: without retries, with retries, and of closed clients that try again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from cases import HERE, LOAD, READINGS, Case, closed_workload, open_workload, system
from collapse import series, simulate
from distributions import MODELS, demand
from drawing import LineChart
from lab import Lab

import thinktime as tt
from thinktime.results.result import Result
from thinktime.theory import think_time_for_load

LENGTH_S = 5.0


def queue_lengths(folder: Path) -> dict[str, Any]:
    """The article's figure: the bimodal server for 5 s, closed and open."""
    chart = LineChart(
        f"Queue length at load {LOAD}, bimodal demands", "time (s)", "requests at the server"
    )
    found = {}
    for model, clients in reversed(MODELS.items()):
        if clients is None:
            workload = open_workload("bimodal")
        else:
            think = think_time_for_load(clients, demand("bimodal"), LOAD)
            workload = closed_workload(clients, think)
        result = tt.simulate(
            workload, system("bimodal"), seed=1, duration=LENGTH_S, warmup=0, rows="none"
        )
        chart.line(model, *_line(result, "in_server"), style=list(MODELS).index(model), marks=False)
        station = result.summary["stations"]["server"]
        found[model] = {key: station[key] for key in ("queue_length_mean", "queue_length_max")}
    chart.save(folder / "queue-length.svg")
    return found


def with_retries(folder: Path) -> dict[str, Any]:
    """The article's last figure: the same with a retry after 15 ms, reading A, some seeds."""
    chart = LineChart(
        "Retry after 15 ms (reading A), load 0.8", "time (s)", "requests at the server"
    )
    slopes = []
    for seed in range(1, 6):
        result = simulate(Case("A"), seed, LENGTH_S)
        times, lengths = _line(result, "in_server")
        chart.line(f"seed {seed}", times, lengths, marks=False)
        slopes.append(_slope(times, lengths))
    result = simulate(Case("A", 0), 1, LENGTH_S)
    chart.line("no retries", *_line(result, "in_server"), style=6, dashed=True, marks=False)
    chart.save(folder / "retries.svg")
    return {"slopes_per_ms": [slope for slope in slopes if slope is not None]}


def _slope(times: list[float], lengths: list[float]) -> float | None:
    """The growth of the queue, in requests a millisecond, once it is beyond 5000."""
    grown = [(t, n) for t, n in zip(times, lengths, strict=True) if n > 5000]
    if len(grown) < 20:
        return None
    slope = np.polyfit([t for t, _ in grown], [n for _, n in grown], 1)[0]
    return float(slope) / 1e3


def readings(folder: Path, seed: int = 1) -> None:
    """One run in all four readings."""
    chart = LineChart(
        "One run in four readings of the retry, load 0.8",
        "time (s)",
        "requests not over",
        y_log=True,
    )
    for reading, length in zip(READINGS, (4.0, 2.2, 3.5, 4.0), strict=True):
        result = simulate(Case(reading), seed, length)
        times, waiting = _line(result, "in_system", length)
        chart.line(f"reading {reading}", times, [max(n, 0.5) for n in waiting], marks=False)
    chart.save(folder / "readings.svg")


def _line(
    result: Result, column: str, length_s: float = LENGTH_S
) -> tuple[list[float], list[float]]:
    rows = series(result, length_s)
    ends = (rows["start_s"] + rows["interval_s"]).to_list()
    return ends, [float(number) for number in rows[column].to_list()]


CLIENTS = (10, 100, 1000)


def closed_clients(lab: Lab, runs: int, length_s: float = LENGTH_S) -> dict[str, Any]:
    """Closed clients that try again: those that wait (A), and those that give up (B)."""
    found: dict[str, Any] = {}
    for reading in "AB":
        for clients in CLIENTS:
            words = f"closed clients with retries, {reading}, {clients}"
            seeds = [(reading, clients, seed, length_s) for seed in range(1, runs + 1)]
            done = lab.map(words, _closed_run, seeds)
            goodput, most = zip(*done, strict=True)
            found[f"{reading}, {clients} clients"] = {
                "runs": runs,
                "no_goodput": sum(share < 0.05 for share in goodput),
                "goodput": float(np.mean(goodput)),
                "most_in_server": max(most),
            }
    return found


def _closed_run(of: tuple[str, int, int, float]) -> tuple[float, int]:
    """Requests that succeed in the last fifth, against those of load 0.8; the longest queue."""
    reading, clients, seed, length = of
    workload = tt.Workload.load(HERE / "workload-closed-retry.toml")
    think = think_time_for_load(clients, demand("bimodal"), LOAD)
    # More attempts than any client can make: a run ends when some client is free again.
    attempts = int(length / 0.015) + 2
    for key, value in (
        ("arrivals.clients", str(clients)),
        ("request.get.retry.attempts", str(attempts)),
        ("session.think", f"exp({think * 1e9:.0f}ns)"),
        *READINGS[reading],
    ):
        workload = workload.with_value(key, value)
    result = tt.simulate(
        workload, system("bimodal"), seed=seed, duration=length, warmup=0, rows="none"
    )
    rows = series(result, length)
    last = rows.filter(rows["start_s"] >= length * 0.8)
    expected = LOAD / demand("bimodal").mean
    station = result.summary["stations"]["server"]
    goodput = int(last["completed"].sum()) / (expected * length * 0.2)
    return goodput, int(station["queue_length_max"])
