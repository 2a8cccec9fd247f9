"""Populations, journeys and pages against a second implementation, in `second_implementation`.

Without chance, every request is compared to the nanosecond. With chance, both draw with generators
of their own, and their means over replications are compared by Welch's t: about 80 figures a
workload, each with a false alarm of 1e-7 if means were normal, so that twenty workloads fail by
chance once in 6,000 times. The seeds are fixed.
"""

from __future__ import annotations

import math
from collections import defaultdict

import polars as pl
import pytest
from fuzzing import seeds
from scipy import stats
from second_implementation import certain, figures, files, made, rules, users
from volume import oracle, volume

import thinktime as tt

REPLICATIONS = 20


# ---- nothing is left to chance

CERTAIN_NS = 1_000_000_000


def ranked(rows: pl.DataFrame) -> pl.DataFrame:
    """Sessions and their requests numbered by rank: a skipped one may take a number or not."""
    session = pl.col("session").rank("dense").over("population")
    rank = pl.col("request").rank("dense").over("population", "session")
    table = rows.with_columns(session=session, rank=rank)
    bases = table.select("population", "session", page="request", base="rank")
    joined = table.join(bases, on=["population", "session", "page"], how="left")
    columns = ["population", "session", "rank", "name", "base", "scheduled_ns", "done_ns"]
    return joined.select(columns).sort(columns)


