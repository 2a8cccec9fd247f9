"""Caches of servers in whole simulations, against formulas.

Each ratio is of 100,000 requests or more, with a standard deviation below 0.002: were the seeds
not fixed, an error of 0.01 would come once in a million tests.
"""

from itertools import combinations
from math import prod
from pathlib import Path
from typing import Any

import pytest

import thinktime as tt
from thinktime.diagrams.parts import parts_of
from thinktime.present import units

SYSTEM = """
name = "s"
[[cluster]]
name = "web"
servers = {servers}
dispatch = "random"
[[cluster.station]]
name = "disk"
when = "miss"
policy = "ps"
demand = "1ms"
[cluster.cache]
{cache}
"""

REQUESTS = 100_000
ERROR = 0.01


def servers(tmp_path: Path, target: str, cache: str, number: int = 1) -> list[dict[str, Any]]:
    """The results of each server: 100 requests a second for responses of 1 kB."""
    workload = tmp_path / "visitors.toml"
    workload.write_text(
        'name = "w"\n[arrivals]\nmodel = "open"\nrate = "100/s"\n'
        f'[[request]]\nname = "page"\nget = "{target}"\nsize = "1kB"\n'
    )
    system = tmp_path / "system.toml"
    system.write_text(SYSTEM.format(servers=number, cache=cache))
    result = tt.simulate(workload, system, requests=REQUESTS, rows="none", warmup=1_000)
    found: list[dict[str, Any]] = result.summary["clusters"]["web"]["servers"]
    return found


@pytest.mark.parametrize("policy", ["random", "fifo"])
def test_random_and_fifo_hit_as_gelenbe_computed(tmp_path: Path, policy: str) -> None:
    """A content is as likely as the product of its popularities (IEEE Trans. Computers 1973)."""
    weights = [1 / rank for rank in range(1, 9)]
    contents = list(combinations(weights, 3))
    likely = [prod(content) for content in contents]
    hits = sum(one * sum(content) for one, content in zip(likely, contents, strict=True))
    exact = hits / sum(likely) / sum(weights)
    cache = f'size = "3kB"\nreplacement = "{policy}"'
    (found,) = servers(tmp_path, "/page/{zipf(n=8, s=1)}", cache)
    assert found["hit_ratio"] == pytest.approx(exact, abs=ERROR)


@pytest.mark.parametrize(("ttl", "size"), [("20ms", ""), ("5ms", 'size = "1MB"')])
def test_one_target_that_expires_hits_as_often_as_it_is_renewed(
    tmp_path: Path, ttl: str, size: str
) -> None:
    """To each miss come λT hits."""
    hits = 100 * float(ttl.removesuffix("ms")) / 1000
    (found,) = servers(tmp_path, "/", f'ttl = "{ttl}"\n{size}')
    assert found["hit_ratio"] == pytest.approx(hits / (1 + hits), abs=ERROR)


def test_servers_draw_for_themselves_and_alike_for_one_seed(tmp_path: Path) -> None:
    cache = 'size = "3kB"\nreplacement = "random"'
    first, again = (servers(tmp_path, "/{zipf(n=8, s=1)}", cache, 2) for _ in range(2))
    assert first == again
    assert first[0] != first[1]


def test_the_diagram_says_how_long_a_cache_holds_a_response() -> None:
    system = tt.System(SYSTEM.format(servers=1, cache='ttl = "60s"'))
    assert f"each for {units.law('60s')}" in repr(parts_of(system.tables))
