"""A server is recognized from the durations in its log.

The logs are those of `traffic.servers`, which shares no code with the tested code. Seeds are fixed.
"""

from __future__ import annotations

from random import Random

import numpy as np
import polars as pl
import pytest
from traffic.laws import Law, const, exp, h2, lognormal
from traffic.servers import Request
from traffic.servers import Server as TrueServer
from traffic.world import World

from thinktime import Distribution, System
from thinktime.candidates.policies import Policy, Timeline
from thinktime.candidates.survival import survival
from thinktime.candidates.visits import Visits
from thinktime.learn.logs.requests import Requests
from thinktime.learn.server import Server, learn_server, system_text
from thinktime.learn.server.laws import law_of

NAMES = ["light", "heavy"]
COLUMNS = ["arrival", "done", "kind", "demand", "status"]


def logged(
    server: TrueServer,
    load: float,
    laws: list[Law],
    seed: int,
    requests: int = 8000,
    patience: float = np.inf,
) -> pl.DataFrame:
    """Poisson arrivals at a server, two kinds alike often: a row for each request that ended."""
    random = Random(seed)
    rate = load * server.workers / (sum(law.mean for law in laws) / len(laws))
    world = World(0.0, requests / rate)
    server.open(world, str(seed))
    at = 0.0
    while (at := at + random.expovariate(rate)) < world.end:
        n = random.randrange(len(laws))
        texts = ["host", "GET", "/", "address", "agent", ""]
        asked = Request(
            "people", 0, 0, 0, 0, "page", NAMES[n], *texts, 200, 100, laws[n].draw(random)
        )
        asked.patience = patience
        world.at(at, lambda one: server.ask(one, lambda status: None), asked)
    world.run()
    rows = [(row[0], row[1], row[8], row[11], row[-2]) for row in world.rows]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row").sort("arrival")


def as_requests(log: pl.DataFrame, step_s: float = 1e-3, stamp_s: float = 1e-3) -> Requests:
    """In the form of a log that stamps ends in steps of ``stamp_s``, and durations in
    ``step_s``."""
    took = np.floor((log["done"] - log["arrival"]).to_numpy() / step_s) * step_s
    came = np.floor(log["done"].to_numpy() / stamp_s) * stamp_s - took
    order = np.argsort(came, kind="stable")
    zeros = np.zeros(len(log), dtype=np.uint32)
    rows = pl.DataFrame(
        {
            "time_ns": (came[order] * 1e9).round().astype(np.int64),
            "duration_us": (took[order] * 1e6).round().astype(np.uint32),
            **dict.fromkeys(["user", "path", "host", "bytes"], zeros),
            "referrer": pl.Series([None] * len(log), dtype=pl.UInt32),
            "status": log["status"].to_numpy()[order].astype(np.uint16),
            "method": zeros.astype(np.uint8),
            "kind": log["kind"].to_numpy()[order],
        }
    )
    nobody = pl.DataFrame({"address": [0], "agent": [0]}, schema_overrides={"address": pl.UInt32})
    paths = pl.DataFrame({"path": ["/"], "object": [False]})
    return Requests(rows, paths, nobody, pl.Series([""]), pl.Series([""]), stamp_s)


def learned(log: pl.DataFrame, step_s: float = 1e-3, stamp_s: float = 1e-3) -> Server:
    requests = as_requests(log, step_s, stamp_s)
    kinds = (requests.rows["kind"] == "heavy").to_numpy().astype(np.int64)
    server = learn_server(requests, kinds, NAMES)
    assert server is not None
    return server


def assert_right(server: Server, log: pl.DataFrame) -> None:
    """Means by kind within 5 %, work within 2 %, and a system file that is one."""
    assert [one.name for one in server.demands] == NAMES
    for one in server.demands:
        true = log.filter(pl.col("kind") == one.name)["demand"].mean()
        assert one.mean_s == pytest.approx(true, rel=0.05)
    assert server.work_s == pytest.approx(log["demand"].sum(), rel=0.02)
    system = System(system_text("learned", server, ["access.log"]))
    (station,) = system.stations
    assert station.name == "server"