def both_certain(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    workload, system = certain.workload(seed), certain.system(seed)
    result = tt.simulate(
        tt.Workload(workload),
        tt.System(system),
        duration=f"{CERTAIN_NS}ns",
        warmup=0,
        rows="all",
    )
    mine = users.simulate(files.workload(workload), files.system(system), 1, until=CERTAIN_NS)
    return ranked(figures.frame_of(result.requests)), ranked(figures.frame([mine]))


@pytest.mark.fuzz
@pytest.mark.parametrize("block", seeds(fixed=range(4), fresh=20))
def test_every_request_is_the_same_where_nothing_is_left_to_chance(block: int) -> None:
    compared = 0
    for seed in range(25 * block, 25 * block + 25):
        its, mine = both_certain(seed)
        assert its.equals(mine), f"{seed}\n{certain.workload(seed)}\n{certain.system(seed)}"
        compared += its.height
    assert compared > 2000


def test_certain_workloads_are_of_all_kinds() -> None:
    texts = [certain.workload(seed) for seed in range(100)]
    words = ["objects", "cache", "lasts", "ends_at", "requests =", "end = 1", '"open"', '"closed"']
    assert all(sum(word in text for text in texts) > 5 for word in words)


# ---- random workloads


def simulated(case: made.Case, replications: int = REPLICATIONS) -> tt.Result:
    return tt.simulate(
        tt.Workload(case.workload),
        tt.System(case.system),
        duration=f"{case.until_ns}ns",
        warmup=0,
        replications=replications,
        rows="all",
    )


def second(case: made.Case, workload: str) -> pl.DataFrame:
    of, system = files.workload(workload), files.system(case.system)
    return figures.frame(
        users.simulate(of, system, 1000 * case.seed + number, until=case.until_ns)
        for number in range(REPLICATIONS)
    )


def compared(case: made.Case, its: pl.DataFrame, workload: str) -> list[figures.Comparison]:
    """The rows against those of the second implementation for a workload."""
    mine = figures.figures(second(case, workload), case.until_ns)
    return figures.compare(figures.figures(its, case.until_ns), mine)


def leaning(workloads: list[list[figures.Comparison]]) -> list[str]:
    """Figures that are off to one side in many workloads, a little in each."""
    by_kind = defaultdict(list)
    for comparisons in workloads:
        # One of each kind per workload: these are independent.
        firsts = {(one.of.split()[0], one.figure): one.z for one in reversed(comparisons)}
        for kind, z in firsts.items():
            by_kind[kind].append(z)
    limit = stats.norm.isf(figures.FALSE_ALARM / 2)
    sums = {kind: sum(zs) / math.sqrt(len(zs)) for kind, zs in by_kind.items()}
    return [f"{kind}: z {z:.1f}" for kind, z in sums.items() if abs(z) > limit]


@oracle
@pytest.mark.fuzz
@pytest.mark.parametrize("block", seeds(fixed=range(volume(2, 4)), fresh=24))
def test_random_workloads_agree(block: int) -> None:
    # Five workloads a block.
    found, all_of_them = [], []
    for seed in range(5 * block, 5 * block + 5):
        case = made.case(seed, requests=volume(700, 1500))
        result = simulated(case)
        comparisons = compared(case, figures.frame_of(result.requests), case.workload)
        assert len(comparisons) >= 10
        wrong = "\n".join(str(one) for one in comparisons if not one.agrees)
        found += [f"{wrong}\n{case}"] if wrong else []
        all_of_them.append(comparisons)
    assert not found, "\n\n".join(found)
    assert not leaning(all_of_them)


@pytest.mark.fuzz
@pytest.mark.parametrize("block", seeds(fixed=range(100, 102), fresh=10))
def test_all_rows_of_random_workloads_keep_the_rules(block: int) -> None:
    for seed in range(5 * block, 5 * block + 5):
        case = made.case(seed)
        result = simulated(case, replications=1)
        rows = figures.frame_of(result.requests)
        complaints = rules.broken(rows, files.workload(case.workload), case.until_ns)
        assert not complaints, f"{complaints[:5]}\n{case}"
        system = files.system(case.system)
        # Under PS every event is rounded to a nanosecond.
        bound = rows.height / 10 if system.policy == "ps" else 0
        assert rules.departures_off(rows, system) <= bound, str(case)
        check_pages(rows, result.summary, case.until_ns)


def check_pages(rows: pl.DataFrame, summary: dict, until_ns: int) -> None:
    """The pages of the summary are those of the rows; some that ended late may not be over."""
    over = figures.pages(rows, until_ns)
    begun = figures.pages(rows, 1 << 62)
    counted = summary.get("pages") or 0
    assert over.height <= counted <= begun.height
    if over.height == begun.height > 0:
        mean_s = (over["done_ns"] - over["scheduled_ns"]).mean() * 1e-9
        assert summary["page_response_time_s"]["mean"] == pytest.approx(mean_s)


# ---- what is wrong is found

SHOP = """
name = "shop"
[[population]]
name = "people"
[population.arrivals]
model = "partly-open"
rate = "4/s"
start = "empty"
[population.session]
first = { home = 0.7, item = 0.3 }
think = "exp(0.5s)"
cache = true
[[population.request]]
name = "home"
next = { item = 0.6, end = 0.4 }
objects = { count = "geometric(3)", of = { image = 1 }, connections = 2 }
[[population.request]]
name = "item"
next = { item = 0.5, home = 0.2, end = 0.3 }
think = "exp(0.8s)"
[[population.request]]
name = "image"
get = "/image/{zipf(n=20, s=0.8)}"
[[population]]
name = "loops"
[population.arrivals]
model = "closed"
clients = 4
start = "empty"
[population.session]
think = "0.4s"
[[population.request]]
name = "ask"
next = { ask = 0.5, tell = 0.3, end = 0.2 }
[[population.request]]
name = "tell"
next = { ask = 0.6, end = 0.4 }
"""
SERVER = 'name = "s"\n[[station]]\nname = "x"\npolicy = "ps"\ndemand = "exp(12ms)"\n'
SHOP_CASE = made.Case(1, SHOP, SERVER, 50 * 10**9)
CHANGES = {
    "a share of next": ("next = { item = 0.6, end = 0.4 }", "next = { item = 0.4, end = 0.6 }"),
    "the first": ("first = { home = 0.7, item = 0.3 }", "first = { home = 0.4, item = 0.6 }"),
    "the connections": ("connections = 2", "connections = 1"),
    "the cache": ("cache = true", ""),
    "the number of objects": ("geometric(3)", "geometric(4)"),
    "the think time of a request": ('think = "exp(0.8s)"', ""),
    "the think time of a closed one": ('think = "0.4s"', 'think = "0.44s"'),
    "what a closed one does": ("0.5, tell = 0.3, end = 0.2", "0.5, tell = 0.5"),
}


@pytest.fixture(scope="module")
def shop_rows() -> pl.DataFrame:
    return figures.frame_of(simulated(SHOP_CASE).requests)


def test_the_shop_agrees(shop_rows: pl.DataFrame) -> None:
    assert all(one.agrees for one in compared(SHOP_CASE, shop_rows, SHOP))


@pytest.mark.parametrize("change", CHANGES)
def test_a_difference_is_found(change: str, shop_rows: pl.DataFrame) -> None:
    changed = SHOP.replace(*CHANGES[change])
    assert changed != SHOP
    assert not all(one.agrees for one in compared(SHOP_CASE, shop_rows, changed))


def test_rows_that_break_the_rules_are_found(shop_rows: pl.DataFrame) -> None:
    rows = shop_rows.filter(pl.col("replication") == 0)
    until_ns = SHOP_CASE.until_ns
    assert rules.broken(rows, files.workload(SHOP), until_ns) == []
    for change in (CHANGES["the connections"], ("home = 0.2, ", ""), ('"ask"\nnext', '"ask"\nno')):
        changed = SHOP.replace(*change)
        assert rules.broken(rows, files.workload(changed), until_ns), change
    late = rows.with_columns(done_ns=pl.col("done_ns") + 1)
    assert rules.broken(late, files.workload(SHOP), until_ns)
    assert rules.departures_off(late, files.system(SERVER)) >= 1


def test_a_closed_session_that_begins_anew_draws_its_beginning_apart() -> None:
    # The end was drawn from the same number as the new beginning, so that this was always `b`.
    text = (
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 5\n[session]\nthink = "1s"\n'
        "first = { a = 0.5, b = 0.5 }\n"
        '[[request]]\nname = "a"\nnext = { a = 0.5, end = 0.5 }\n'
        '[[request]]\nname = "b"\nnext = { b = 0.5, end = 0.5 }\n'
    )
    summary = tt.simulate(tt.Workload(text), tt.System(SERVER), requests=20_000).summary
    # Runs of a request have a mean length of 4 then: the standard deviation of the share is below
    # (0.25 * 7 / 20,000)^0.5 = 0.01; five of them, false alarm 6e-7.
    assert abs(summary["by_request"]["a"]["requests"] / 20_000 - 0.5) < 0.05
