"""A cache with a known share of hits, before a pool of connections: docs/system-file.md has it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import thinktime as tt

PAGE = Path(__file__).parents[2] / "docs/system-file.md"
WORKLOAD = {
    "name": "readers",
    "arrivals": {"model": "open", "rate": "100/s"},
    "request": [
        {"name": "hit", "weight": 8, "get": "/hit"},
        {"name": "miss", "weight": 2, "get": "/miss"},
    ],
}


def erlang_c(servers: int, offered: float) -> float:
    """The share that waits in an M/M/c queue (Kleinrock, Queueing Systems 1, 1975, 3.5)."""
    terms = [offered**n / math.factorial(n) for n in range(servers + 1)]
    full = terms[-1] * servers / (servers - offered)
    return full / (sum(terms[:-1]) + full)


def test_misses_wait_for_a_connection_as_in_an_mmc_queue() -> None:
    """Beyond 3.88 standard errors of 20 replications once in 1,000 seeds (Student's t)."""
    blocks = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (system,) = (one for one in blocks if "40 workers" in one)
    found = []
    for seed in range(20):
        one = tt.simulate(WORKLOAD, tt.System(system), requests=50_000, seed=seed, rows="none")
        found.append(one.summary["by_request"]["miss"]["response_time_s"]["mean"])
    mean = sum(found) / len(found)
    error = math.sqrt(sum((one - mean) ** 2 for one in found) / (len(found) - 1) / len(found))
    exact = 0.002 + 0.1 + erlang_c(3, 2.0) / (30.0 - 20.0)
    assert math.isclose(exact, 0.14644, abs_tol=5e-6)
    assert abs(mean - exact) < 3.88 * error
