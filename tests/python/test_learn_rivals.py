"""Servers that a log does not tell from the one that explains it best bound what is trusted."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from queues import fcfs

from thinktime.candidates.policies import Policy
from thinktime.candidates.visits import Visits
from thinktime.learn import learn
from thinktime.learn.server.agreement import disagreement

Times = NDArray[np.float64]

STEP_S = 0.001
REQUESTS = 4095


def in_a_row(seed: int, load: float, requests: int) -> tuple[Times, Times]:
    """When requests come and end at two stations of two servers each, with 100 ms at each."""
    random = np.random.default_rng(seed)
    came = np.cumsum(random.exponential(0.1 / (2 * load), requests))
    between = fcfs(came, 0.1 * random.gamma(4.0, 0.25, requests), 2)
    order, done = np.argsort(between), np.empty(requests)
    done[order] = fcfs(between[order], (0.1 * random.gamma(4.0, 0.25, requests))[order], 2)
    return came, done - came


def write(path: Path, came: Times, took: Times) -> None:
    """A log of requests of as many users, in ms; the line of each is written at its end."""
    start = datetime(2026, 11, 2, 8, tzinfo=UTC)
    with path.open("w", encoding="utf-8") as file:
        for n in np.argsort(came + took):
            row = {
                "end": (start + timedelta(seconds=float(came[n] + took[n]))).isoformat(),
                "duration_ms": int(took[n] / STEP_S),
                "ip": f"10.{n // 65536}.{n // 256 % 256}.{n % 256}",
                "method": "GET",
                "url": "/item",
                "status": 200,
            }
            file.write(json.dumps(row) + "\n")


@pytest.mark.usefixtures("brief_advice")
def test_a_range_ends_where_two_stations_in_a_row_differ(tmp_path: Path) -> None:
    """Processor sharing by three explains this log, alone and exactly, and its p99 at twice the
    rate, 839 ms, is far from that of the two stations that made it, 489 ms."""
    came, took = in_a_row(2, 0.23, REQUESTS)
    write(tmp_path / "access.log", came, took)
    server = learn([tmp_path / "access.log"], fidelity=False).server(reach=True)
    assert server is not None
    assert (server.policy, server.workers) == ("ps", 3)
    assert server.confidence == "fair"
    assert "two stations in a row, of 2 servers each" in server.estimate.reasons[0]
    assert server.up_to is not None
    assert server.up_to < 1.6 * REQUESTS / came[-1]


def quick_and_slow(*, servers: int) -> Visits:
    """One request in ten misses a cache: it takes 100 ms at a queue of its own."""
    random = np.random.default_rng(5)
    came, took = np.cumsum(random.exponential(1 / 70, 20_000)), random.uniform(0.001, 0.003, 20_000)
    misses = np.flatnonzero(random.random(20_000) < 0.1)
    work = random.exponential(0.1, len(misses))
    took[misses] = fcfs(came[misses], work, servers) - came[misses]
    return Visits.served(came, came + took)


def test_misses_that_wait_for_one_another_are_seen_among_many_hits() -> None:
    """Durations hardly grow with the number of requests, nine of ten of which are hits."""
    assert "took longer" in disagreement(quick_and_slow(servers=2), Policy("idle", 10))


def test_misses_that_do_not_wait_are_no_queue() -> None:
    """Wrong by chance for one seed in 2,500: four groups are compared at 0.01 %."""
    assert disagreement(quick_and_slow(servers=500), Policy("idle", 10)) == ""