@pytest.mark.parametrize(
    ("policy", "workers", "load"),
    [("fcfs", 1, 0.3), ("ps", 1, 0.6), ("ps", 1, 0.9), ("fcfs", 3, 0.6), ("ps", 3, 0.9)],
)  # fmt: skip
def test_policy_workers_and_demands_are_found(policy: str, workers: int, load: float) -> None:
    laws = [exp(0.05), lognormal(-2.0, 1.0)]
    log = logged(TrueServer(policy, workers), load, laws, seed=round(load * 10) + workers)
    server = learned(log)
    assert_right(server, log)
    assert (server.policy, server.workers) == (policy, workers)
    # Three that are nearly always busy share as two or four would, at another speed.
    assert server.guesses == (("servers",) if (workers, load) == (3, 0.9) else ())
    assert server.load == pytest.approx(load, rel=0.1)


def test_a_server_that_nobody_waits_for_has_workers_enough() -> None:
    log = logged(TrueServer("idle", 1), 2.0, [exp(0.05), exp(0.2)], seed=1)
    server = learned(log)
    assert_right(server, log)
    assert server.estimate.choice is not None
    assert server.estimate.choice.policy.name == "idle"
    assert server.policy == "ps"
    assert server.workers >= 6
    assert "do not grow" in server.estimate.reasons[0]


def test_laws_are_named_where_they_fit() -> None:
    log = logged(TrueServer("ps", 1), 0.5, [const(0.02), h2(0.1, cv2=6.0)], seed=2)
    light, heavy = learned(log).demands
    assert Distribution(light.law.notation).mean == pytest.approx(0.02, rel=0.03)
    assert Distribution(light.law.notation).cv2 < 0.01
    assert heavy.law.notation.startswith("h2")


@pytest.mark.parametrize(("policy", "load"), [("idle", 2.0), ("fcfs", 0.8)])
@pytest.mark.parametrize("requests", [2000, 20_000])
def test_stamps_coarser_than_durations_tell_no_server(
    policy: str, load: float, requests: int
) -> None:
    """Short and long logs alike: demands are the durations, and all is a guess."""
    log = logged(TrueServer(policy, 1), load, [exp(0.05), exp(0.2)], seed=3, requests=requests)
    server = learned(log, stamp_s=1.0)
    assert server.estimate.choice is None
    assert server.guesses == ("policy", "servers", "demands")
    assert {server.confidence, *(one.confidence for one in server.demands)} == {"low"}
    assert "steps of 1 s" in server.estimate.reasons[0]
    assert server.work_s == pytest.approx((log["done"] - log["arrival"]).sum(), rel=0.02)
    assert server.workers >= server.work_s / server.span_s


def test_a_stage_before_the_server_is_no_server() -> None:
    """Each request passes half of its time beside the others: neither policy explains that."""
    log = logged(TrueServer("fcfs", 2), 0.6, [h2(0.05, cv2=4.0)] * 2, seed=12, requests=20_000)
    beside = np.random.default_rng(1).exponential(0.05, len(log))
    later = log.with_columns(pl.col("arrival") - pl.Series(beside)).sort("arrival")
    server = learned(later)
    assert server.confidence == "low"
    assert server.guesses == ("policy", "servers", "demands")


def test_a_given_demand_has_workers_enough() -> None:
    log = logged(TrueServer("idle"), 5.0, [exp(0.05), exp(0.05)], seed=7, requests=500)
    requests = as_requests(log)
    rows = requests.rows.with_columns(pl.lit(None, dtype=pl.UInt32).alias("duration_us"))
    bare = Requests(rows, requests.paths, requests.users, requests.agents, requests.hosts, 1e-3)
    given = learn_server(bare, np.zeros(len(rows), np.int64), NAMES[:1], demand="exp(50ms)")
    assert given is not None
    assert given.workers == np.ceil(given.work_s / given.span_s) > 1


def test_what_is_given_up_or_turned_away_is_no_demand() -> None:
    log = logged(TrueServer("ps", 1, room=6), 0.9, [exp(0.05), exp(0.2)], seed=4, patience=1.0)
    assert set(log["status"].unique()) == {200, 499, 503}
    server = learned(log)
    worked = log.filter(pl.col("status") != 503)
    for one in server.demands:
        true = worked.filter(pl.col("kind") == one.name)["demand"].mean()
        assert one.mean_s == pytest.approx(true, rel=0.15)
        assert one.requests == worked.filter(pl.col("kind") == one.name).height


