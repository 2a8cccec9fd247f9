"""Workload files from before there were populations give the rows that they gave then.

`old_workloads.json` holds digests of the rows of examples, recorded with the build of commit
a99037f, the last one before `[[population]]`. Hashed are the columns that there were then.
Logarithms and exponentials come from the C library: with another one than glibc last digits may
differ.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import thinktime as tt

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
FILE = Path(__file__).with_name("old_workloads.json")
COLUMNS = [
    "session",
    "request",
    "attempt",
    "name",
    "scheduled_ns",
    "sent_ns",
    "first_byte_ns",
    "done_ns",
    "status",
    "error",
    "bytes_sent",
    "bytes_received",
    "station",
    "demand_s",
    "replication",
]
"""The hashes of the rows at that commit."""

Options = dict[str, Any]
PAIRS: dict[str, tuple[str, str, Options]] = {
    "shop": ("shop.toml", "server.toml", {"requests": 4000}),
    "shop, at a load": ("shop.toml", "server.toml", {"requests": 4000, "load": 0.8}),
    "shop, another seed": ("shop.toml", "three-tier.toml", {"requests": 3000, "seed": 5}),
    "shop, replications": ("shop.toml", "server.toml", {"requests": 1000, "replications": 3}),
    "shop, for a time": ("shop.toml", "three-tier.toml", {"duration": "60s", "warmup": "5s"}),
    "load test": ("load-test.toml", "server.toml", {"requests": 4000}),
    "load test, at a load": ("load-test.toml", "server.toml", {"requests": 4000, "load": 0.7}),
    "load test, three tiers": ("load-test.toml", "three-tier.toml", {"requests": 3000}),
    "impatient": ("retries.toml", "two-speeds.toml", {"duration": "1s"}),
    "impatient, at a load": ("retries.toml", "two-speeds.toml", {"requests": 3000, "load": 0.5}),
    "scripts": ("buyers.toml", "shop-server.toml", {"duration": "60s"}),
}


def digest(workload: str, system: str, options: Options) -> str:
    """The hashes of the rows, column by column."""
    result = tt.simulate(EXAMPLES / workload, EXAMPLES / system, rows="all", **options)
    table = pl.DataFrame(result.requests)
    content = {name: table[name].to_list() for name in COLUMNS}
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", PAIRS)
def test_rows_are_what_they_were(name: str) -> None:
    assert digest(*PAIRS[name]) == json.loads(FILE.read_text("utf-8"))[name]


def test_digests_tell_rows_apart() -> None:
    held = json.loads(FILE.read_text("utf-8"))
    assert [*held] == [*PAIRS]
    assert len({*held.values()}) == len(held)
    workload, system, options = PAIRS["shop"]
    assert digest(workload, system, options | {"seed": 2}) != held["shop"]


def test_the_files_name_no_populations() -> None:
    for workload, _, _ in PAIRS.values():
        assert "population" not in tomllib.loads((EXAMPLES / workload).read_text("utf-8"))