def test_demands_follow_exactly_from_the_right_policy() -> None:
    for policy, workers in [("fcfs", 1), ("fcfs", 4), ("ps", 1), ("ps", 4)]:
        log = logged(TrueServer(policy, workers), 0.7, [exp(0.1)], seed=5, requests=2000)
        # Requests in progress at the end are not logged; before the last idle moment all are.
        columns = [log[name].to_numpy() for name in ("arrival", "done")]
        seen = Visits(*columns, np.zeros(len(log), np.int64), np.ones(len(log), bool), 0.0, 0.0)
        drawn = Timeline.of(seen).demands(Policy(policy, workers))
        before = np.concatenate([[0.0], np.maximum.accumulate(columns[1])[:-1]])
        last = np.flatnonzero(before <= columns[0])[-1]
        assert np.allclose(drawn[:last], log["demand"].to_numpy()[:last], atol=1e-6)


def test_others_at_an_arrival_are_counted() -> None:
    arrival, done = np.array([0.0, 1.0, 2.0, 5.0]), np.array([3.0, 2.0, 6.0, 7.0])
    seen = Visits(arrival, done, np.zeros(4, np.int64), np.ones(4, bool), 0.0, 0.0)
    assert seen.found.tolist() == [0, 1, 1, 1]


def test_values_cut_short_count_as_larger() -> None:
    # Kaplan and Meier by hand: 1/4 at 1, then of two left at 3 half of the rest.
    law = survival(np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, True, False]))
    assert law.values.tolist() == [1.0, 3.0]
    assert law.weights == pytest.approx([0.25, 0.375])
    assert law.missing == pytest.approx(0.375)
    drawn = np.random.default_rng(6)
    whole, cut = drawn.exponential(1, 20_000), drawn.exponential(1, 20_000)
    both = survival(np.minimum(whole, cut), whole <= cut)
    assert both.mean == pytest.approx(1, abs=0.06)


def test_without_durations_there_is_none_unless_it_is_given() -> None:
    log = logged(TrueServer("idle"), 0.5, [exp(0.05), exp(0.05)], seed=7, requests=500)
    requests = as_requests(log)
    rows = requests.rows.with_columns(pl.lit(None, dtype=pl.UInt32).alias("duration_us"))
    bare = Requests(rows, requests.paths, requests.users, requests.agents, requests.hosts, 1e-3)
    kinds = (rows["kind"] == "heavy").to_numpy().astype(np.int64)
    assert learn_server(bare, kinds, NAMES) is None
    given = learn_server(bare, kinds, NAMES, demand="exp(5ms)")
    assert given is not None
    assert given.work_s == pytest.approx(0.005 * len(log))
    text = system_text("given", given, ["access.log"])
    assert "the log has none" in text
    System(text)


@pytest.mark.parametrize("requests", [1, 2, 5, 40])
def test_few_requests_are_enough_for_a_guess(requests: int) -> None:
    log = logged(TrueServer("idle"), 0.5, [exp(0.05), exp(0.05)], seed=8, requests=200)
    server = learned(log.head(requests))
    assert [one.name for one in server.demands] == NAMES
    assert {one.confidence for one in server.demands} == {"low"}
    assert server.estimate.choice is None
    System(system_text("few", server, ["access.log"]))


def test_demands_of_a_coarse_clock_are_written_once_each() -> None:
    """Half of them are 1 ms, a larger share than in any named law: it is one value of
    `discrete`."""
    seen = np.repeat([0.0015, 0.0025, 0.0405], [6000, 3000, 1000])
    found = law_of(survival(seen, np.ones(len(seen), dtype=bool)), 1e-3, 1.0).notation
    assert found == "discrete(0.600000: 0.0015s, 0.300000: 0.0025s, 0.100000: 0.0405s)"


@pytest.mark.parametrize("pause_s", [0.0002, 0.0005, 0.001, 0.003])
def test_a_client_that_asks_when_it_has_its_answer_disturbs_nobody(pause_s: float) -> None:
    """The next request comes as this one ends: none of its demand was hidden."""
    random, at, rows = Random(9), 0.0, []
    for _ in range(600):
        at += random.expovariate(1.0)
        for _ in range(12):
            took = 0.002 + random.expovariate(1 / 0.004)
            rows.append((at, at + took, "light", took, 200))
            at += took + pause_s
    server = learned(pl.DataFrame(rows, schema=COLUMNS, orient="row"))
    light = next(one for one in server.demands if one.name == "light")
    # Six standard errors: one in a billion.
    assert light.mean_s == pytest.approx(0.006, abs=6 * 0.004 / np.sqrt(7200) + 0.0002)
